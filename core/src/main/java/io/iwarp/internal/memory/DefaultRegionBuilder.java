package io.iwarp.internal.memory;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.RegionBuilder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What regions are registered with. {@link #register} checks the buffers again, which may have changed. */
public final class DefaultRegionBuilder implements RegionBuilder {
    /** Allocated memory that is too long for one buffer is split into buffers of this many bytes. */
    private static final int PIECE_LENGTH = 1 << 30;

    private final DefaultProtectionDomain domain;
    private @Nullable MemorySource source;
    private long baseTaggedOffset;
    private EnumSet<AccessRight> rights = AccessRights.of();
    private @Nullable StreamAssociation stream;

    DefaultRegionBuilder(DefaultProtectionDomain domain) {
        this.domain = domain;
    }

    @Override
    public DefaultRegionBuilder buffers(ByteBuf... buffers) {
        return buffers(List.of(buffers));
    }

    @Override
    public DefaultRegionBuilder buffers(List<ByteBuf> buffers) {
        this.source = new MemorySource.Buffers(buffers);
        return this;
    }

    @Override
    public DefaultRegionBuilder allocate(ByteBufAllocator allocator, long length) {
        return allocate(allocator, length, length <= Integer.MAX_VALUE ? (int) length : PIECE_LENGTH);
    }

    /** Allocates in pieces of at most this many bytes. */
    DefaultRegionBuilder allocate(ByteBufAllocator allocator, long length, int maxPiece) {
        this.source = new MemorySource.Allocation(allocator, length, maxPiece);
        return this;
    }

    @Override
    public DefaultRegionBuilder file(Path file, long position, long length) {
        this.source = new MemorySource.FilePart(file, position, length);
        return this;
    }

    @Override
    public DefaultRegionBuilder baseTaggedOffset(long baseTaggedOffset) {
        this.baseTaggedOffset = baseTaggedOffset;
        return this;
    }

    @Override
    public DefaultRegionBuilder rights(AccessRight... rights) {
        this.rights = AccessRights.of(rights);
        return this;
    }

    /** Sets the only stream that may use the regions; see {@link StreamAssociation#region}. */
    DefaultRegionBuilder stream(StreamAssociation stream) {
        if (stream.protectionDomain() != domain) {
            throw new IllegalArgumentException(
                    "the stream belongs to another protection domain; register the region in "
                            + "the domain of the stream");
        }
        this.stream = stream;
        return this;
    }

    @Override
    public DefaultMemoryRegion register() {
        MemorySource from = source;
        if (from == null) {
            throw new IllegalStateException(
                    "a region needs memory; call file(), buffers() or allocate() before register()");
        }
        long length = from.length();
        TaggedBuffer.requireNoWrapAround(baseTaggedOffset, length);
        if (from.isReadOnly()) {
            AccessRights.requireReadOnly(rights);
        }
        return DefaultMemoryRegion.register(domain, stream, rights, baseTaggedOffset, length, from::acquire);
    }
}
