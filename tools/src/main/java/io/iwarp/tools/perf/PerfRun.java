package io.iwarp.tools.perf;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Interval;
import io.iwarp.tools.cli.Measurement;
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
    private final Consumer<Interval> show;
    private final List<PerfLoad> loads = new ArrayList<>();
    private final Map<EventLoop, PerfMeter> meters = new HashMap<>();
    private final CompletableFuture<Void> failed = new CompletableFuture<>();
    private boolean interrupted;

    /** @param show takes each interval when it is over */
    PerfRun(Endpoint endpoint, PerfPlan plan, Consumer<Interval> show) {
        this.endpoint = endpoint;
        this.plan = plan;
        this.show = show;
    }

    /** Measures. */
    PerfResult run(SocketAddress server, QueuePairSettings.Builder settings, ServerUsage usage)
            throws IOException, InterruptedException {
        try {
            for (int i = 0; i < plan.connections(); i++) {
                connect(server, settings, plan.work(i));
            }
            return measure(usage);
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
        if (plan.count() == 0) {
            loads.forEach(PerfLoad::begin);
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < plan.warmup().toNanos() && !interrupted) {
                observe(usage, plan.warmup().dividedBy(REHEARSALS), interval -> {});
            }
        }
        PerfResult result = observe(usage, interrupted ? A_WHILE : plan.duration(), show);
        loads.forEach(PerfLoad::stop);
        for (PerfLoad load : loads) {
            awaitArrival(load);
        }
        return result;
    }

    private PerfResult observe(ServerUsage usage, Duration time, Consumer<Interval> showing)
            throws IOException, InterruptedException {
        MpaParameters agreed = Objects.requireNonNull(loads.get(0).queuePair().parameters());
        PerfUsage serverBefore = usage.now();
        PerfUsage before = PerfUsage.now();
        onEachLoop(PerfMeter::begin);
        long operationsBefore = operations();
        long timedBefore = timed();
        Measurement measured = new Measurement(meters.values());
        if (plan.count() > 0) {
            loads.forEach(PerfLoad::begin);
        }
        try {
            measured.await(ended(), time, plan.interval(), showing);
            awaitOperation(operationsBefore, timedBefore);
        } catch (InterruptedException e) {
            // Ctrl-C: what was measured until now is the result.
            interrupted = true;
        }
        List<PerfSlice> slices = new ArrayList<>();
        onEachLoop(meter -> slices.add(meter.end()));
        measured.next();
        PerfUsage here = PerfUsage.now().since(before);
        PerfUsage there = usage.now().since(serverBefore);
        return PerfResult.of(plan, agreed, slices, measured, here, there);
    }

    /** Returns what completes when all loads have finished, and fails as soon as one fails. */
    private CompletableFuture<Void> ended() {
        CompletableFuture<Void> all =
                CompletableFuture.allOf(loads.stream().map(PerfLoad::finished).toArray(CompletableFuture[]::new));
        failed.exceptionally(failure -> {
            all.completeExceptionally(failure);
            return null;
        });
        return all;
    }

    /** Returns whether the measurement was interrupted: it has a result, but no further one is wanted. */
    boolean interrupted() {
        return interrupted;
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

    private void connect(SocketAddress server, QueuePairSettings.Builder settings, PerfLoad.Work work)
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
        PerfMeter meter = meters.computeIfAbsent(queuePair.executor(), loop -> new PerfMeter());
        PerfLoad load = task.mode() == PerfMode.BANDWIDTH
                ? new BandwidthLoad(queuePair, memory, target, meter, work)
                : new LatencyLoad(queuePair, memory, target, meter, work);
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

    /** A large operation may take longer than the measurement, and without one there is no result. */
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
