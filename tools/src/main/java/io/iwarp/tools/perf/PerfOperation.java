package io.iwarp.tools.perf;

/** The operations that {@link PerfClient} measures. Each has a number on the wire. */
enum PerfOperation {
    /** Messages to receives of the server. */
    SEND(1, "send"),
    /** Writes to the server's memory, without a notification of its program. */
    WRITE(2, "write"),
    /** Writes to the server's memory with Immediate Data, which notifies its program. */
    WRITE_IMMEDIATE(3, "write-immediate"),
    /** Reads of the server's memory. */
    READ(4, "read"),
    /** FetchAdds on 64 bits of the server's memory. */
    FETCH_ADD(5, "fetch-add"),
    /** CmpSwaps on 64 bits of the server's memory. */
    COMPARE_SWAP(6, "compare-swap");

    private final int code;
    private final String text;

    PerfOperation(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** Returns the number on the wire. */
    int code() {
        return code;
    }

    /**
     * Returns the operation of that number.
     *
     * @throws IllegalArgumentException if the number is unknown
     */
    static PerfOperation of(int code) {
        for (PerfOperation operation : values()) {
            if (operation.code == code) {
                return operation;
            }
        }
        throw new IllegalArgumentException(
                "this perf server knows no operation " + code + ": use the same version on both sides");
    }

    /** Returns whether each operation consumes a receive of the server. */
    boolean usesReceives() {
        return this == SEND || this == WRITE_IMMEDIATE;
    }

    /** Returns whether the operation has a fixed size of 64 bits. */
    boolean atomic() {
        return this == FETCH_ADD || this == COMPARE_SWAP;
    }

    /** Returns whether the operation returns data of the server, so that its completion is the response. */
    boolean answered() {
        return this == READ || atomic();
    }

    /** Returns whether a server posts it too, towards the client. */
    boolean reversible(PerfMode mode) {
        return mode == PerfMode.BANDWIDTH && (this == SEND || this == WRITE);
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return text;
    }
}
