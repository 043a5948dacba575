package io.iwarp.simulation;

import java.util.SplittableRandom;

/** All chance of a run comes from here. */
final class Dice {
    private final SplittableRandom random;

    Dice(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Returns 0 to bound - 1. */
    int below(int bound) {
        return bound <= 1 ? 0 : random.nextInt(bound);
    }

    /** Returns least to most, both included. */
    long between(long least, long most) {
        return least >= most ? least : random.nextLong(least, most + 1);
    }

    /** Returns true in so many of a thousand cases. */
    boolean permille(int chance) {
        return chance > 0 && random.nextInt(1000) < chance;
    }

    @SafeVarargs
    final <T> T oneOf(T... choices) {
        return choices[below(choices.length)];
    }
}
