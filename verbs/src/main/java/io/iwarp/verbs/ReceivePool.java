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
    // The lock guards all of the following.
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
     * Posts a receive into a buffer and takes over a reference to it; or changes nothing, gives the reference back and
     * throws.
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
     * Posts a receive into a region and takes over a reference to it; or changes nothing, gives the reference back and
     * throws.
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

    /** Posts a receive, whose sink is still to be filled in; or changes nothing and throws. Call it with the lock held. */
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

    /** A stream that finds no receive after all lists itself again. Call it with the lock held. */
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
     * Event loop of a user: takes the oldest receive, or null if there is none.
     *
     * @param whenLow called if fewer remain than somebody asked to be told of
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

    /** Event loop of a user: a receive it took has completed, and was cleared. */
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
     * Event loop of a user: {@link ReceiveWait#wake} is to be called with the next receive that is posted. The
     * caller has to look for a receive once more after this call.
     */
    void await(ReceiveWait wait) {
        lock.lock();
        try {
            waiting.add(wait);
        } finally {
            lock.unlock();
        }
    }

    /** A queue pair is going to take receives. */
    void enter() {
        lock.lock();
        try {
            requireOpen();
            users++;
        } finally {
            lock.unlock();
        }
    }

    /** A queue pair takes no more receives. */
    void leave(ReceiveWait wait) {
        lock.lock();
        try {
            users--;
            waiting.remove(wait);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether there are fewer already; the pool is armed all the same. */
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

    /** Drops what is posted; or changes nothing and throws, if queue pairs use it. */
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
