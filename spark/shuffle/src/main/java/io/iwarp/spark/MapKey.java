package io.iwarp.spark;

/** The identity of a map output: each attempt of a map task has its own map id. */
record MapKey(int shuffleId, long mapId) {
    private static final long SPREAD = 0x9e37_79b9_7f4a_7c15L;

    /** Returns the first slot of a directory in which the map output may be. Both sides compute it. */
    int firstSlot(int slots) {
        long mixed = (mapId * SPREAD) ^ (shuffleId * 0xc2b2_ae3d_27d4_eb4fL);
        mixed = (mixed ^ (mixed >>> 32)) * SPREAD;
        return (int) (mixed >>> 32) & (slots - 1);
    }
}
