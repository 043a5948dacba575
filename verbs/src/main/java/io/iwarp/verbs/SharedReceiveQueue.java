package io.iwarp.verbs;

import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.OctetSpan;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives that any number of queue pairs take from (a verbs shared receive queue). A server with many connections posts
 * buffers for the messages that come at a time, not for the messages that each peer might send.
 *
 * <p>A queue pair uses it after {@link QueuePair#sharedReceiveQueue}. A receive is taken by the first message that needs
 * one, in the order of posting; its completion goes where the receives of that queue pair complete. When the queue is empty
 * a message does what {@link QueuePairSettings#receiveWait} says. When a stream ends, the receives that its incomplete
 * messages had taken are flushed to that queue pair's listener or completion queue; what is posted here stays for the
 * others.
 *
 * <p><b>Greed.</b> No stream holds more than its {@linkplain #share share}: receives taken by messages that are not
 * complete, or whose completions wait in a completion queue. What a stream wants beyond its share it has to wait for, or
 * ends for, with the others untouched. {@link #armLimit} tells when the queue runs low, and who took the last receive
 * (RFC 5040 section 8.1.2, RFC 5042 section 6.4.3.1).
 *
 * <p>Posting and arming may be done by any thread. Streams that do not trust each other should not share a queue.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5042#section-6.4.3.1">RFC 5042 section 6.4.3.1</a>
 */
public final class SharedReceiveQueue implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(SharedReceiveQueue.class);

    /** The greatest depth, in receives. */
    public static final int GREATEST_DEPTH = 1 << 20;

    private static final int UNARMED = 0;

    private final int depth;
    private final int share;
    private final ReentrantLock lock = new ReentrantLock();
    // The lock guards all of the following.
    private final ArrayDeque<ReceiveRequest> posted = new ArrayDeque<>();
    private final ArrayDeque<ReceiveRequest> unused = new ArrayDeque<>();
    private final Set<QueuePairEngine> waiting = new LinkedHashSet<>();
    private int uncompleted;
    private int users;
    private int limit = UNARMED;
    private boolean closed;

    private volatile @Nullable SharedReceiveQueueListener listener;

    private SharedReceiveQueue(int depth, int share) {
        this.depth = depth;
        this.share = share;
    }

    /**
     * Creates a queue.
     *
     * @param depth the most receives posted and not completed, 1 to {@link #GREATEST_DEPTH}
     * @param share the most that one stream may hold at a time, 1 to the depth. It also is the room that each queue pair
     *     reserves in the {@link CompletionQueue} of its receives.
     */
    public static SharedReceiveQueue create(int depth, int share) {
        if (depth < 1 || depth > GREATEST_DEPTH) {
            throw new IllegalArgumentException(
                    "depth " + depth + " of a shared receive queue is outside 1 to " + GREATEST_DEPTH);
        }
        if (share < 1 || share > depth) {
            throw new IllegalArgumentException("share " + share + " of a stream is outside 1 to the depth, " + depth);
        }
        return new SharedReceiveQueue(depth, share);
    }

    /**
     * Posts a receive, as {@link QueuePair#receive(long, ByteBuf)} does for one queue pair.
     *
     * @param workRequestId comes back in the completion
     * @param sink its writable octets take one message; the queue takes a reference of its own until the completion
     * @throws QueueFullException if as many receives as the queue is deep are posted and not completed
     * @throws IllegalStateException if the queue was closed
     */
    public void receive(long workRequestId, ByteBuf sink) {
        LentMemory.requireWritable(sink);
        int index = sink.writerIndex();
        int length = sink.writableBytes();
        sink.retain();
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
     * Posts a receive into a part of a region.
     *
     * @param offset of the first octet in the region, 0 for its start
     * @param length 0 to 2^32 - 1 octets
     * @throws QueueFullException if as many receives as the queue is deep are posted and not completed
     * @throws IllegalStateException if the queue was closed
     */
    public void receive(long workRequestId, MemoryRegion sink, long offset, long length) {
        LentMemory.retain(sink, offset, length);
        ReceiveRequest request = null;
        lock.lock();
        try {
            request = add(workRequestId);
            request.sink().cover(sink, offset, length);
            wakeWaiting();
        } finally {
            lock.unlock();
            if (request == null) {
                OctetSpan.release(sink);
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
            waiting.forEach(QueuePairEngine::wakeIfWaiting);
            waiting.clear();
        }
    }

    /** Call it with the lock held. */
    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the shared receive queue was closed");
        }
    }

    /** Event loop of a user: takes the oldest receive, or null if there is none. */
    @Nullable
    ReceiveRequest take(QueuePair taker) {
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
            tell(taker);
        }
        return request;
    }

    private void tell(QueuePair taker) {
        SharedReceiveQueueListener told = listener;
        if (told == null) {
            return;
        }
        try {
            told.onLimit(this, taker);
        } catch (RuntimeException | Error e) {
            LOGGER.error("a listener of a shared receive queue failed; the queue goes on", e);
        }
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
     * Event loop of a user: {@link QueuePairEngine#wakeIfWaiting} is to be called with the next receive that is posted. The
     * caller has to look for a receive once more after this call.
     */
    void await(QueuePairEngine engine) {
        lock.lock();
        try {
            waiting.add(engine);
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
    void leave(QueuePairEngine engine) {
        lock.lock();
        try {
            users--;
            waiting.remove(engine);
        } finally {
            lock.unlock();
        }
    }

    /** Sets who is told when the queue was armed and runs low. Set it before arming. */
    public SharedReceiveQueue listener(SharedReceiveQueueListener newListener) {
        listener = newListener;
        return this;
    }

    /**
     * Asks for one event when a receive is taken and fewer than so many remain (verbs: {@code ibv_modify_srq} with
     * {@code srq_limit}).
     *
     * @param newLimit 1 to the depth, or 0 to ask for none
     * @return whether there are fewer already: then post more, and do not wait for the event; the queue is armed all the same
     * @throws IllegalStateException if there is no listener, or the queue was closed
     */
    public boolean armLimit(int newLimit) {
        if (newLimit < 0 || newLimit > depth) {
            throw new IllegalArgumentException("limit " + newLimit + " is outside 0 to the depth, " + depth);
        }
        if (listener == null) {
            throw new IllegalStateException("nobody would get the event: set a listener on the shared receive queue");
        }
        lock.lock();
        try {
            requireOpen();
            limit = newLimit;
            return posted.size() < newLimit;
        } finally {
            lock.unlock();
        }
    }

    /** {@return the most receives posted and not completed} */
    public int depth() {
        return depth;
    }

    /** {@return the most receives that one stream may hold at a time} */
    public int share() {
        return share;
    }

    /** {@return how many receives are posted and were not taken; a moment's view} */
    public int available() {
        lock.lock();
        try {
            return posted.size();
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether it can be used; false once it was closed} */
    public boolean isOpen() {
        lock.lock();
        try {
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes the queue. Posted receives are dropped: their buffers are let go of, and nobody is told. May be called again.
     *
     * @throws IllegalStateException if queue pairs use it: close them first. Then nothing was changed.
     */
    @Override
    public void close() {
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

    @Override
    public String toString() {
        return "SharedReceiveQueue[" + available() + " available, depth " + depth + ", share " + share + "]";
    }
}
