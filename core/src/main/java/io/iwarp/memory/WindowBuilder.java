package io.iwarp.memory;

import org.jspecify.annotations.Nullable;

/** Sets the rights and the range of a {@link MemoryWindow}, and binds it. A builder belongs to one thread. */
public final class WindowBuilder {
    private final MemoryRegion region;
    private final long offset;
    private final long length;
    private long baseTaggedOffset;
    private int rightBits;
    private @Nullable StreamAssociation stream;

    WindowBuilder(MemoryRegion region, long offset, long length) {
        this.region = region;
        this.offset = offset;
        this.length = length;
        this.stream = region.stream();
    }

    /**
     * Sets the tagged offset of the first byte. Default 0.
     *
     * @param baseTaggedOffset any value, unsigned; base plus length of the window must not be more than 2^64
     * @return this builder
     */
    public WindowBuilder baseTaggedOffset(long baseTaggedOffset) {
        this.baseTaggedOffset = baseTaggedOffset;
        return this;
    }

    /**
     * Sets the rights of the window. Default none.
     *
     * @param rights each right at most once; replaces the previous rights
     * @return this builder
     * @throws IllegalArgumentException if a right is named twice
     */
    public WindowBuilder rights(AccessRight... rights) {
        this.rightBits = AccessRight.bits(rights);
        return this;
    }

    /** Sets the only stream that may use the windows; see {@link StreamAssociation#window}. */
    WindowBuilder stream(StreamAssociation stream) {
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

    /**
     * Binds the window. Its STag, a new one, is valid from now on. The builder can be used again for another window.
     *
     * @return the window
     * @throws IllegalArgumentException if the tagged offsets would exceed 2^64, or the rights allow changes of
     *     read-only memory
     * @throws RegionClosedException if the region was invalidated or closed, or the stream was closed
     * @throws ResourceLimitException if a limit of the device is reached
     */
    public MemoryWindow bind() {
        RemoteBuffer.requireNoWrapAround(baseTaggedOffset, length);
        Quota windows = region.protectionDomain().device().windowQuota();
        windows.reserve(0);
        MemoryWindow window;
        try {
            window = region.bind(stream, rightBits, baseTaggedOffset, offset, length);
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
