package io.iwarp.tools.perf;

import java.util.Locale;

/** The operations that {@link PerfClient} measures, in the order of their numbers on the wire. */
enum PerfOperation {
    /** Messages to receives of the server. */
    SEND,
    /** Writes to the server's memory, without a notification of its program. */
    WRITE,
    /** Writes to the server's memory with Immediate Data, which notifies its program. */
    WRITE_IMMEDIATE,
    /** Reads of the server's memory. */
    READ,
    /** FetchAdds on 64 bits of the server's memory. */
    FETCH_ADD,
    /** CmpSwaps on 64 bits of the server's memory. */
    COMPARE_SWAP;

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
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
