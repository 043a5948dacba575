package io.iwarp.memory;

import io.iwarp.internal.memory.DefaultRegionBuilder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Sets the memory of a region, its tagged offsets, its rights and its streams, and registers it. Defaults: tagged
 * offsets from 0 on, no rights, all streams of the domain. A builder belongs to one thread.
 */
public sealed interface RegionBuilder permits DefaultRegionBuilder {
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
    RegionBuilder buffers(ByteBuf... buffers);

    /**
     * Uses the bytes of these buffers, like {@link #buffers(ByteBuf...)}.
     *
     * @param buffers at least one; the caller keeps its references
     * @return this builder
     * @throws IllegalArgumentException if a buffer cannot be registered; the message says what to do
     */
    RegionBuilder buffers(List<ByteBuf> buffers);

    /**
     * Allocates the memory when the region is registered, and sets it to zero, so that a peer cannot read previous
     * content. Its address is a multiple of 8, as atomics need it. Access it through {@link MemoryRegion#view},
     * {@link MemoryRegion#getBytes} or {@link MemoryRegion#setBytes}. It is released when the region is closed.
     *
     * @param allocator allocates direct buffers
     * @param length the number of bytes, at least 1; beyond 2^31 - 1 the memory consists of several buffers
     * @return this builder
     */
    RegionBuilder allocate(ByteBufAllocator allocator, long length);

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
    RegionBuilder file(Path file, long position, long length);

    /**
     * Sets the tagged offset of the first byte. Default 0, which reveals nothing about addresses of this process.
     *
     * @param baseTaggedOffset any value, unsigned; base plus length of the region must not be more than 2^64
     * @return this builder
     */
    RegionBuilder baseTaggedOffset(long baseTaggedOffset);

    /**
     * Sets the rights of the region. Default none. Grant only what the peer needs: a buffer that the peer only writes
     * needs only {@link AccessRight#REMOTE_WRITE} (RFC 5042 section 6.3.5).
     *
     * @param rights each right at most once; replaces the previous rights
     * @return this builder
     * @throws IllegalArgumentException if a right is named twice
     */
    RegionBuilder rights(AccessRight... rights);

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
    MemoryRegion register();
}
