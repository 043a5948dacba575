package io.iwarp.tools.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/** What meters measure from now on, interval by interval. One thread uses it, which is not an event loop. */
public final class Measurement {
    private final Collection<? extends Meter> meters;
    private final long begin = System.nanoTime();
    private final List<Interval> intervals = new ArrayList<>();
    private final Histogram times = new Histogram(Meter.SIGNIFICANT_DIGITS);
    private long before = begin;
    private long operationsBefore;

    /** Begins; earlier operations and times do not count. */
    public Measurement(Collection<? extends Meter> meters) {
        this.meters = meters;
        meters.forEach(Meter::takeTimes);
        operationsBefore = operations();
    }

    /**
     * Waits until something ends, at most for a duration.
     *
     * @param end completes, or fails, when the measured work has ended
     * @param step the length of an interval
     * @param show takes each interval when it is over
     * @return whether {@code end} is complete
     */
    public boolean await(CompletableFuture<?> end, Duration duration, Duration step, Consumer<Interval> show)
            throws IOException, InterruptedException {
        long length = duration.toNanos();
        while (before - begin < length) {
            long passed = before - begin;
            boolean ended = awaitFor(end, Math.min(step.toNanos() - passed % step.toNanos(), length - passed));
            Interval interval = next();
            intervals.add(interval);
            show.accept(interval);
            if (ended) {
                return true;
            }
        }
        return end.isDone();
    }

    private static boolean awaitFor(CompletableFuture<?> end, long nanos) throws IOException, InterruptedException {
        try {
            end.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException e) {
            throw Endpoint.failureOf(e);
        } catch (TimeoutException e) {
            // The interval is over.
            return false;
        }
    }

    /** Returns what has passed since the last interval. Its times count for {@link #times}. */
    public Interval next() {
        long now = System.nanoTime();
        long operationsNow = operations();
        Histogram part = new Histogram(Meter.SIGNIFICANT_DIGITS);
        meters.forEach(meter -> part.add(meter.takeTimes()));
        times.add(part);
        Interval interval = new Interval(now - begin, now - before, operationsNow - operationsBefore, part);
        before = now;
        operationsBefore = operationsNow;
        return interval;
    }

    private long operations() {
        return meters.stream().mapToLong(Meter::operations).sum();
    }

    /** Returns the intervals of {@link #await} so far. */
    public List<Interval> intervals() {
        return List.copyOf(intervals);
    }

    /** Returns all times so far, in nanoseconds. */
    public Histogram times() {
        return times;
    }
}
