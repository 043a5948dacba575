package io.iwarp.simulation;

import org.jspecify.annotations.Nullable;

/** What the woven code calls. There is one world at a time in a class loader. */
public final class Points {
    private static @Nullable World world;
    private static int locks;

    private Points() {}

    static void watch(@Nullable World watched) {
        world = watched;
        locks = 0;
    }

    /** Another simulated thread may go first. */
    public static void at() {
        World now = world;
        if (now != null && locks == 0) {
            now.point();
        }
    }

    /** A lock was taken. */
    public static void locked() {
        locks++;
    }

    /** A lock is being given back. */
    public static void unlocked() {
        locks--;
    }
}
