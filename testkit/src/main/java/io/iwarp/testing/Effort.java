package io.iwarp.testing;

/**
 * How many iterations randomized tests run. A build runs a sample; {@code -Diwarp.effort=20} runs twenty times as many.
 */
public final class Effort {
    private static final int FACTOR = Integer.getInteger("iwarp.effort", 1);

    private Effort() {}

    /** Returns how many rounds to do, of which a build does {@code sample}. */
    public static int rounds(int sample) {
        return Math.multiplyExact(sample, FACTOR);
    }
}
