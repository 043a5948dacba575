package io.iwarp.verbs;

import io.netty.channel.EventLoop;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The threads that wait until a {@link PostRing} has room. They get it in the order of arrival: only the first one
 * looks for room, and when it leaves, with or without room, it wakes the next one. A thread that runs may find room
 * before them: to hand all room from thread to thread would cost a switch for each post.
 *
 * <p><b>No wake-up is lost.</b> Who makes room does that first, then wakes the first in line. Between these two steps
 * of the event loop there is no fence, which would cost each completion, so the loop may see a line in which somebody
 * else is first. So a thread that has become the first gives the loop a task that wakes it. All room that the loop has
 * made before the task is there when the thread looks again. All that it makes afterwards, it makes with this thread in
 * sight.
 */
final class RoomQueue {
    private final Queue<Thread> line = new ConcurrentLinkedQueue<>();

    /**
     * Returns whether this thread may wait for the event loop. No thread of an event loop may, also not that of other
     * connections, whose peers would wait as well.
     */
    static boolean mayWait(EventLoop eventLoop) {
        return ThreadExecutorMap.currentExecutor() == null && !eventLoop.inEventLoop();
    }

    /**
     * Waits for room. An interrupt ends the wait; the thread stays interrupted.
     *
     * @param attempt claims a place and returns its position, or {@link PostRing#FULL}. If it throws, so does this
     *     method.
     * @param nanos the maximum time
     * @return the position, or {@link PostRing#FULL} after that time
     */
    long await(LongSupplier attempt, long nanos, DrainSchedule drains) {
        Thread self = Thread.currentThread();
        long end = System.nanoTime() + nanos;
        line.add(self);
        try {
            while (line.peek() != self) {
                if (!parkUntil(end)) {
                    return PostRing.FULL;
                }
            }
            drains.execute(this::wakeFirst);
            long position = attempt.getAsLong();
            while (position == PostRing.FULL && parkUntil(end)) {
                position = attempt.getAsLong();
            }
            return position;
        } finally {
            line.remove(self);
            wakeFirst();
        }
    }

    /** Returns false at once if the time is over, or the thread is interrupted. */
    private boolean parkUntil(long end) {
        long left = end - System.nanoTime();
        if (left <= 0 || Thread.currentThread().isInterrupted()) {
            return false;
        }
        LockSupport.parkNanos(this, left);
        return true;
    }

    /** Any thread: there may be room, or there will be none. */
    void wakeFirst() {
        LockSupport.unpark(line.peek());
    }
}
