package io.iwarp.testing;

import java.util.Random;
import java.util.SplittableRandom;
import org.opentest4j.AssertionFailedError;

/**
 * Reproducible randomness for property tests. The same seeds are used in every run, and a failure names the one that
 * shows it: {@code -Diwarp.seed=} then runs that seed alone.
 */
public final class Seeds {
    private static final String PROPERTY = "iwarp.seed";
    private static final long BASE = 0x5044_5041_5040_7306L;

    private Seeds() {}

    /** What must hold for every seed. */
    @FunctionalInterface
    public interface Property {
        /** Takes all its choices from {@code random}, and fails by throwing. */
        void check(long seed, Random random) throws Exception;
    }

    /** Checks a property with {@code count} seeds, or with the one that {@code -Diwarp.seed=} gives. */
    public static void forEach(int count, Property property) {
        Long only = Long.getLong(PROPERTY);
        if (only != null) {
            check(only, property);
            return;
        }
        SplittableRandom seeds = new SplittableRandom(BASE);
        for (int i = 0; i < count; i++) {
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
