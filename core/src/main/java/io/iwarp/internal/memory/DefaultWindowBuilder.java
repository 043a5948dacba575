package io.iwarp.internal.memory;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.memory.WindowBuilder;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;

/** Reserves a window of the device, and binds it. */
public final class DefaultWindowBuilder implements WindowBuilder {
    private final DefaultMemoryRegion region;
    private final long offset;
    private final long length;
    private long baseTaggedOffset;
    private EnumSet<AccessRight> rights = AccessRights.of();
    private @Nullable StreamAssociation stream;

    DefaultWindowBuilder(DefaultMemoryRegion region, long offset, long length) {
        this.region = region;
        this.offset = offset;
        this.length = length;
        this.stream = region.stream();
    }

    @Override
    public DefaultWindowBuilder baseTaggedOffset(long baseTaggedOffset) {
        this.baseTaggedOffset = baseTaggedOffset;
        return this;
    }

    @Override
    public DefaultWindowBuilder rights(AccessRight... rights) {
        this.rights = AccessRights.of(rights);
        return this;
    }

    /** Sets the only stream that may use the windows; see {@link StreamAssociation#window}. */
    DefaultWindowBuilder stream(StreamAssociation stream) {
        if (stream.protectionDomain() != region.protectionDomain()) {
            throw new IllegalArgumentException("cannot bind the window: the stream and the region belong to"
                    + " different protection domains, so the peer could not access it; create the server, client or"
                    + " connection with the domain of the region");
        }
        if (region.stream() != null && region.stream() != stream) {
            throw new IllegalArgumentException(
                    "the region was registered for another stream alone, whose peer could end"
                            + " this window by invalidating the region; bind the window in a region of all streams");
        }
        this.stream = stream;
        return this;
    }

    @Override
    public DefaultMemoryWindow bind() {
        TaggedBuffer.requireNoWrapAround(baseTaggedOffset, length);
        Quota windows = region.protectionDomain().device().windowQuota();
        windows.reserve(0);
        DefaultMemoryWindow window;
        try {
            window = region.bind(stream, rights, baseTaggedOffset, offset, length);
        } catch (Throwable e) {
            windows.release(0);
            throw e;
        }
        if (!window.tieToStream()) {
            window.invalidate();
            throw new RegionClosedException("the stream was closed; bind the window for an open stream");
        }
        return window;
    }
}
