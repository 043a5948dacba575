package io.iwarp.tools;

/** What {@link PerfClient} measures. Each has a number, which goes over the wire. */
enum PerfOperation {
    /** Messages to receives of the server. */
    SEND(1, "send"),
    /** Bytes into the server's memory, of which its program learns nothing. */
    WRITE(2, "write"),
    /** Bytes into the server's memory and Immediate Data, of which its program learns. */
    WRITE_IMMEDIATE(3, "write-immediate"),
    /** Bytes out of the server's memory. */
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

    /** Returns the number that goes over the wire. */
    int code() {
        return code;
    }

    /**
     * Returns the operation of that number.
     *
     * @throws IllegalArgumentException if there is none
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

    /** Returns whether each uses up a receive of the server. */
    boolean usesReceives() {
        return this == SEND || this == WRITE_IMMEDIATE;
    }

    /** Returns whether it works on 64 bits, so that there is no size to choose. */
    boolean atomic() {
        return this == FETCH_ADD || this == COMPARE_SWAP;
    }

    /** Returns whether the server's bytes or numbers come back, so that its completion is an answer. */
    boolean answered() {
        return this == READ || atomic();
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return text;
    }
}
