package io.iwarp.memory;

import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

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
public final class MemoryWindow implements STagHolder, AutoCloseable {
    private final MemoryRegion region;
    private final @Nullable StreamAssociation stream;
    private final TaggedBuffer tagged;
    private final AtomicBoolean retired = new AtomicBoolean();

    MemoryWindow(MemoryRegion region, @Nullable StreamAssociation stream, TaggedBuffer tagged) {
        this.region = region;
        this.stream = stream;
        this.tagged = tagged;
    }

    /** Returns the region. */
    public MemoryRegion region() {
        return region;
    }

    /** Returns the STag, any 32-bit value except 0. */
    @Override
    public int stag() {
        return tagged.stag();
    }

    /** Returns the tagged offset of the first byte, unsigned. */
    public long baseTaggedOffset() {
        return tagged.baseTaggedOffset();
    }

    /** Returns the number of bytes, at least 1. */
    public long length() {
        return tagged.length();
    }

    /** Returns the rights of the window. They never change, and are independent of the rights of the region. */
    public Set<AccessRight> rights() {
        return AccessRight.ofBits(tagged.rightBits());
    }

    /** Returns whether the STag is valid: the window was not invalidated. */
    public boolean isValid() {
        return !tagged.isRevoked();
    }

    /**
     * Returns the whole window as a buffer to advertise to the peer.
     *
     * @throws RegionClosedException if the window was invalidated
     */
    public RemoteBuffer remoteBuffer() {
        if (!isValid()) {
            throw new RegionClosedException(String.format(
                    Locale.ROOT, "window STag 0x%08x was invalidated; bind another one for a new STag", stag()));
        }
        return new RemoteBuffer(stag(), baseTaggedOffset(), length());
    }

    /**
     * Ties the window to its stream, if it is for one stream only. The region, and with it the window, may have been
     * invalidated after the bind. In that case the stream removes it again: a revocation happens before the lock of the
     * stream is taken to remove the window, so either this method sees the revocation, or the stream removes the window
     * afterwards.
     *
     * @return false if the stream was closed
     */
    boolean tieToStream() {
        if (stream == null) {
            return true;
        }
        boolean open = stream.attach(this);
        if (!isValid()) {
            stream.detach(this);
        }
        return open;
    }

    /**
     * Invalidates the STag. When this method returns, no access by it is in progress and none can begin (RFC 5042
     * section 6.2.2). It waits for accesses in progress, each at most the copy of one segment. A further call only
     * waits.
     */
    @Override
    public void invalidate() {
        tagged.revoke();
        if (retired.compareAndSet(false, true)) {
            region.protectionDomain().stags().retire(tagged);
            region.detach(this);
            if (stream != null) {
                stream.detach(this);
            }
            region.protectionDomain().device().windowQuota().release(0);
        }
    }

    /** Same as {@link #invalidate}: a window has no memory to release. */
    @Override
    public void close() {
        invalidate();
    }

    /** Returns STag, range, rights and state, without the bytes. */
    @Override
    public String toString() {
        return "MemoryWindow[" + tagged + (isValid() ? "" : ", invalidated") + ']';
    }
}
