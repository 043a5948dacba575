package io.iwarp.benchmarks.micro;

import io.iwarp.internal.EventLoopBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.DefaultEventExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A large buffer taken, filled, and released when some others were: of the event loop's own, or of Netty's allocator.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EventLoopBuffersBenchmark {
    private static final int BYTES = 64 * 1024;
    private static final int AT_A_TIME = 256;

    /** How many wait for the transport. */
    @Param({"1", "16"})
    int waiting;

    private final ByteBufAllocator allocator = ByteBufAllocator.DEFAULT;
    private final EventLoopBuffers buffers = new EventLoopBuffers(BYTES, 18);
    private DefaultEventExecutor loop;
    private ByteBuf[] underWay;
    private ByteBuf payload;

    /** Starts a thread like that of an event loop: others keep no buffers. */
    @Setup
    public void open() {
        loop = new DefaultEventExecutor();
        payload = Unpooled.directBuffer(BYTES).writeZero(BYTES);
        underWay = new ByteBuf[waiting];
        for (int i = 0; i < waiting; i++) {
            underWay[i] = Unpooled.EMPTY_BUFFER;
        }
    }

    /** Gives the buffers back, and ends the thread. */
    @TearDown
    public void close() {
        for (ByteBuf buffer : underWay) {
            buffer.release();
        }
        payload.release();
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** The event loop's own. */
    @Benchmark
    @OperationsPerInvocation(AT_A_TIME)
    public void warm() throws InterruptedException {
        fill(() -> buffers.take(allocator, BYTES));
    }

    /** The allocator's. */
    @Benchmark
    @OperationsPerInvocation(AT_A_TIME)
    public void allocated() throws InterruptedException {
        fill(() -> allocator.directBuffer(BYTES, BYTES));
    }

    private void fill(Supplier<ByteBuf> source) throws InterruptedException {
        loop.submit(() -> {
                    for (int i = 0; i < AT_A_TIME; i++) {
                        int place = i % waiting;
                        ByteBuf buffer = source.get().writeBytes(payload, 0, BYTES);
                        underWay[place].release();
                        underWay[place] = buffer;
                    }
                })
                .sync();
    }
}
