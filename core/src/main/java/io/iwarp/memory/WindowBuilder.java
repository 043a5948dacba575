package io.iwarp.memory;

import org.jspecify.annotations.Nullable;

/** Says what a {@link MemoryWindow} grants, and binds it. A builder belongs to one thread. */
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
     * The tagged offset of the first byte. Default 0.
     *
     * @param baseTaggedOffset any value, unsigned; base plus length of the window must not be more than 2^64
     * @return this builder
     */
    public WindowBuilder baseTaggedOffset(long baseTaggedOffset) {
        this.baseTaggedOffset = baseTaggedOffset;
        return this;
    }

    /**
     * What may be done to the window through its STag. Default nothing.
     *
     * @param rights each right at most once; replaces what was named before
     * @return this builder
     * @throws IllegalArgumentException if a right is named twice
     */
    public WindowBuilder rights(AccessRight... rights) {
        this.rightBits = AccessRight.bits(rights);
        return this;
    }

    /**
     * Restricts the window to one stream, whose peer can then take it back with a Send with Invalidate. Default the stream
     * of the region, or all streams of the domain if the region has none. When the stream is closed, the window is
     * invalidated.
     *
     * @param stream an open stream of the region's domain; the stream of the region if that was registered for one alone,
     *     as that stream's peer may take the region back and would take windows of others with it (RFC 5040 section 8.1.1
     *     rule 7)
     * @return this builder
     * @throws IllegalArgumentException if it is another stream
     */
    public WindowBuilder stream(StreamAssociation stream) {
        if (stream.protectionDomain() != region.protectionDomain()) {
            throw new IllegalArgumentException("the stream belongs to another protection domain than the region;"
                    + " bind windows for it in a region of its own domain");
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
     * Binds the window: from now on its STag, a new one, can be used. The builder can be used again for another window.
     *
     * @return the window
     * @throws IllegalArgumentException if tagged offsets would go past 2^64
     * @throws RegistrationEndedException if the region was invalidated or closed, or the stream was closed
     * @throws ResourceLimitException if a limit of the device is reached
     */
    public MemoryWindow bind() {
        TaggedRange.requireEnds(baseTaggedOffset, length);
        IwarpDevice device = region.protectionDomain().device();
        device.reserveWindow();
        MemoryWindow window;
        try {
            window = region.bind(stream, rightBits, baseTaggedOffset, offset, length);
        } catch (RuntimeException | Error e) {
            device.unreserveWindow();
            throw e;
        }
        if (!window.tieToStream()) {
            window.invalidate();
            throw new RegistrationEndedException("the stream was closed; a window for it would be of no use");
        }
        return window;
    }
}
