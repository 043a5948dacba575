package io.iwarp.rdmap;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Timers under virtual time. */
final class VirtualTimers {
    private final List<Timer> timers = new ArrayList<>();
    private long now;

    ScheduledFuture<?> schedule(Runnable task, long nanos) {
        Timer timer = new Timer(task, now + nanos);
        timers.add(timer);
        return timer;
    }

    /** Lets time pass; what is due comes in its order. */
    void pass(Duration time) {
        long end = now + time.toNanos();
        for (Timer next = next(); next != null && next.due <= end; next = next()) {
            now = next.due;
            timers.remove(next);
            next.task.run();
        }
        now = end;
    }

    private Timer next() {
        timers.removeIf(CompletableFuture::isCancelled);
        return timers.stream().min(Comparator.comparingLong(timer -> timer.due)).orElse(null);
    }

    private final class Timer extends CompletableFuture<Void> implements ScheduledFuture<Void> {
        private final Runnable task;
        private final long due;

        Timer(Runnable task, long due) {
            this.task = task;
            this.due = due;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - now, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
