package io.iwarp.memory;

import io.netty.buffer.ByteBuf;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory for the answer to an RDMA Read, lent by a {@link SinkPool}. Its reference count is 1 when it is lent.
 * The last {@link #release} returns it to the pool, and nobody must use it after that. A posted Read holds a reference of its
 * own until its completion.
 */
public final class Sink extends AbstractReferenceCounted {
    private static final ResourceLeakDetector<Sink> LEAKS =
            ResourceLeakDetectorFactory.instance().newResourceLeakDetector(Sink.class);

    private final SinkSlab slab;
    private final int offset;
    private final int length;
    private final Consumer<Sink> takeBack;
    private final @Nullable ResourceLeakTracker<Sink> leak;

    /** @param takeBack is given the sink when it is released */
    Sink(SinkSlab slab, int offset, int length, Consumer<Sink> takeBack) {
        this.slab = slab;
        this.offset = offset;
        this.length = length;
        this.takeBack = takeBack;
        this.leak = LEAKS.track(this);
    }

    SinkSlab slab() {
        return slab;
    }

    /** Returns the region that the sink is a part of. Other sinks are parts of it as well. */
    public MemoryRegion region() {
        return slab.region();
    }

    /** Returns where the sink begins, in bytes from the beginning of its region. */
    public long offset() {
        return offset;
    }

    /** Returns the number of bytes, at least 1. */
    public int length() {
        return length;
    }

    /**
     * Returns a new buffer over the bytes of the sink, all of them readable. It does not hold a reference to the sink: do not
     * use it after the release.
     */
    public ByteBuf buffer() {
        return slab.region().memory().buffer(0).slice(offset, length);
    }

    @Override
    public Sink touch(Object hint) {
        if (leak != null) {
            leak.record(hint);
        }
        return this;
    }

    @Override
    protected void deallocate() {
        if (leak != null) {
            leak.close(this);
        }
        takeBack.accept(this);
    }

    @Override
    public String toString() {
        return "Sink[" + length + " bytes at offset " + offset + " of " + slab.region() + ']';
    }
}
