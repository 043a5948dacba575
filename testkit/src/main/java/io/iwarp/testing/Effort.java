package io.iwarp.testing;

/**
 * How much tests of chance try. In a build they take a sample; {@code -Diwarp.effort=20} makes them try twenty times as
 * much.
 */
public final class Effort {
    private static final int FACTOR = Integer.getInteger("iwarp.effort", 1);

    private Effort() {}

    /** Returns how many rounds to do, of which a build does {@code sample}. */
    public static int rounds(int sample) {
        return Math.multiplyExact(sample, FACTOR);
    }
}
