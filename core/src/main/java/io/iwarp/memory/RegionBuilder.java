package io.iwarp.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sets the memory of a region, its tagged offsets, its rights and its streams, and registers it. Defaults: tagged
 * offsets from 0 on, no rights, all streams of the domain. A builder belongs to one thread.
 */
public final class RegionBuilder {
    /** Allocated memory that is too long for one buffer is split into buffers of this many bytes. */
    private static final int PIECE_LENGTH = 1 << 30;

    private final ProtectionDomain domain;
    private List<ByteBuf> buffers = List.of();
    private @Nullable ByteBufAllocator allocator;
    private long allocatedLength;
    private int maximumPiece = PIECE_LENGTH;
    private long baseTaggedOffset;
    private int rightBits;
    private @Nullable StreamAssociation stream;

    RegionBuilder(ProtectionDomain domain) {
        this.domain = domain;
    }

    /**
     * Uses the bytes of these buffers, one buffer after the other, each from index 0 to its capacity.
     *
     * <p>Each must be a direct buffer of one piece. For a composite buffer, pass its components. The region retains each
     * buffer, and releases it when it is closed. Until then do not change the capacity of a buffer.
     *
     * <p>If a buffer is read-only, peers can only read the region: {@link AccessRight#REMOTE_READ} is the only right that
     * it can have, and it cannot be the sink of a receive.
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
        List<ByteBuf> copy = List.copyOf(buffers);
        if (copy.isEmpty()) {
            throw new IllegalArgumentException("a region needs memory; pass at least one buffer");
        }
        copy.forEach(RegionBuilder::requireUsable);
        this.buffers = copy;
        this.allocator = null;
        return this;
    }

    /**
     * Allocates the memory when the region is registered, and sets it to zero, so that a peer cannot read previous content.
     * Its address is a multiple of 8, as atomics need it. Access it through {@link MemoryRegion#span}. It is released
     * when the region is closed.
     *
     * @param allocator allocates direct buffers
     * @param length the number of bytes, at least 1; beyond 2^31 - 1 the memory consists of several buffers
     * @return this builder
     */
    public RegionBuilder allocate(ByteBufAllocator allocator, long length) {
        Objects.requireNonNull(allocator, "allocator");
        if (length < 1) {
            throw new IllegalArgumentException("a region has at least 1 byte, not " + length);
        }
        this.buffers = List.of();
        this.allocator = allocator;
        this.allocatedLength = length;
        this.maximumPiece = length <= Integer.MAX_VALUE ? (int) length : PIECE_LENGTH;
        return this;
    }

    /** Allocates in pieces of at most this many bytes. */
    RegionBuilder allocate(ByteBufAllocator allocator, long length, int maximumPiece) {
        allocate(allocator, length);
        this.maximumPiece = maximumPiece;
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
     * Sets the rights of the region. Default none. Grant only what the peer needs: a buffer that the peer only writes needs
     * only {@link AccessRight#REMOTE_WRITE} (RFC 5042 section 6.3.5).
     *
     * @param rights each right at most once; replaces the previous rights
     * @return this builder
     * @throws IllegalArgumentException if a right is named twice
     */
    public RegionBuilder rights(AccessRight... rights) {
        this.rightBits = AccessRight.bits(rights);
        return this;
    }

    /**
     * Restricts the STag to one stream. Default all streams of the domain. The peer can invalidate only such an STag
     * (RFC 5040 section 8.1.1 rule 7). When the stream is closed, the region is invalidated.
     *
     * @param stream an open stream of the same domain
     * @return this builder
     * @throws IllegalArgumentException if the stream belongs to another domain
     */
    public RegionBuilder stream(StreamAssociation stream) {
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
     * @throws IllegalArgumentException if the tagged offsets would exceed 2^64, a buffer cannot be registered any more, or
     *     the rights allow changes of read-only memory
     * @throws RegistrationEndedException if the stream it is for was closed
     * @throws IllegalStateException if no memory was named, or the domain was closed
     * @throws ResourceLimitException if a limit of the domain or the device is reached
     */
    public MemoryRegion register() {
        long length = requireLength();
        TaggedRange.requireEnds(baseTaggedOffset, length);
        if (buffers.stream().anyMatch(ByteBuf::isReadOnly)) {
            AccessRight.requireReadable(rightBits);
        }
        domain.admitRegion(length);
        MemoryRegion region;
        try {
            region = issue(acquirePieces(), length);
        } catch (RuntimeException | Error e) {
            domain.dismissRegion(length);
            throw e;
        }
        if (stream != null && !stream.attach(region)) {
            region.close();
            throw new RegistrationEndedException("the stream was closed; register the region for an open stream");
        }
        return region;
    }

    /** Creates the region, which takes over the references to its pieces. Releases them on an exception. */
    private MemoryRegion issue(List<ByteBuf> pieces, long length) {
        try {
            RegionMemory memory = new RegionMemory(pieces);
            TaggedBuffer tagged = domain.device().issue(domain, stream, rightBits, baseTaggedOffset, memory, 0, length);
            return new MemoryRegion(domain, stream, tagged, memory);
        } catch (RuntimeException | Error e) {
            pieces.forEach(ByteBuf::release);
            throw e;
        }
    }

    private long requireLength() {
        if (allocator != null) {
            return allocatedLength;
        }
        if (buffers.isEmpty()) {
            throw new IllegalStateException("a region needs memory; call buffers() or allocate() before register()");
        }
        long length = 0;
        for (ByteBuf buffer : buffers) {
            requireUsable(buffer);
            length += buffer.capacity();
        }
        return length;
    }

    /** Takes one reference to each buffer, or throws and takes none. */
    private List<ByteBuf> acquirePieces() {
        List<ByteBuf> pieces = new ArrayList<>();
        try {
            if (allocator != null) {
                for (long left = allocatedLength; left > 0; left -= maximumPiece) {
                    pieces.add(allocateZeroed(allocator, (int) Math.min(left, maximumPiece)));
                }
            }
            for (ByteBuf buffer : buffers) {
                pieces.add(buffer.retain());
            }
            return pieces;
        } catch (RuntimeException | Error e) {
            pieces.forEach(ByteBuf::release);
            throw e;
        }
    }

    private static ByteBuf allocateZeroed(ByteBufAllocator allocator, int length) {
        ByteBuf buffer = allocator.directBuffer(length, length);
        if (misalignment(buffer) != 0) {
            buffer.release();
            ByteBuf roomy = allocator.directBuffer(length + AtomicOperation.LENGTH, length + AtomicOperation.LENGTH);
            buffer = roomy.slice(AtomicOperation.LENGTH - misalignment(roomy), length);
        }
        return buffer.setZero(0, length);
    }

    private static int misalignment(ByteBuf buffer) {
        return buffer.nioBuffer(0, 1).alignmentOffset(0, AtomicOperation.LENGTH);
    }

    private static void requireUsable(ByteBuf buffer) {
        String complaint = null;
        if (buffer.refCnt() == 0) {
            complaint = "was released; pass a buffer that you hold a reference to";
        } else if (!buffer.isDirect()) {
            complaint = "is not a direct buffer; take one from ByteBufAllocator.directBuffer()";
        } else if (buffer.capacity() == 0) {
            complaint = "is empty; pass a buffer with a capacity of at least 1 byte";
        } else if (buffer.nioBufferCount() != 1) {
            complaint = "is made of several pieces; pass each piece as a buffer of its own";
        }
        if (complaint != null) {
            throw new IllegalArgumentException("cannot register " + buffer + ": it " + complaint);
        }
    }
}
