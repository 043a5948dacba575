package io.iwarp.internal.memory;

import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/**
 * Part of a region as one buffer. It refers to its region, so that a post of it, or of a slice, duplicate or read-only
 * view of it, can determine whether peers may change the bytes.
 */
final class RegionBuffer extends CompositeByteBuf {
    final RegionMemory memory;

    RegionBuffer(RegionMemory memory) {
        super(UnpooledByteBufAllocator.DEFAULT, true, Integer.MAX_VALUE);
        this.memory = memory;
    }
}
