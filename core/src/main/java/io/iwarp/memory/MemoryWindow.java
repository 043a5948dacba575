package io.iwarp.memory;

import io.iwarp.internal.memory.DefaultMemoryWindow;
import java.util.Set;

/**
 * A separate STag over part of a region, with separate rights (a memory window of type 2 in verbs).
 * {@link WindowBuilder#bind} creates it. It ends when this side invalidates it, or the peer of its stream if it is
 * bound to one stream. Binding does not register memory, so a server can grant a narrow right for one request, which
 * the client's Send with Invalidate ends.
 *
 * <p>The window needs no rights of its region. It ends at the latest when the STag of its region is invalidated.
 *
 * <p>Any thread may call any method, an event loop included.
 */
public sealed interface MemoryWindow extends AutoCloseable permits DefaultMemoryWindow {
    /** Returns the region. */
    MemoryRegion region();

    /** Returns the STag, any 32-bit value except 0. */
    int stag();

    /** Returns the tagged offset of the first byte, unsigned. */
    long baseTaggedOffset();

    /** Returns the number of bytes, at least 1. */
    long length();

    /** Returns the rights of the window. They never change, and are independent of the rights of the region. */
    Set<AccessRight> rights();

    /** Returns whether the STag is valid: the window was not invalidated. */
    boolean isValid();

    /**
     * Returns the whole window as a buffer to advertise to the peer.
     *
     * @throws RegionClosedException if the window was invalidated
     */
    RemoteBuffer remoteBuffer();

    /**
     * Invalidates the STag. When this method returns, no access by it is in progress and none can begin (RFC 5042
     * section 6.2.2). It waits for accesses in progress, each at most the copy of one segment. A further call only
     * waits.
     */
    void invalidate();

    /** Same as {@link #invalidate}: a window has no memory to release. */
    @Override
    void close();

    /** Returns STag, range, rights and state, without the bytes. */
    @Override
    String toString();
}
