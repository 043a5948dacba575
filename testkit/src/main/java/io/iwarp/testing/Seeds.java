package io.iwarp.testing;

import java.util.Random;
import java.util.SplittableRandom;
import org.opentest4j.AssertionFailedError;

/**
 * Reproducible randomness for property tests. Every run uses the same seeds, as many as {@link Effort} says. A failure
 * names its seed, and {@code -Diwarp.seed=} runs this seed alone.
 */
public final class Seeds {
    private static final String PROPERTY = "iwarp.seed";
    private static final long BASE = 0x5044_5041_5040_7306L;

    private Seeds() {}

    /** A property that must hold for every seed. */
    @FunctionalInterface
    public interface Property {
        /**
         * Checks the property.
         *
         * @param seed the seed, for messages
         * @param random the source of all choices
         * @throws Exception if the property does not hold
         */
        void check(long seed, Random random) throws Exception;
    }

    /**
     * Checks a property with {@code sample} seeds times the {@link Effort}, or with the one given by
     * {@code -Diwarp.seed=}.
     */
    public static void forEach(int sample, Property property) {
        Long only = Long.getLong(PROPERTY);
        if (only != null) {
            check(only, property);
            return;
        }
        SplittableRandom seeds = new SplittableRandom(BASE);
        for (int i = 0; i < Effort.rounds(sample); i++) {
            check(seeds.nextLong(), property);
        }
    }

    private static void check(long seed, Property property) {
        try {
            property.check(seed, new Random(seed));
        } catch (Exception | AssertionError e) {
            throw new AssertionFailedError(e.getMessage() + " (rerun with -D" + PROPERTY + "=" + seed + ")", e);
        }
    }
}
