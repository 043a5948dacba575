package io.iwarp.memory;

/**
 * Divides a number of units, a power of two, into blocks whose lengths are powers of two. A free block and its neighbour of
 * the same length become one block again. Taking and returning a block takes as many steps as the tree is high. Confined to
 * one thread at a time.
 *
 * <p>The nodes of a complete binary tree are numbered from 1, the children of a node are 2n and 2n + 1. Each node knows the
 * longest free block below it.
 */
final class BuddyTree {
    private final int height;
    /** 1 + the order of the longest free block at or below a node; 0 if there is none. */
    private final byte[] longest;

    /** @param height the units are 2^height */
    BuddyTree(int height) {
        this.height = height;
        this.longest = new byte[2 << height];
        for (int node = 1; node < longest.length; node++) {
            longest[node] = (byte) (height + 1 - log2(node));
        }
    }

    private static int log2(int number) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(number);
    }

    /**
     * Takes a block of 2^order units.
     *
     * @return the number of its first unit, or -1 if there is no such block
     */
    int take(int order) {
        if (longest[1] <= order) {
            return -1;
        }
        int node = 1;
        for (int left = height - order; left > 0; left--) {
            node *= 2;
            if (longest[node] <= order) {
                node++;
            }
        }
        int unit = (node << order) - (1 << height);
        longest[node] = 0;
        for (int above = node / 2; above > 0; above /= 2) {
            longest[above] = (byte) Math.max(longest[2 * above], longest[2 * above + 1]);
        }
        return unit;
    }

    /** Returns a block of 2^order units that was taken. */
    void give(int unit, int order) {
        int node = (unit + (1 << height)) >> order;
        int whole = order + 1;
        longest[node] = (byte) whole;
        for (int above = node / 2; above > 0; above /= 2) {
            int one = longest[2 * above];
            int other = longest[2 * above + 1];
            longest[above] = (byte) (one == whole && other == whole ? whole + 1 : Math.max(one, other));
            whole++;
        }
    }
}
