package io.iwarp.internal.memory;

import io.iwarp.memory.AccessRight;
import io.netty.buffer.ByteBuf;
import java.util.EnumSet;

/**
 * The memory of a region, as peers access it by an STag. Callers of the data path are inside a gate, which is closed
 * before the memory is.
 */
interface TaggedMemory {
    /** Returns the number of bytes, at least 1. */
    long length();

    /**
     * Returns whether the bytes cannot be changed. If so, no STag with write access is issued, and only {@link #fetch}
     * is called.
     */
    boolean isReadOnly();

    /** An STag with these rights is about to be issued. */
    void onIssue(EnumSet<AccessRight> rights);

    /** An STag with these rights was revoked. Called once for each. */
    void onRetire(EnumSet<AccessRight> rights);

    /** Copies into the memory; the caller is inside a gate. */
    void place(long offset, ByteBuf src, int srcIndex, int length);

    /** Copies out of the memory; the caller is inside a gate. */
    void fetch(long offset, ByteBuf dst, int dstIndex, int length);

    /** Returns whether the 8 bytes at this offset are in one piece, at an address that is a multiple of 8. */
    boolean isAligned(long offset);

    /** Returns the address of the byte at this offset modulo 8. */
    int misalignment(long offset);

    /** Executes an operation on 8 aligned bytes; the caller is inside a gate. */
    void execute(long offset, AtomicOperation operation);

    /** Ends changes of the memory, and waits for those in progress. May be called again. */
    void endChanges();

    /** Ends the use of the memory by the region. Called once, when all gates are closed. */
    void close();
}
