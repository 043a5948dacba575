package io.iwarp.tools.perf;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Loads;
import io.iwarp.tools.cli.MeasureOptions;
import io.iwarp.tools.cli.Measurement;
import io.iwarp.tools.cli.Meter;
import io.iwarp.tools.cli.Transport;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One measurement: connects, warms up, measures, and waits until everything that was posted has arrived. */
final class PerfRun {
    /**
     * What the warm-up is divided into; fewer if an operation takes longer. A measurement's own steps come between the
     * operations on the event loops, and the first time they do, the JIT drops what it had compiled without them: the
     * better part of a second is slow then.
     */
    private static final int REHEARSALS = 20;

    private final Endpoint endpoint;
    private final PerfPlan plan;
    private final MeasureOptions options;
    private final boolean shown;
    private final Loads loads = new Loads();
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final List<PerfMemory> memories = new ArrayList<>();

    /**
     * @param options how to show it
     * @param shown whether to show it while it runs
     */
    PerfRun(Endpoint endpoint, PerfPlan plan, MeasureOptions options, boolean shown) {
        this.endpoint = endpoint;
        this.plan = plan;
        this.options = options;
        this.shown = shown;
    }

    /** Measures. The result says whether that was cut short, by Ctrl-C or by the loss of the server. */
    PerfResult run(SocketAddress server, QueuePairSettings.Builder settings, ServerUsage usage)
            throws IOException, InterruptedException {
        try {
            for (int i = 0; i < plan.connections(); i++) {
                connect(server, settings, plan.work(i));
            }
            PerfResult result = measure(usage);
            if (result.measurement().failed()) {
                queuePairs.forEach(QueuePair::abort);
            } else {
                loads.stop();
            }
            return result;
        } catch (IOException | InterruptedException | RuntimeException e) {
            queuePairs.forEach(QueuePair::abort);
            throw e;
        } finally {
            close();
        }
    }

    private PerfResult measure(ServerUsage usage) throws IOException, InterruptedException {
        boolean counted = plan.count() > 0;
        if (!counted) {
            loads.begin();
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < plan.warmup().toNanos()) {
                PerfResult rehearsal = observe(usage, null, true, plan.warmup().dividedBy(REHEARSALS));
                if (rehearsal.measurement().cutShort()) {
                    return rehearsal;
                }
            }
        }
        PerfTask task = plan.task();
        String title = task.operation() + task.direction().toString() + ", " + Bytes.size(task.size());
        return observe(usage, shown ? title : null, !counted, plan.duration());
    }

    private PerfResult observe(ServerUsage usage, @Nullable String title, boolean begun, Duration time)
            throws IOException, InterruptedException {
        MpaParameters agreed = Objects.requireNonNull(queuePairs.get(0).parameters());
        PerfUsage serverBefore = usage.now();
        PerfUsage before = PerfUsage.now(wireBytes());
        Measurement measured = loads.measure(options, title, plan.task().size(), begun, time);
        PerfUsage here = PerfUsage.now(wireBytes()).since(before);
        PerfUsage there = measured.failed() ? null : usage.now().since(serverBefore);
        String congestion = Transport.congestionControl(queuePairs.get(0).channel());
        return new PerfResult(plan, agreed, congestion, measured, measured.total(), here, there);
    }

    private long wireBytes() {
        return queuePairs.stream().mapToLong(PerfSession::wireBytes).sum();
    }

    private void connect(SocketAddress server, QueuePairSettings.Builder settings, PerfLoad.Work work)
            throws IOException, InterruptedException {
        PerfTask task = plan.task();
        PerfMemory memory = new PerfMemory(ByteBufAllocator.DEFAULT, endpoint.domain(), task, right(task));
        memories.add(memory);
        QueuePairSettings adapted = settings.sendQueueDepth(task.sends())
                .receiveQueueDepth(task.receives(true) + 1)
                .build();
        byte[] request = task.with(memory.remoteBuffer()).encode();
        QueuePair queuePair = endpoint.connect(server, adapted, request, fresh -> {});
        queuePairs.add(queuePair);
        RemoteBuffer target = RemoteBuffer.decode(PerfTask.PROTOCOL.restOfReply(queuePair, RemoteBuffer.ENCODED_LENGTH))
                .slice(0, task.size());
        Meter meter = loads.meter(queuePair.executor());
        loads.add(
                task.mode() == PerfMode.BANDWIDTH
                        ? new BandwidthLoad(queuePair, memory, target, meter, work)
                        : new LatencyLoad(queuePair, memory, target, meter, work));
    }

    private static AccessRight right(PerfTask task) {
        boolean answered = task.mode() == PerfMode.LATENCY && !task.operation().answered();
        return answered || task.direction().fromServer() ? AccessRight.REMOTE_WRITE : AccessRight.LOCAL_WRITE;
    }

    /** Closes the connections gracefully, and then their memory. */
    private void close() throws IOException, InterruptedException {
        try {
            Endpoint.close(queuePairs);
        } finally {
            memories.forEach(PerfMemory::close);
        }
    }
}
