package io.iwarp.tools.perf;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Progress;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.io.IOException;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One measurement: connects, warms up, measures, and waits until everything that was posted has arrived. */
final class PerfRun {
    private static final Logger LOGGER = LoggerFactory.getLogger(PerfRun.class);
    private static final Duration A_WHILE = Duration.ofMillis(200);
    private static final int SPARE_REQUESTS = 2;
    /**
     * What the warm-up is divided into; fewer if an operation takes longer. A measurement's own steps come between the
     * operations on the event loops, and the first time they do, the JIT drops what it had compiled without them: the
     * better part of a second is slow then.
     */
    private static final int REHEARSALS = 20;

    private final Endpoint endpoint;
    private final PerfPlan plan;
    private final Progress progress;
    private final List<PerfLoad> loads = new ArrayList<>();
    private final Map<EventLoop, PerfMeter> meters = new HashMap<>();
    private final CompletableFuture<Void> failed = new CompletableFuture<>();

    /** @param progress moved while time passes */
    PerfRun(Endpoint endpoint, PerfPlan plan, Progress progress) {
        this.endpoint = endpoint;
        this.plan = plan;
        this.progress = progress;
    }

    /** Measures. */
    PerfResult run(SocketAddress server, QueuePairSettings.Builder settings) throws IOException, InterruptedException {
        try {
            for (int i = 0; i < plan.connections(); i++) {
                connect(server, settings);
            }
            ServerUsage usage = ServerUsage.connect(endpoint, server, settings);
            PerfResult result = measure(usage);
            usage.close();
            return result;
        } catch (IOException | InterruptedException | RuntimeException e) {
            loads.forEach(PerfLoad::abort);
            throw e;
        } finally {
            for (PerfLoad load : loads) {
                load.close();
            }
        }
    }

    private PerfResult measure(ServerUsage usage) throws IOException, InterruptedException {
        loads.forEach(PerfLoad::begin);
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < plan.warmup().toNanos()) {
            observe(usage, plan.warmup().dividedBy(REHEARSALS));
        }
        PerfResult result = observe(usage, plan.duration());
        loads.forEach(PerfLoad::stop);
        for (PerfLoad load : loads) {
            awaitArrival(load);
        }
        return result;
    }

    private PerfResult observe(ServerUsage usage, Duration time) throws IOException, InterruptedException {
        MpaParameters agreed = Objects.requireNonNull(loads.get(0).queuePair().parameters());
        PerfUsage serverBefore = usage.now();
        PerfUsage before = PerfUsage.now();
        onEachLoop(PerfMeter::begin);
        long operationsBefore = operations();
        long timedBefore = timed();
        List<PerfInterval> intervals = pause(time);
        awaitOperation(operationsBefore, timedBefore);
        List<PerfSlice> slices = new ArrayList<>();
        onEachLoop(meter -> slices.add(meter.end()));
        PerfUsage here = PerfUsage.now().since(before);
        PerfUsage there = usage.now().since(serverBefore);
        return PerfResult.of(plan, agreed, slices, intervals, here, there);
    }

    /** Waits while operations complete. Fails after one minute without progress. */
    private void awaitArrival(PerfLoad load) throws IOException, InterruptedException {
        long before;
        do {
            before = operations();
            try {
                load.finished().get(Endpoint.patienceSeconds(), TimeUnit.SECONDS);
                return;
            } catch (ExecutionException e) {
                throw Endpoint.failureOf(e);
            } catch (TimeoutException e) {
                LOGGER.debug("{} operations are done so far", before);
            }
        } while (operations() != before);
        throw Endpoint.noAnswer();
    }

    private void connect(SocketAddress server, QueuePairSettings.Builder settings)
            throws IOException, InterruptedException {
        PerfTask task = plan.task();
        PerfMemory memory = new PerfMemory(ByteBufAllocator.DEFAULT, endpoint.domain(), task, right(task));
        QueuePair queuePair;
        RemoteBuffer target;
        try {
            QueuePairSettings adapted = settings.sendQueueDepth(task.depth() + SPARE_REQUESTS)
                    .receiveQueueDepth(task.acknowledgements() + SPARE_REQUESTS)
                    .build();
            byte[] request = task.with(memory.remoteBuffer()).encode();
            queuePair = endpoint.connect(server, adapted, request, fresh -> {});
            target = RemoteBuffer.decode(PerfTask.PROTOCOL.restOfReply(queuePair, RemoteBuffer.ENCODED_LENGTH))
                    .slice(0, task.size());
        } catch (IOException | InterruptedException | RuntimeException e) {
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

    private long timed() {
        return meters.values().stream().mapToLong(PerfMeter::timed).sum();
    }

    private static AccessRight right(PerfTask task) {
        boolean written = task.mode() == PerfMode.LATENCY && !task.operation().answered();
        return written ? AccessRight.REMOTE_WRITE : AccessRight.LOCAL_WRITE;
    }

    /** Lets time pass, tells how it goes, and returns what was done in each interval. Fails if a connection ends. */
    private List<PerfInterval> pause(Duration time) throws IOException, InterruptedException {
        List<PerfInterval> intervals = new ArrayList<>();
        long begin = System.nanoTime();
        long before = begin;
        long operationsBefore = operations();
        long step = (plan.interval().isZero() ? A_WHILE : plan.interval()).toNanos();
        while (before - begin < time.toNanos()) {
            long passed = before - begin;
            awaitFailure(Math.min(step - passed % step, time.toNanos() - passed));
            long now = System.nanoTime();
            long operations = operations();
            intervals.add(new PerfInterval(operations - operationsBefore, now - before));
            progress.passed(Duration.ofNanos(now - before), words(operations - operationsBefore, now - before));
            before = now;
            operationsBefore = operations;
        }
        return intervals;
    }

    private String words(long operations, long nanos) {
        int size = plan.task().size();
        return Bytes.size(size) + ": " + Bytes.rate(operations * size, nanos);
    }

    private void awaitFailure(long nanos) throws IOException, InterruptedException {
        try {
            failed.get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw Endpoint.failureOf(e);
        } catch (TimeoutException e) {
            // No failure: the time has passed.
            return;
        }
    }

    /** A large operation may take longer than was planned, and nothing can be told without one. */
    private void awaitOperation(long operationsBefore, long timedBefore) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (operations() == operationsBefore || timed() == timedBefore) {
            if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(Endpoint.patienceSeconds())) {
                throw Endpoint.noAnswer();
            }
            awaitFailure(A_WHILE.toNanos());
        }
    }

    private void onEachLoop(Consumer<PerfMeter> step) throws IOException, InterruptedException {
        for (Map.Entry<EventLoop, PerfMeter> entry : meters.entrySet()) {
            Endpoint.await(CompletableFuture.runAsync(() -> step.accept(entry.getValue()), entry.getKey()));
        }
    }
}
