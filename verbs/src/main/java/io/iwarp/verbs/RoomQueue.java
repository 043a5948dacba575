package io.iwarp.verbs;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The threads that wait until a {@link PostRing} has room, in order of arrival.
 *
 * <p><b>No wake-up is lost.</b> A thread gets in line, then tries again. Who makes room does that first, then looks at the
 * line. Between these two steps of the event loop there is no fence, which would cost each completion: so the thread also
 * gives the loop a task that wakes the head of the line. It runs behind all room that the loop has made without a look at the
 * line. A head that has got its room, or gives up, wakes the next one.
 */
final class RoomQueue {
    private final Queue<Thread> line = new ConcurrentLinkedQueue<>();

    /**
     * Returns whether this thread may wait for the event loop. The threads of event loops must not, also not those of other
     * connections, whose peers would wait as well.
     */
    static boolean mayWait(EventLoop eventLoop) {
        if (Thread.currentThread() instanceof FastThreadLocalThread netty && !netty.permitBlockingCalls()) {
            return false;
        }
        Iterable<EventExecutor> siblings = eventLoop.parent() == null ? eventLoop : eventLoop.parent();
        for (EventExecutor loop : siblings) {
            if (loop.inEventLoop()) {
                return false;
            }
        }
        return !eventLoop.inEventLoop();
    }

    /**
     * Waits for room. An interrupt ends the wait; the thread stays interrupted.
     *
     * @param attempt claims a place and returns its position, or {@link PostRing#FULL}. If it throws, so does this method.
     * @param nanos the maximum time
     * @return the position, or {@link PostRing#FULL} after that time
     */
    long await(LongSupplier attempt, long nanos, DrainSchedule drains) {
        long start = System.nanoTime();
        line.add(Thread.currentThread());
        try {
            drains.execute(this::wakeFirst);
            long position = attempt.getAsLong();
            long left = nanos;
            while (position == PostRing.FULL
                    && left > 0
                    && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(this, left);
                position = attempt.getAsLong();
                left = nanos - (System.nanoTime() - start);
            }
            return position;
        } finally {
            line.remove(Thread.currentThread());
            wakeFirst();
        }
    }

    /** Any thread: there may be room. */
    void wakeFirst() {
        Thread first = line.peek();
        if (first != null) {
            LockSupport.unpark(first);
        }
    }

    /** Any thread: there will be no room. */
    void wakeAll() {
        line.forEach(LockSupport::unpark);
    }
}
