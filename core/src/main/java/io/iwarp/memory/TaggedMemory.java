package io.iwarp.memory;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The memory of a region, as peers access it by an STag. Callers of the data path are inside a gate, which is closed before
 * the memory is.
 */
abstract class TaggedMemory {
    /** The number of valid STags by which peers may change the bytes. */
    private final AtomicInteger changingStags = new AtomicInteger();

    /** An STag with these rights is about to be issued. */
    final void onIssue(int rightBits) {
        if (AccessRight.changeRemotely(rightBits)) {
            changingStags.incrementAndGet();
        }
    }

    /** An STag with these rights was revoked. Called once for each. */
    final void onRetire(int rightBits) {
        if (AccessRight.changeRemotely(rightBits)) {
            changingStags.decrementAndGet();
        }
    }

    /** Returns whether a peer may change the bytes by an STag. Any thread may ask. */
    final boolean peersMayChange() {
        return changingStags.get() > 0;
    }

    /** Returns the number of bytes, at least 1. */
    abstract long length();

    /** Returns whether nobody can change the bytes. Then only {@link #fetch} is called. */
    abstract boolean isReadOnly();

    /** Copies into the memory; the caller is inside a gate. */
    abstract void place(long offset, ByteBuf src, int srcIndex, int length);

    /** Copies out of the memory; the caller is inside a gate. */
    abstract void fetch(long offset, ByteBuf dst, int dstIndex, int length);

    /** Returns whether the 8 bytes at this offset are in one piece, at an address that is a multiple of 8. */
    abstract boolean isAligned(long offset);

    /** Executes an operation on 8 aligned bytes; the caller is inside a gate. */
    abstract void execute(long offset, AtomicOperation operation);

    /** Ends changes of the memory, and waits for those in progress. May be called again. */
    void endChanges() {
        // Read-only memory has none.
    }

    /** Ends the use of the memory by the region. Called once, when all gates are closed. */
    abstract void close();
}
