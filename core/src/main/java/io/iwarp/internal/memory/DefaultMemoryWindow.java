package io.iwarp.internal.memory;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.memory.RemoteBuffer;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A window: a tagged buffer over part of the memory of its region. */
public final class DefaultMemoryWindow implements MemoryWindow, STagHolder {
    private final DefaultMemoryRegion region;
    private final @Nullable StreamAssociation stream;
    private final TaggedBuffer tagged;
    private final AtomicBoolean retired = new AtomicBoolean();

    DefaultMemoryWindow(DefaultMemoryRegion region, @Nullable StreamAssociation stream, TaggedBuffer tagged) {
        this.region = region;
        this.stream = stream;
        this.tagged = tagged;
    }

    @Override
    public DefaultMemoryRegion region() {
        return region;
    }

    @Override
    public int stag() {
        return tagged.stag();
    }

    @Override
    public long baseTaggedOffset() {
        return tagged.baseTaggedOffset();
    }

    @Override
    public long length() {
        return tagged.length();
    }

    @Override
    public Set<AccessRight> rights() {
        return tagged.rights().clone();
    }

    @Override
    public boolean isValid() {
        return !tagged.isRevoked();
    }

    @Override
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

    @Override
    public void close() {
        invalidate();
    }

    @Override
    public String toString() {
        return "MemoryWindow[" + tagged + (isValid() ? "" : ", invalidated") + ']';
    }
}
