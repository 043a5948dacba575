package io.iwarp.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sets the memory of a region, its tagged offsets, its rights and its streams, and registers it. Defaults: tagged
 * offsets from 0 on, no rights, all streams of the domain. A builder belongs to one thread.
 */
public final class RegionBuilder {
    /** Allocated memory that is too long for one buffer is split into buffers of this many bytes. */
    private static final int PIECE_LENGTH = 1 << 30;

    private final ProtectionDomain domain;
    private @Nullable MemorySource source;
    private long baseTaggedOffset;
    private int rightBits;
    private @Nullable StreamAssociation stream;

    RegionBuilder(ProtectionDomain domain) {
        this.domain = domain;
    }

    /**
     * Uses the bytes of these buffers, one buffer after the other, each from index 0 to its capacity.
     *
     * <p>Each must be a direct buffer of one piece. For a composite buffer, pass its components. The region retains
     * each buffer, and releases it when it is closed. Until then do not change the capacity of a buffer.
     *
     * <p>If a buffer is read-only, peers can only read the region: {@link AccessRight#REMOTE_READ} is the only right
     * that it can have, and it cannot be the sink of a receive.
     *
     * @param buffers at least one; the caller keeps its references
     * @return this builder
     * @throws IllegalArgumentException if a buffer cannot be registered; the message says what to do
     */
    public RegionBuilder buffers(ByteBuf... buffers) {
        return buffers(List.of(buffers));
    }

    /**
     * Uses the bytes of these buffers, like {@link #buffers(ByteBuf...)}.
     *
     * @param buffers at least one; the caller keeps its references
     * @return this builder
     * @throws IllegalArgumentException if a buffer cannot be registered; the message says what to do
     */
    public RegionBuilder buffers(List<ByteBuf> buffers) {
        this.source = new MemorySource.Buffers(buffers);
        return this;
    }

    /**
     * Allocates the memory when the region is registered, and sets it to zero, so that a peer cannot read previous
     * content. Its address is a multiple of 8, as atomics need it. Access it through {@link MemoryRegion#view},
     * {@link MemoryRegion#getBytes} or {@link MemoryRegion#setBytes}. It is released when the region is closed.
     *
     * @param allocator allocates direct buffers
     * @param length the number of bytes, at least 1; beyond 2^31 - 1 the memory consists of several buffers
     * @return this builder
     */
    public RegionBuilder allocate(ByteBufAllocator allocator, long length) {
        return allocate(allocator, length, length <= Integer.MAX_VALUE ? (int) length : PIECE_LENGTH);
    }

    /** Allocates in pieces of at most this many bytes. */
    RegionBuilder allocate(ByteBufAllocator allocator, long length, int maxPiece) {
        this.source = new MemorySource.Allocation(allocator, length, maxPiece);
        return this;
    }

    /**
     * Lets peers read part of a file: {@link AccessRight#REMOTE_READ} is the only right that the region can have. The
     * file is opened when the region is registered, and closed when the region is closed. No memory is mapped or held.
     *
     * <p>Do not change the file while the region is open. If it was truncated, a Read beyond its end ends the stream
     * with an error; it never returns other bytes. It may be deleted where the operating system allows this for open
     * files.
     *
     * <p>Event loops read the file while they respond to Reads, so it should be in the page cache or on a fast disk. If
     * an event loop is interrupted meanwhile, Java closes the file, and later Reads of the region end their streams.
     * This side reads the file itself: the region has no local access, and cannot be the source of a Send or Write or
     * the sink of a receive.
     *
     * @param file a file; of any length
     * @param position where the region begins, in bytes from the beginning of the file, at least 0
     * @param length the number of bytes, at least 1; the file must have them when the region is registered
     * @return this builder
     */
    public RegionBuilder file(Path file, long position, long length) {
        this.source = new MemorySource.FilePart(file, position, length);
        return this;
    }

    /**
     * Sets the tagged offset of the first byte. Default 0, which reveals nothing about addresses of this process.
     *
     * @param baseTaggedOffset any value, unsigned; base plus length of the region must not be more than 2^64
     * @return this builder
     */
    public RegionBuilder baseTaggedOffset(long baseTaggedOffset) {
        this.baseTaggedOffset = baseTaggedOffset;
        return this;
    }

    /**
     * Sets the rights of the region. Default none. Grant only what the peer needs: a buffer that the peer only writes
     * needs only {@link AccessRight#REMOTE_WRITE} (RFC 5042 section 6.3.5).
     *
     * @param rights each right at most once; replaces the previous rights
     * @return this builder
     * @throws IllegalArgumentException if a right is named twice
     */
    public RegionBuilder rights(AccessRight... rights) {
        this.rightBits = AccessRight.bits(rights);
        return this;
    }

    /** Sets the only stream that may use the regions; see {@link StreamAssociation#region}. */
    RegionBuilder stream(StreamAssociation stream) {
        if (stream.protectionDomain() != domain) {
            throw new IllegalArgumentException(
                    "the stream belongs to another protection domain; register the region in "
                            + "the domain of the stream");
        }
        this.stream = stream;
        return this;
    }

    /**
     * Registers the region. The builder can be used again for another region.
     *
     * @return the region, to be closed by the caller
     * @throws IllegalArgumentException if the tagged offsets would exceed 2^64, a buffer cannot be registered any more,
     *     or the rights allow changes of read-only memory, or the file is too short
     * @throws UncheckedIOException if the file cannot be opened
     * @throws RegionClosedException if the stream it is for was closed, or its domain
     * @throws IllegalStateException if no memory was named, or it is for all streams and the domain was closed
     * @throws ResourceLimitException if a limit of the domain or the device is reached
     */
    public MemoryRegion register() {
        MemorySource from = source;
        if (from == null) {
            throw new IllegalStateException(
                    "a region needs memory; call file(), buffers() or allocate() before register()");
        }
        long length = from.length();
        RemoteBuffer.requireNoWrapAround(baseTaggedOffset, length);
        if (from.isReadOnly()) {
            AccessRight.requireReadOnlyRights(rightBits);
        }
        return MemoryRegion.register(domain, stream, rightBits, baseTaggedOffset, length, from::acquire);
    }
}
