package io.iwarp.verbs;

import io.iwarp.internal.memory.ByteSpan;
import io.iwarp.memory.LocalBuffer;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The receives of a {@link SharedReceiveQueue}, and the streams that take them. Any thread may call any method, unless
 * it says otherwise.
 *
 * <p>A stream whose message finds no receive is enqueued once it is below its share. Whenever the lock is free, the
 * free receives or the waiters are empty. A post, a returned receive and a new waiter may break this invariant while
 * they hold the lock; each of them then {@linkplain #grantNext grants} a receive to the first waiter before it releases
 * the lock. No stream, however fast its event loop is, can thus take a receive from one that has waited longer.
 *
 * <p>A granted receive is a claim: it belongs to that stream and counts to its share until the event loop of the stream
 * collects it with {@link User#take}, or the stream {@linkplain User#leave leaves} and the next waiter gets it. Only
 * the stream that got a claim is woken, after the lock was released.
 *
 * <p>No wake-up is lost. A stream stays a waiter until it has a receive, so a stream that was woken and waits again is
 * a waiter again. A stream at its share is not a waiter; a release enqueues it. The stream first marks itself as
 * waiting, then looks at what it holds. A release, which takes no lock unless a stream waits, first counts down what
 * the stream holds, then looks at the mark. Both are volatile, so one side sees the other.
 */
final class ReceivePool {
    private static final int UNARMED = 0;

    private final int depth;
    private final int share;
    private final ReentrantLock lock = new ReentrantLock();
    // The lock guards all fields below.
    private final ArrayDeque<ReceiveRequest> postedReceives = new ArrayDeque<>();
    private final ArrayDeque<ReceiveRequest> recycledRequests = new ArrayDeque<>();
    private final Set<User> waiters = new LinkedHashSet<>();
    private int uncompletedCount;
    private int userCount;
    private int limit = UNARMED;
    private boolean closed;

    ReceivePool(int depth, int share) {
        this.depth = depth;
        this.share = share;
    }

    int depth() {
        return depth;
    }

    int share() {
        return share;
    }

    /** Posts a receive into the writable bytes of a buffer. */
    void post(long workRequestId, ByteBuf sink) {
        int index = sink.writerIndex();
        int length = sink.writableBytes();
        ReceiveRequest.retain(sink);
        User grantee;
        lock.lock();
        try {
            add(workRequestId).sink().cover(sink, index, length);
            grantee = grantNext();
        } catch (Throwable refused) {
            sink.release();
            throw refused;
        } finally {
            lock.unlock();
        }
        wake(grantee);
    }

    /** Posts a receive into a piece of a region. */
    void post(long workRequestId, LocalBuffer sink) {
        ReceiveRequest.retain(sink);
        User grantee;
        lock.lock();
        try {
            add(workRequestId).sink().cover(sink);
            grantee = grantNext();
        } catch (Throwable refused) {
            ByteSpan.release(ByteSpan.region(sink));
            throw refused;
        } finally {
            lock.unlock();
        }
        wake(grantee);
    }

    /**
     * Posts a receive whose sink the caller fills in. On failure changes nothing and throws. Call it with the lock
     * held.
     */
    private ReceiveRequest add(long workRequestId) {
        requireOpen();
        if (uncompletedCount == depth) {
            throw QueueFullException.ofSharedReceives(depth);
        }
        ReceiveRequest used = recycledRequests.peek();
        ReceiveRequest request = used == null ? new ReceiveRequest() : used;
        postedReceives.add(request);
        if (used != null) {
            recycledRequests.remove();
        }
        uncompletedCount++;
        return request.set(workRequestId, null);
    }

    /** Grants the oldest free receive to the first waiter, if both exist. The caller holds the lock. */
    private @Nullable User grantNext() {
        if (waiters.isEmpty() || postedReceives.isEmpty()) {
            return null;
        }
        User first = waiters.iterator().next();
        waiters.remove(first);
        first.isWaiting = false;
        first.claim = postedReceives.remove();
        first.heldCount.incrementAndGet();
        return first;
    }

    /** Wakes a stream that got a claim. Call it without the lock, since other code runs. */
    private static void wake(@Nullable User grantee) {
        if (grantee != null) {
            grantee.wake.run();
        }
    }

    /** Call it with the lock held. */
    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the shared receive queue was closed");
        }
    }

    /**
     * Registers a stream.
     *
     * @param wake called by any thread when the stream, which waits, has got a receive
     */
    User enter(Runnable wake) {
        lock.lock();
        try {
            requireOpen();
            userCount++;
        } finally {
            lock.unlock();
        }
        return new User(wake);
    }

    /**
     * A stream that takes receives. Its event loop calls the methods, and any thread {@link #release} and
     * {@link #heldCount}.
     */
    final class User {
        private final Runnable wake;
        /** The receives of this stream that are not released, at most the share. It grows only with the lock held. */
        private final AtomicInteger heldCount = new AtomicInteger();
        /** Whether the stream waits for a receive. Written with the lock held. */
        private volatile boolean isWaiting;
        /** The receive that was granted and not collected. Guarded by the lock. */
        private @Nullable ReceiveRequest claim;

        private User(Runnable wake) {
            this.wake = wake;
        }

        int heldCount() {
            return heldCount.get();
        }

        /**
         * Takes the claim, or the oldest free receive. Returns null if there is none, or the share is reached.
         *
         * @param limitListener called if fewer receives remain than the armed limit
         */
        @Nullable
        ReceiveRequest take(Runnable limitListener) {
            boolean isBelowLimit = false;
            ReceiveRequest request;
            lock.lock();
            try {
                request = claim;
                claim = null;
                if (request == null && heldCount.get() < share) {
                    request = postedReceives.poll();
                    if (request != null) {
                        heldCount.incrementAndGet();
                        stopWaiting();
                    }
                }
                if (request != null && postedReceives.size() < limit) {
                    limit = UNARMED;
                    isBelowLimit = true;
                }
            } finally {
                lock.unlock();
            }
            if (isBelowLimit) {
                limitListener.run();
            }
            return request;
        }

        /** Call it with the lock held. */
        private void stopWaiting() {
            if (isWaiting) {
                isWaiting = false;
                waiters.remove(this);
            }
        }

        /** Waits for a receive, unless there is a claim. A stream that waits already keeps its position. */
        void await() {
            User grantee;
            lock.lock();
            try {
                if (claim == null) {
                    isWaiting = true;
                }
                grantee = enqueueAndGrantNext();
            } finally {
                lock.unlock();
            }
            wake(grantee);
        }

        /** Enqueues the stream if it waits and is below its share. Call it with the lock held. */
        private @Nullable User enqueueAndGrantNext() {
            if (isWaiting && heldCount.get() < share) {
                waiters.add(this);
            }
            return grantNext();
        }

        /** Any thread: releases a receive that the stream holds. */
        void release() {
            heldCount.decrementAndGet();
            if (isWaiting) {
                User grantee;
                lock.lock();
                try {
                    grantee = enqueueAndGrantNext();
                } finally {
                    lock.unlock();
                }
                wake(grantee);
            }
        }

        /** Recycles a receive that has completed and is cleared. The stream holds it until the {@link #release}. */
        void recycle(ReceiveRequest request) {
            lock.lock();
            try {
                uncompletedCount--;
                recycledRequests.add(request);
            } finally {
                lock.unlock();
            }
        }

        /**
         * Ends the use of the pool. Called once, as the last call of the event loop.
         *
         * @param returned receives that were taken and that no message has used, the oldest first. They go back, and so
         *     does the claim, to the front of the free ones.
         */
        void leave(List<ReceiveRequest> returned) {
            List<User> grantees = new ArrayList<>();
            lock.lock();
            try {
                userCount--;
                stopWaiting();
                if (claim != null) {
                    returnClaim(claim);
                    claim = null;
                }
                for (int newest = returned.size() - 1; newest >= 0; newest--) {
                    returnClaim(returned.get(newest));
                }
                for (User next = grantNext(); next != null; next = grantNext()) {
                    grantees.add(next);
                }
            } finally {
                lock.unlock();
            }
            grantees.forEach(ReceivePool::wake);
        }

        /** Call it with the lock held. */
        private void returnClaim(ReceiveRequest request) {
            postedReceives.addFirst(request);
            heldCount.decrementAndGet();
        }
    }

    /** Arms the limit. Returns whether fewer receives remain already; the pool is armed in either case. */
    boolean armLimit(int newLimit) {
        lock.lock();
        try {
            requireOpen();
            limit = newLimit;
            return postedReceives.size() < newLimit;
        } finally {
            lock.unlock();
        }
    }

    int available() {
        lock.lock();
        try {
            return postedReceives.size();
        } finally {
            lock.unlock();
        }
    }

    boolean isOpen() {
        lock.lock();
        try {
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Releases the posted receives. Throws and changes nothing if queue pairs use the pool. */
    void close() {
        lock.lock();
        try {
            if (userCount > 0) {
                throw new IllegalStateException(
                        userCount + " queue pairs take receives from the shared receive queue: close them first");
            }
            closed = true;
            for (ReceiveRequest request = postedReceives.poll(); request != null; request = postedReceives.poll()) {
                request.clear();
            }
            recycledRequests.clear();
        } finally {
            lock.unlock();
        }
    }
}
