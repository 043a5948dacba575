package io.iwarp.verbs;

import io.iwarp.memory.ByteSpan;
import io.iwarp.memory.MemoryRegion;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The receives of a {@link SharedReceiveQueue}, and the streams that take them. Any thread may call any method. */
final class ReceivePool {
    private static final int UNARMED = 0;

    private final int depth;
    private final int share;
    private final ReentrantLock lock = new ReentrantLock();
    // The lock guards all fields below.
    private final ArrayDeque<ReceiveRequest> posted = new ArrayDeque<>();
    private final ArrayDeque<ReceiveRequest> unused = new ArrayDeque<>();
    private final Set<ReceiveWait> waiting = new LinkedHashSet<>();
    private int uncompleted;
    private int users;
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

    /**
     * Posts a receive into a buffer and takes ownership of one reference. On failure releases the reference, changes
     * nothing else, and throws.
     */
    void post(long workRequestId, ByteBuf sink, int index, int length) {
        ReceiveRequest request = null;
        lock.lock();
        try {
            request = add(workRequestId);
            request.sink().cover(sink, index, length);
            wakeWaiting();
        } finally {
            lock.unlock();
            if (request == null) {
                sink.release();
            }
        }
    }

    /**
     * Posts a receive into a region and takes ownership of one reference. On failure releases the reference, changes
     * nothing else, and throws.
     */
    void post(long workRequestId, MemoryRegion sink, long offset, long length) {
        ReceiveRequest request = null;
        lock.lock();
        try {
            request = add(workRequestId);
            request.sink().cover(sink, offset, length);
            wakeWaiting();
        } finally {
            lock.unlock();
            if (request == null) {
                ByteSpan.release(sink);
            }
        }
    }

    /**
     * Posts a receive whose sink the caller fills in. On failure changes nothing and throws. Call it with the lock
     * held.
     */
    private ReceiveRequest add(long workRequestId) {
        requireOpen();
        if (uncompleted == depth) {
            throw new QueueFullException("shared receive", depth);
        }
        ReceiveRequest used = unused.peek();
        ReceiveRequest request = used == null ? new ReceiveRequest() : used;
        posted.add(request);
        if (used != null) {
            unused.remove();
        }
        uncompleted++;
        return request.set(workRequestId, null);
    }

    /** Wakes the waiting streams. A stream that finds no receive registers again. Call it with the lock held. */
    private void wakeWaiting() {
        if (!waiting.isEmpty()) {
            waiting.forEach(ReceiveWait::wake);
            waiting.clear();
        }
    }

    /** Call it with the lock held. */
    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the shared receive queue was closed");
        }
    }

    /**
     * Event loop of a user: takes the oldest receive. Returns null if there is none.
     *
     * @param whenLow called if fewer receives remain than the armed limit
     */
    @Nullable
    ReceiveRequest take(Runnable whenLow) {
        boolean low = false;
        ReceiveRequest request;
        lock.lock();
        try {
            request = posted.poll();
            if (request != null && posted.size() < limit) {
                limit = UNARMED;
                low = true;
            }
        } finally {
            lock.unlock();
        }
        if (low) {
            whenLow.run();
        }
        return request;
    }

    /** Event loop of a user: recycles a receive that has completed and is cleared. */
    void recycle(ReceiveRequest request) {
        lock.lock();
        try {
            uncompleted--;
            unused.add(request);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Event loop of a user: registers for a call of {@link ReceiveWait#wake} at the next posted receive. The caller
     * must look for a receive again after this call.
     */
    void await(ReceiveWait wait) {
        lock.lock();
        try {
            waiting.add(wait);
        } finally {
            lock.unlock();
        }
    }

    /** Registers a queue pair as a user. */
    void enter() {
        lock.lock();
        try {
            requireOpen();
            users++;
        } finally {
            lock.unlock();
        }
    }

    /** Removes a queue pair from the users. */
    void leave(ReceiveWait wait) {
        lock.lock();
        try {
            users--;
            waiting.remove(wait);
        } finally {
            lock.unlock();
        }
    }

    /** Arms the limit. Returns whether fewer receives remain already; the pool is armed in either case. */
    boolean armLimit(int newLimit) {
        lock.lock();
        try {
            requireOpen();
            limit = newLimit;
            return posted.size() < newLimit;
        } finally {
            lock.unlock();
        }
    }

    int available() {
        lock.lock();
        try {
            return posted.size();
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

    /** Drops the posted receives. Throws and changes nothing if queue pairs use the pool. */
    void close() {
        lock.lock();
        try {
            if (users > 0) {
                throw new IllegalStateException(
                        users + " queue pairs take receives from the shared receive queue: close them first");
            }
            closed = true;
            for (ReceiveRequest request = posted.poll(); request != null; request = posted.poll()) {
                request.clear();
            }
            unused.clear();
        } finally {
            lock.unlock();
        }
    }
}
