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
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What meters measure from now on, interval by interval. It has a result also if it is interrupted, or if what is
 * measured fails. One thread uses it, which is not an event loop.
 */
public final class Measurement {
    private final Collection<Meter> meters;
    private final long begin = System.nanoTime();
    private final List<Interval> intervals = new ArrayList<>();
    private final Histogram times = new Histogram(Meter.SIGNIFICANT_DIGITS);
    private final long ownAtBegin;
    private final long ofPeerAtBegin;
    private long before = begin;
    private long ownBefore;
    private long ofPeerBefore;
    private @Nullable Exception failure;

    /** Begins; earlier operations and times do not count. */
    public Measurement(Collection<Meter> meters) {
        this.meters = meters;
        meters.forEach(Meter::takeTimes);
        ownAtBegin = ownBefore = sum(Meter::own);
        ofPeerAtBegin = ofPeerBefore = sum(Meter::ofPeer);
    }

    /**
     * Waits until something ends, at most for a duration.
     *
     * @param end completes, or fails, when the measured work has ended
     * @param step the length of an interval
     * @param show takes each interval when it is over
     */
    public void await(CompletableFuture<?> end, Duration duration, Duration step, Consumer<Interval> show) {
        long length = duration.toNanos();
        boolean ended = false;
        while (before - begin < length && !ended) {
            long passed = before - begin;
            ended = isOver(end, Math.min(step.toNanos() - passed % step.toNanos(), length - passed));
            Interval interval = next();
            intervals.add(interval);
            show.accept(interval);
        }
    }

    /** Waits. Returns whether the measurement is over before that time is. */
    boolean isOver(CompletableFuture<?> end, long nanos) {
        try {
            end.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException e) {
            failure = Endpoint.causeOf(e);
            return true;
        } catch (InterruptedException e) {
            failure = e;
            return true;
        } catch (TimeoutException e) {
            // The interval is over.
            return false;
        }
    }

    private Interval next() {
        long now = System.nanoTime();
        // Each once: a second read would count operations that are not in the other number.
        long ownNow = sum(Meter::own);
        long ofPeerNow = sum(Meter::ofPeer);
        Histogram part = new Histogram(Meter.SIGNIFICANT_DIGITS);
        meters.forEach(meter -> part.add(meter.takeTimes()));
        times.add(part);
        long ofPeer = ofPeerNow - ofPeerBefore;
        Interval interval = new Interval(now - begin, now - before, ownNow - ownBefore + ofPeer, ofPeer, part);
        before = now;
        ownBefore = ownNow;
        ofPeerBefore = ofPeerNow;
        return interval;
    }

    private long sum(ToLongFunction<Meter> count) {
        return meters.stream().mapToLong(count).sum();
    }

    /** Returns the intervals of {@link #await} so far. */
    public List<Interval> intervals() {
        return List.copyOf(intervals);
    }

    /** Returns all that was measured until now. */
    public Interval total() {
        next();
        long ofPeer = ofPeerBefore - ofPeerAtBegin;
        return new Interval(before - begin, before - begin, ownBefore - ownAtBegin + ofPeer, ofPeer, times);
    }

    /** Returns whether Ctrl-C or a failure has ended the measurement. */
    public boolean cutShort() {
        return failure != null;
    }

    /** Returns whether a failure has ended the measurement. */
    public boolean failed() {
        return failure != null && !(failure instanceof InterruptedException);
    }

    /** Throws what has ended the measurement, unless that was Ctrl-C. */
    public void requireNoFailure() throws IOException {
        if (failure instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (failure instanceof IOException io) {
            throw io;
        }
    }

    /** Throws what has ended the measurement before its time. */
    public void requireWhole() throws IOException, InterruptedException {
        requireNoFailure();
        if (failure instanceof InterruptedException interrupted) {
            throw interrupted;
        }
    }
}
