package io.iwarp.benchmarks.micro;

import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What a request costs from the post to what is given to the socket, and on to its completion. No socket is part of it.
 */
@State(Scope.Thread)
@Fork(jvmArgsAppend = {"-Djmh.executor=CUSTOM", "-Djmh.executor.class=io.iwarp.benchmarks.micro.EventLoopThreads"})
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PostBenchmark {
    private static final int AT_A_TIME = 64;
    private static final RemoteBuffer PEERS_MEMORY = new RemoteBuffer(0x1234_5678, 0, 1 << 20);

    /** Bytes of each request's payload. */
    @Param({"64", "65536"})
    int size;

    private ProtectionDomain domain;
    private EmbeddedChannel channel;
    private QueuePair queuePair;
    private ByteBuf payload;
    private MemoryRegion region;
    private long completed;

    /** Makes a queue pair on a channel that takes everything, and needs no start-up. */
    @Setup
    public void open() {
        domain = ProtectionDomain.create();
        QueuePairSettings settings = QueuePairSettings.builder()
                .mpa(MpaSettings.builder().start(StartMode.PREAGREED).build())
                .build();
        channel = new EmbeddedChannel(IwarpChannelInitializer.initiator(
                domain,
                settings,
                new byte[0],
                fresh -> fresh.setCompletionListener((from, completion) -> {
                    if (completion.failure() != null) {
                        throw new IllegalStateException("a request failed: " + completion.failure());
                    }
                    completed++;
                })));
        queuePair = IwarpChannelInitializer.queuePair(channel);
        payload = Unpooled.directBuffer(size).writeZero(size);
        region = domain.allocate(size + AT_A_TIME);
    }

    /** Ends the stream. */
    @TearDown
    public void close() {
        queuePair.abort();
        channel.finishAndReleaseAll();
        region.close();
        domain.close();
        payload.release();
    }

    /** Posts a burst of Sends. */
    @Benchmark
    @OperationsPerInvocation(AT_A_TIME)
    public long send() {
        for (int i = 0; i < AT_A_TIME; i++) {
            queuePair.sendQueue().send(i, payload);
        }
        return drain();
    }

    /** Posts a burst of RDMA Writes. */
    @Benchmark
    @OperationsPerInvocation(AT_A_TIME)
    public long write() {
        for (int i = 0; i < AT_A_TIME; i++) {
            queuePair.sendQueue().write(i, payload, PEERS_MEMORY);
        }
        return drain();
    }

    /** Posts a burst of RDMA Writes of a region by numbers, each to another target. */
    @Benchmark
    @OperationsPerInvocation(AT_A_TIME)
    public long writeByNumbers() {
        for (int i = 0; i < AT_A_TIME; i++) {
            queuePair.sendQueue().write(i, region, i, size, PEERS_MEMORY.stag(), i, PostOptions.NONE);
        }
        return drain();
    }

    private long drain() {
        long before = completed;
        do {
            channel.runPendingTasks();
            for (Object written = channel.readOutbound(); written != null; written = channel.readOutbound()) {
                ReferenceCountUtil.release(written);
            }
        } while (completed - before < AT_A_TIME);
        return completed;
    }
}
