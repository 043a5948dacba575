package io.iwarp.conformance.wire;

/** Where each opcode belongs (RFC 5040 figure 4, RFC 7306 figure 2). */
public final class Opcodes {
    /** How many there are, assigned or not. */
    public static final int COUNT = 16;
    /** How many are assigned. */
    public static final int ASSIGNED = 12;

    private static final int[] QUEUES = {-1, 1, -1, 0, 0, 0, 0, 2, 0, 0, 1, 3};

    private Opcodes() {}

    /** Returns whether messages of an opcode are tagged; those of an opcode without meaning are not. */
    public static boolean tagged(int opcode) {
        return opcode == Segment.WRITE || opcode == Segment.READ_RESPONSE;
    }

    /** Returns the queue of an untagged opcode, or -1. */
    public static int queue(int opcode) {
        return opcode < ASSIGNED ? QUEUES[opcode] : -1;
    }
}
