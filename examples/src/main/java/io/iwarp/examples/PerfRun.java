package io.iwarp.examples;

import com.sun.management.OperatingSystemMXBean;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** One measurement: connects, warms up, measures, and waits until everything that was posted has arrived. */
final class PerfRun {
    private static final Duration A_WHILE = Duration.ofMillis(200);
    private static final int SPARE_REQUESTS = 2;

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Endpoint endpoint;
    private final PerfPlan plan;
    private final Progress progress;
    private final List<PerfLoad> loads = new ArrayList<>();
    private final Map<EventLoop, PerfMeter> meters = new HashMap<>();
    private final CompletableFuture<Void> failed = new CompletableFuture<>();

    /**
     * @param progress moved while time passes
     */
    PerfRun(Endpoint endpoint, PerfPlan plan, Progress progress) {
        this.endpoint = endpoint;
        this.plan = plan;
        this.progress = progress;
    }

    /** Measures. */
    PerfResult run(SocketAddress server, QueuePairSettings.Builder settings)
            throws IOException, InterruptedException, CommandFailedException {
        try {
            for (int i = 0; i < plan.connections(); i++) {
                connect(server, settings);
            }
            MpaParameters agreed =
                    Objects.requireNonNull(loads.get(0).queuePair().parameters());
            loads.forEach(PerfLoad::begin);
            pause(plan.warmup());
            long cpuAtBegin = system.getProcessCpuTime();
            onEachLoop(PerfMeter::begin);
            long before = operations();
            pause(plan.duration());
            awaitOperation(before);
            List<PerfSlice> slices = new ArrayList<>();
            onEachLoop(meter -> slices.add(meter.end()));
            long cpuNanos = system.getProcessCpuTime() - cpuAtBegin;
            loads.forEach(PerfLoad::stop);
            for (PerfLoad load : loads) {
                Endpoint.await(load.finished());
            }
            return PerfResult.of(plan, agreed, slices, cpuNanos);
        } finally {
            for (PerfLoad load : loads) {
                load.close();
            }
        }
    }

    private void connect(SocketAddress server, QueuePairSettings.Builder settings)
            throws IOException, InterruptedException, CommandFailedException {
        PerfTask task = plan.task();
        PerfMemory memory = new PerfMemory(endpoint.domain(), task, right(task));
        QueuePair queuePair;
        RemoteBuffer target;
        try {
            QueuePairSettings adapted = settings.sendQueueDepth(task.depth() + SPARE_REQUESTS)
                    .receiveQueueDepth(task.acknowledgements() + SPARE_REQUESTS)
                    .build();
            byte[] request = task.with(memory.remoteBuffer()).encode();
            queuePair = endpoint.connect(server, adapted, request, fresh -> {});
            target = RemoteBuffer.decode(Application.PERF.restOfReply(
                    Objects.requireNonNull(queuePair.parameters()).peerPrivateData(), RemoteBuffer.ENCODED_LENGTH));
        } catch (IOException | InterruptedException | CommandFailedException | RuntimeException e) {
            memory.close();
            throw e;
        }
        PerfMeter meter = meters.computeIfAbsent(queuePair.channel().eventLoop(), loop -> new PerfMeter());
        PerfLoad load = task.mode() == PerfMode.BANDWIDTH
                ? new BandwidthLoad(queuePair, task, memory, target, meter)
                : new LatencyLoad(queuePair, task, memory, target, meter);
        load.finished().exceptionally(failure -> {
            failed.completeExceptionally(failure);
            return null;
        });
        loads.add(load);
    }

    private long operations() {
        return meters.values().stream().mapToLong(PerfMeter::operations).sum();
    }

    private static AccessRight right(PerfTask task) {
        boolean written = task.mode() == PerfMode.LATENCY && !task.operation().answered();
        return written ? AccessRight.REMOTE_WRITE : AccessRight.LOCAL_WRITE;
    }

    /** Lets time pass, and tells how it goes, unless a connection ends. */
    private void pause(Duration time) throws IOException, InterruptedException, CommandFailedException {
        long begin = System.nanoTime();
        long before = begin;
        long operationsBefore = operations();
        while (before - begin < time.toNanos()) {
            awaitFailure(Math.min(A_WHILE.toNanos(), time.toNanos() - (before - begin)));
            long now = System.nanoTime();
            long operations = operations();
            progress.passed(Duration.ofNanos(now - before), words(operations - operationsBefore, now - before));
            before = now;
            operationsBefore = operations;
        }
    }

    private String words(long operations, long nanos) {
        int size = plan.task().size();
        return Octets.size(size) + ": " + Octets.rate(operations * size, nanos);
    }

    private void awaitFailure(long nanos) throws IOException, InterruptedException, CommandFailedException {
        try {
            failed.get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw Endpoint.failureOf(e);
        } catch (TimeoutException e) {
            // Nothing failed: the time has passed, as it should.
            return;
        }
    }

    /** A large operation may take longer than was planned, and nothing can be told without one. */
    private void awaitOperation(long before) throws IOException, InterruptedException, CommandFailedException {
        long begin = System.nanoTime();
        while (operations() == before) {
            if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(Endpoint.patienceSeconds())) {
                throw Endpoint.noAnswer();
            }
            awaitFailure(A_WHILE.toNanos());
        }
    }

    private void onEachLoop(Consumer<PerfMeter> step) throws IOException, InterruptedException, CommandFailedException {
        for (Map.Entry<EventLoop, PerfMeter> entry : meters.entrySet()) {
            Endpoint.await(CompletableFuture.runAsync(() -> step.accept(entry.getValue()), entry.getKey()));
        }
    }
}
