package io.iwarp.memory;

import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An STag of its own over part of a region, with rights of its own (a memory window of the verbs, type 2). It begins when it
 * is bound with {@link WindowBuilder#bind} and ends when it is invalidated, by this side or, if it is bound to one stream,
 * by that stream's peer. Binding registers nothing: a server can hand out a narrow right for one request, and have the
 * client's Send with Invalidate take it back.
 *
 * <p>The window needs no rights of its region. It ends at the latest when the STag of its region is taken back.
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

    /** The region of which it shows a part. */
    public MemoryRegion region() {
        return region;
    }

    /** The STag: any 32-bit value but 0. */
    @Override
    public int stag() {
        return tagged.stag();
    }

    /** The tagged offset of the first byte, unsigned. */
    public long baseTaggedOffset() {
        return tagged.baseTaggedOffset();
    }

    /** The number of bytes, at least 1. */
    public long length() {
        return tagged.length();
    }

    /** What may be done to the window through its STag; cannot be changed, and need not be among the rights of the region. */
    public Set<AccessRight> rights() {
        return AccessRight.ofBits(tagged.rightBits());
    }

    /** Whether the STag can be used: the window was not invalidated. */
    public boolean isValid() {
        return !tagged.isRevoked();
    }

    /**
     * The whole window, as a peer is told of it.
     *
     * @throws RegistrationEndedException if the window was invalidated
     */
    public RemoteBuffer remoteBuffer() {
        if (!isValid()) {
            throw new RegistrationEndedException(String.format(
                    Locale.ROOT, "window STag 0x%08x was invalidated; bind another one for a new STag", stag()));
        }
        return new RemoteBuffer(stag(), baseTaggedOffset(), length());
    }

    /**
     * Makes the stream of the window know it, if it is for one alone. The region may have been taken back since the window
     * was bound, and the window with it; then the stream forgets it again. A revocation comes before the lock that the
     * stream is told under, so either this sees it, or the stream is told to forget the window after this.
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
     * Takes the STag back. When this method returns, no access by it is in progress and none begins (RFC 5042 section
     * 6.2.2). Calling it again does nothing but the waiting for accesses in progress, each at most the copy of one segment.
     */
    @Override
    public void invalidate() {
        tagged.revoke();
        if (retired.compareAndSet(false, true)) {
            region.protectionDomain().device().retire(tagged);
            region.detach(this);
            if (stream != null) {
                stream.detach(this);
            }
            region.protectionDomain().device().unreserveWindow();
        }
    }

    /** As {@link #invalidate}: a window has nothing else to give back. */
    @Override
    public void close() {
        invalidate();
    }

    /** STag, range, rights and state; the bytes themselves do not appear. */
    @Override
    public String toString() {
        return "MemoryWindow[" + tagged + (isValid() ? "" : ", invalidated") + ']';
    }
}
