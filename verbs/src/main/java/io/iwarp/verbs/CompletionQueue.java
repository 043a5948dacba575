package io.iwarp.verbs;

import io.iwarp.memory.ResourceLimitException;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.BlockingOperationException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Collects the completions of any number of queue pairs for one application thread (a verbs completion queue).
 *
 * <p>Set the completion queues of a queue pair with {@link QueuePair#setCompletionQueue} before its first post.
 * Completions of requests posted with an id then go to the queue instead of a listener; futures are not affected. The
 * completions of one queue pair keep their order; those of different queue pairs are in order of arrival.
 *
 * <pre>{@code
 * while (running) {
 *     if (queue.await(1, TimeUnit.SECONDS)) {
 *         queue.poll(handler, 64);
 *     }
 * }
 * }</pre>
 *
 * <p><b>No completion is lost.</b> A queue pair reserves room for as many completions as its send and receive queues
 * are deep (see {@link #capacityFor}), and is refused with {@link ResourceLimitException} if there is not enough room
 * left. A request occupies its place in the send or receive queue until its completion is polled, so the queue cannot
 * overflow. If it is not polled, posts on its queue pairs eventually fail with {@link QueueFullException}; streams of
 * other completion queues are not affected (RFC 5040 section 8.1.1, RFC 5042 section 6.4.3.2). The reservation ends
 * when the stream has ended and its last completion has been polled.
 *
 * <p><b>Ownership.</b> A completion queue belongs to one application. An application that does not poll starves all
 * queue pairs of the queue. Applications that do not trust each other must not share one (RFC 5042 section 7.1). A
 * queue pair uses a completion queue only if one is set.
 *
 * <p><b>Threads.</b> Event loops add completions. One thread at a time may call {@link #poll}, {@link #await},
 * {@link #arm} and {@link #armSolicited}; it may be a virtual thread. All other methods may be called by any thread.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5042#section-6.4.3.2">RFC 5042 section 6.4.3.2</a>
 */
public final class CompletionQueue implements AutoCloseable {
    /** The greatest capacity, in completions. */
    public static final int MAX_CAPACITY = 1 << 24;

    private static final long UNARMED = 0;
    private static final long FOR_SOLICITED = 1;
    private static final long FOR_ANY = 2;
    private static final int KIND_BITS = 2;
    private static final long KIND_MASK = (1 << KIND_BITS) - 1;

    private final int capacity;
    private final CompletionRing<CompletionPort> ring;
    /** The low bits are the kind of event; the bits above are the position of the first entry that was not polled. */
    private final AtomicLong armed = new AtomicLong(UNARMED);

    /** The queue pairs that have ended, with no completion left to poll. */
    private final Queue<QueuePair> endedQueuePairs = new ConcurrentLinkedQueue<>();

    private final AtomicBoolean wakeUp = new AtomicBoolean();
    private final AtomicBoolean polling = new AtomicBoolean();
    private final AtomicReference<@Nullable Thread> sleepingThread = new AtomicReference<>();
    private final ReentrantLock lock = new ReentrantLock();
    /** The number of attached send and receive queues by event loop. Guarded by the lock. */
    private final Map<EventLoop, Integer> queueCounts = new HashMap<>();
    /** Guarded by the lock. */
    private int reserved;

    private volatile boolean closed;
    private volatile @Nullable CompletionQueueListener listener;

    private CompletionQueue(int capacity) {
        this.capacity = capacity;
        this.ring = new CompletionRing<>(capacity);
    }

    /**
     * Creates a queue.
     *
     * @param capacity the maximum number of completions, 1 to {@link #MAX_CAPACITY}. Each costs about 12 bytes, and 120
     *     more once used.
     */
    public static CompletionQueue create(int capacity) {
        if (capacity < 1 || capacity > MAX_CAPACITY) {
            throw new IllegalArgumentException(
                    "capacity " + capacity + " of a completion queue is outside 1 to " + MAX_CAPACITY);
        }
        return new CompletionQueue(capacity);
    }

    /**
     * Returns the capacity that queue pairs with these settings need if all their completions go to one queue. With a
     * shared receive queue it is more than they need: its {@linkplain SharedReceiveQueue#share share} takes the place
     * of the receive queue depth.
     *
     * @param queuePairs the maximum number of queue pairs that are open or have unpolled completions at a time
     * @throws ArithmeticException if the result exceeds an int
     */
    public static int capacityFor(QueuePairSettings settings, int queuePairs) {
        return Math.multiplyExact(settings.sendQueueDepth() + settings.receiveQueueDepth(), queuePairs);
    }

    /**
     * Passes waiting completions to a handler and does not wait for more. Then, if fewer than {@code max} were waiting,
     * calls {@link CompletionListener#onClosed} of the handler for each queue pair that has ended and has no completion
     * left here. Allocates nothing.
     *
     * @param handler called by this thread; the completion is valid during the call only. It may post again, at full
     *     depth, but not poll. If it throws, this method throws the exception, and the completion counts as polled.
     * @param max the maximum number of completions, at least 1; ends do not count
     * @return the number of completions passed, 0 to max
     * @throws IllegalStateException if another thread is polling, or the queue was closed
     */
    public int poll(CompletionListener handler, int max) {
        Objects.requireNonNull(handler, "handler");
        if (max < 1) {
            throw new IllegalArgumentException("a poll for " + max + " completions: poll for at least 1");
        }
        requireOpen();
        if (!polling.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "the completion queue is being polled: let one thread at a time poll it, and do"
                            + " not poll in the handler");
        }
        try {
            int polled = 0;
            while (polled < max) {
                CompletionRing.Entry<CompletionPort> entry = ring.take();
                if (entry == null) {
                    reportEnds(handler);
                    break;
                }
                polled++;
                deliver(entry, handler);
            }
            return polled;
        } finally {
            polling.set(false);
        }
    }

    private void reportEnds(CompletionListener handler) {
        for (QueuePair ended = endedQueuePairs.poll(); ended != null; ended = endedQueuePairs.poll()) {
            handler.onClosed(ended, Objects.requireNonNull(ended.closeReason()));
        }
    }

    private static void deliver(CompletionRing.Entry<CompletionPort> entry, CompletionListener handler) {
        try {
            CompletionPort port = entry.owner();
            port.onPolled();
            handler.onCompletion(port.queuePair(), entry.completion());
        } finally {
            entry.clear();
        }
    }

    /**
     * Waits until there is a completion or an end to {@linkplain #poll poll}, or {@link #wakeUp} is called. Virtual
     * threads may call it, since it holds no monitor.
     *
     * @param timeout the maximum time to wait; 0 or less does not wait
     * @return true if there is one; false if the timeout elapsed, or after a wake-up
     * @throws InterruptedException if the thread is interrupted before there is one
     * @throws BlockingOperationException if called on the event loop of one of its queue pairs, which would wait for
     *     itself
     * @throws IllegalStateException if another thread is waiting, or the queue was closed before or during the wait
     */
    public boolean await(long timeout, TimeUnit unit) throws InterruptedException {
        requireOpen();
        if (isPollable()) {
            return true;
        }
        requireNoEventLoop();
        if (!sleepingThread.compareAndSet(null, Thread.currentThread())) {
            throw new IllegalStateException(
                    "another thread is waiting: let one thread at a time poll a completion queue");
        }
        try {
            return sleep(System.nanoTime(), unit.toNanos(timeout));
        } finally {
            sleepingThread.set(null);
        }
    }

    private boolean sleep(long start, long nanos) throws InterruptedException {
        while (!isPollable()) {
            requireOpen();
            if (wakeUp.getAndSet(false)) {
                return false;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long remainingNanos = nanos - (System.nanoTime() - start);
            if (remainingNanos <= 0) {
                return false;
            }
            LockSupport.parkNanos(this, remainingNanos);
        }
        return true;
    }

    private boolean isPollable() {
        return !ring.isEmpty() || !endedQueuePairs.isEmpty();
    }

    /**
     * Ends the wait of a thread in {@link #await}, or its next wait if none is waiting, for example so that it notices
     * a request of another thread to stop. Any thread may call this.
     *
     * <p>No wake-up is lost: this method sets the flag, then looks for a thread that waits; that thread announces
     * itself, then looks at the flag. Both are volatile.
     */
    public void wakeUp() {
        wakeUp.set(true);
        unpark();
    }

    private void unpark() {
        Thread sleeping = sleepingThread.get();
        if (sleeping != null) {
            LockSupport.unpark(sleeping);
        }
    }

    private void requireNoEventLoop() {
        lock.lock();
        try {
            for (EventLoop loop : queueCounts.keySet()) {
                if (loop.inEventLoop()) {
                    throw new BlockingOperationException(
                            "waiting on an event loop that has to add the completions: poll, or arm the queue");
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sets the listener that is called when a completion arrives in the armed queue. Set it before arming. */
    public CompletionQueue setListener(CompletionQueueListener newListener) {
        listener = Objects.requireNonNull(newListener, "listener");
        return this;
    }

    /**
     * Asks for one event with the next completion or end that is added (verbs: {@code ibv_req_notify_cq}). Those
     * already in the queue may trigger no event: poll once more after arming, or check the result.
     *
     * @return true if the queue has completions, or some are being added: poll then, and do not wait for the event
     * @throws IllegalStateException if there is no listener, or the queue was closed
     */
    public boolean arm() {
        requireListener();
        armed.set(ring.position() << KIND_BITS | FOR_ANY);
        return hasPendingCompletions();
    }

    /**
     * Arms the queue, as {@link #arm} does, only for completions that need attention: receives of a message for which
     * the peer requested an event ({@link PostOptions#solicited}), and requests of any kind that failed. A queue that
     * is armed for any completion stays armed for any.
     *
     * @return true if the queue has completions of any kind, or some are being added: poll then, and do not wait for
     *     the event
     * @throws IllegalStateException if there is no listener, or the queue was closed
     */
    public boolean armSolicited() {
        requireListener();
        long armedState = armed.get();
        while ((armedState & KIND_MASK) != FOR_ANY
                && !armed.compareAndSet(armedState, ring.position() << KIND_BITS | FOR_SOLICITED)) {
            armedState = armed.get();
        }
        return hasPendingCompletions();
    }

    /**
     * Counts claimed entries that are not published, too. If arming ignored one, a later entry might already have used
     * the event, and the unpublished entry would raise none.
     */
    private boolean hasPendingCompletions() {
        return ring.size() != 0 || !endedQueuePairs.isEmpty();
    }

    private void requireListener() {
        requireOpen();
        if (listener == null) {
            throw new IllegalStateException("no listener for the event: set a listener on the completion queue");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the completion queue was closed");
        }
    }

    CompletionRing<CompletionPort> ring() {
        return ring;
    }

    /** Any thread: adds the end of a queue pair, all of whose completions were polled. */
    void addEnd(QueuePair ended) {
        endedQueuePairs.add(ended);
        unpark();
        if (armed.getAndSet(UNARMED) != UNARMED) {
            raiseEvent();
        }
    }

    /** Adds a copy of a completion, for which the port has room. */
    void add(CompletionPort port, CompletionView completion) {
        boolean attention = completion.solicited() || !completion.successful();
        long position = ring.claim();
        ring.publish(position, port, completion);
        unpark();
        long armedState = armed.get();
        while (raisesEvent(armedState, position, attention)) {
            if (armed.compareAndSet(armedState, UNARMED)) {
                raiseEvent();
                return;
            }
            armedState = armed.get();
        }
    }

    /** An entry that was polled before the queue was armed raises no event. */
    private static boolean raisesEvent(long armedState, long position, boolean attention) {
        long kind = armedState & KIND_MASK;
        return (kind == FOR_ANY || (kind == FOR_SOLICITED && attention)) && position >= armedState >> KIND_BITS;
    }

    private void raiseEvent() {
        CompletionQueueListener current = listener;
        if (current != null) {
            Callbacks.notify(this, () -> current.onCompletionEvent(this));
        }
    }

    /** Reserves the room that a port needs. */
    void reserve(CompletionPort port) {
        lock.lock();
        try {
            requireOpen();
            if (port.requiredCapacity() > capacity - reserved) {
                throw new ResourceLimitException(
                        "a completion queue of " + capacity + " completions has " + (capacity - reserved)
                                + " not reserved, and the queue pair needs " + port.requiredCapacity()
                                + ": create a larger one, use smaller depths, or poll what ended queue pairs completed",
                        "capacity",
                        capacity);
            }
            reserved += port.requiredCapacity();
            queueCounts.merge(port.eventLoop(), 1, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    /** Releases the room that was reserved for a port. */
    void release(CompletionPort port) {
        lock.lock();
        try {
            reserved -= port.requiredCapacity();
            queueCounts.computeIfPresent(port.eventLoop(), (loop, uses) -> uses == 1 ? null : uses - 1);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the maximum number of completions. */
    public int capacity() {
        return capacity;
    }

    /** Returns the number of completions reserved by queue pairs, 0 to the capacity. It may change at any time. */
    public int reserved() {
        lock.lock();
        try {
            return reserved;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of completions waiting to be polled. It may change at any time. */
    public int size() {
        return ring.size();
    }

    /** Returns whether the queue is open. */
    public boolean isOpen() {
        return !closed;
    }

    /**
     * Closes the queue; a thread that waits in {@link #await} gets an exception. May be called again.
     *
     * @throws IllegalStateException if queue pairs use it: close them and poll their remaining completions. Nothing is
     *     changed then.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            if (reserved > 0) {
                throw new IllegalStateException(
                        "queue pairs have reserved " + reserved + " places of the completion queue, " + size()
                                + " completions wait: close the queue pairs and poll until reserved() is 0");
            }
            closed = true;
        } finally {
            lock.unlock();
        }
        unpark();
    }

    @Override
    public String toString() {
        return "CompletionQueue[" + size() + " waiting, " + reserved() + " of " + capacity + " reserved]";
    }
}
