package io.iwarp.benchmarks.micro;

import io.iwarp.internal.memory.AccessVerdict;
import io.iwarp.internal.memory.AtomicOperation;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.memory.TaggedBuffer;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What registered memory costs for each access of a peer: the lookup of its STag, the checks, the placement, the
 * atomics.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MemoryBenchmark {
    private static final int REGION_BYTES = 4096;
    private static final int PLACED_BYTES = 64;
    private static final long NO_MASK = 0;
    private static final long EVERY_OTHER_BYTE = 0x8000_8000_8000_8000L;

    /** How many regions are registered. */
    @Param({"1", "100000"})
    int regions;

    private final AtomicOperation atomic = new AtomicOperation();
    private ProtectionDomain domain;
    private StreamAssociation stream;
    private MemoryRegion[] registered;
    private ByteBuf memory;
    private ByteBuf payload;
    private TaggedBuffer first;
    private int next;

    /** Registers the regions; all lie in the same memory. */
    @Setup
    public void open() {
        domain = ProtectionDomain.create();
        stream = StreamAssociation.open(domain);
        memory = PooledByteBufAllocator.DEFAULT.directBuffer(REGION_BYTES).writeZero(REGION_BYTES);
        payload = Unpooled.directBuffer(PLACED_BYTES).writeZero(PLACED_BYTES);
        registered = new MemoryRegion[regions];
        for (int i = 0; i < regions; i++) {
            registered[i] = domain.register(
                    memory, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC);
        }
        first = stream.lookup(registered[0].stag());
    }

    /** Takes all back. */
    @TearDown
    public void close() {
        for (MemoryRegion region : registered) {
            region.close();
        }
        stream.close();
        domain.close();
        memory.release();
        payload.release();
    }

    /** Finds a region by its STag, another each time. */
    @Benchmark
    public TaggedBuffer lookup() {
        next = next + 1 < regions ? next + 1 : 0;
        return stream.lookup(registered[next].stag());
    }

    /** Does all that a segment of an RDMA Write with 64 bytes needs: lookup, checks, placement. */
    @Benchmark
    public boolean place() {
        MemoryRegion region = registered[0];
        TaggedBuffer buffer = stream.lookup(region.stag());
        AccessVerdict verdict = buffer.check(stream, AccessRight.REMOTE_WRITE, region.baseTaggedOffset(), PLACED_BYTES);
        return verdict == AccessVerdict.GRANTED && buffer.place(region.baseTaggedOffset(), payload, 0, PLACED_BYTES);
    }

    /** Adds to a number of a peer's. */
    @Benchmark
    public long fetchAdd() {
        first.execute(registered[0].baseTaggedOffset(), atomic.fetchAdd(1, NO_MASK));
        return atomic.original();
    }

    /** Adds to four counters of 16 bits in one number, whose carries a mask keeps apart. */
    @Benchmark
    public long maskedFetchAdd() {
        first.execute(registered[0].baseTaggedOffset(), atomic.fetchAdd(1, EVERY_OTHER_BYTE));
        return atomic.original();
    }

    /** Compares and replaces all 64 bits. */
    @Benchmark
    public long compareSwap() {
        first.execute(registered[0].baseTaggedOffset(), atomic.compareSwap(1, -1, 0, -1));
        return atomic.original();
    }
}
