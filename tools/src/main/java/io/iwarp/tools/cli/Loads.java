package io.iwarp.tools.cli;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The loads of one measurement, with a meter for each event loop. One thread uses it, which is not an event loop. */
public final class Loads {
    private static final Logger LOGGER = LoggerFactory.getLogger(Loads.class);
    private static final Duration A_WHILE = Duration.ofMillis(200);

    private final List<Load> loads = new ArrayList<>();
    private final Map<EventLoop, Meter> meters = new HashMap<>();

    /** Returns the meter of an event loop. */
    public Meter meter(EventLoop loop) {
        return meters.computeIfAbsent(loop, each -> new Meter());
    }

    /** Adds a load, which uses the meter of its event loop. */
    public void add(Load load) {
        loads.add(load);
    }

    /** Begins all loads. */
    public void begin() {
        loads.forEach(Load::begin);
    }

    /**
     * Measures the loads.
     *
     * @param options how to show it
     * @param title what is measured; null to show nothing
     * @param size bytes of an operation
     * @param begun whether the loads have begun; otherwise they begin now
     */
    public Measurement measure(
            MeasureOptions options, @Nullable String title, long size, boolean begun, Duration duration) {
        if (begun) {
            loads.forEach(Load::restartSchedule);
        }
        long operationsBefore = operations();
        long timedBefore = timed();
        Measurement measured =
                options.measure(title, meters.values(), size, begun ? () -> {} : this::begin, ended(), duration);
        // A large operation may take longer than the measurement, and without one there is no result.
        long begin = System.nanoTime();
        while (!measured.cutShort()
                && (operations() == operationsBefore || timed() == timedBefore)
                && !ended().isDone()) {
            if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(Endpoint.patienceSeconds())) {
                throw Endpoint.noAnswer();
            }
            measured.isOver(ended(), A_WHILE.toNanos());
        }
        return measured;
    }

    private CompletableFuture<Void> ended() {
        return ended(loads.stream().map(Load::finished).toList());
    }

    /** Returns what completes when all of these have completed, and fails as soon as one fails. */
    static CompletableFuture<Void> ended(List<CompletableFuture<Void>> each) {
        CompletableFuture<Void> all = CompletableFuture.allOf(each.toArray(CompletableFuture[]::new));
        each.forEach(one -> one.exceptionally(failure -> {
            all.completeExceptionally(failure);
            return null;
        }));
        return all;
    }

    /** Stops the loads, and waits while operations complete. Fails after one minute without progress. */
    public void stop() throws IOException, InterruptedException {
        loads.forEach(Load::stop);
        CompletableFuture<Void> all = ended();
        long before;
        do {
            before = operations();
            try {
                all.get(Endpoint.patienceSeconds(), TimeUnit.SECONDS);
                return;
            } catch (ExecutionException e) {
                throw Endpoint.failureOf(e);
            } catch (TimeoutException e) {
                LOGGER.debug("{} operations are done so far", before);
            }
        } while (operations() != before);
        throw Endpoint.noAnswer();
    }

    private long operations() {
        return meters.values().stream()
                .mapToLong(meter -> meter.own() + meter.ofPeer())
                .sum();
    }

    private long timed() {
        return meters.values().stream()
                .mapToLong(meter -> meter.timed() + meter.ofPeer())
                .sum();
    }
}
