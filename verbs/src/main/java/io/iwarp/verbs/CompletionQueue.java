package io.iwarp.verbs;

import io.iwarp.memory.ResourceLimitException;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.BlockingOperationException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the completions of any number of queue pairs for one application thread (a verbs completion queue).
 *
 * <p>Each queue pair names the queues of its completions with {@link QueuePair#completionQueue}, before it posts anything.
 * The completions of requests posted with an id then come here instead of to a listener; futures are not affected. The
 * completions of one queue pair come in their order, those of different queue pairs as they happen.
 *
 * <pre>{@code
 * while (running) {
 *     if (queue.await(1, TimeUnit.SECONDS)) {
 *         queue.poll(handler, 64);
 *     }
 * }
 * }</pre>
 *
 * <p><b>No completion is lost.</b> A queue pair reserves room for as many completions as its send and receive queues are
 * deep ({@link #capacityFor} adds up), and is refused with {@link ResourceLimitException} if there is not so much left. A
 * request keeps its place in the send or receive queue until its completion was polled. So the queue cannot overflow: when
 * it is not polled, posts on its queue pairs fail with {@link QueueFullException} sooner or later, which leaves the streams
 * of other completion queues alone (RFC 5040 section 8.1.1, RFC 5042 section 6.4.3.2). The room is given back when the
 * stream has ended and its last completion was polled.
 *
 * <p><b>Whose it is.</b> A completion queue belongs to one application: one that does not poll starves all its queue
 * pairs. Applications that do not trust each other must not share one (RFC 5042 section 7.1); a queue pair shares none
 * unless it is told to.
 *
 * <p><b>Threads.</b> Event loops add. {@link #poll}, {@link #await}, {@link #arm} and {@link #armSolicited} are for one
 * thread at a time, which may be a virtual one; the rest may be called from any thread.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5042#section-6.4.3.2">RFC 5042 section 6.4.3.2</a>
 */
public final class CompletionQueue implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(CompletionQueue.class);

    /** The greatest capacity, in completions. */
    public static final int GREATEST_CAPACITY = 1 << 24;

    private static final long UNARMED = 0;
    private static final long FOR_SOLICITED = 1;
    private static final long FOR_ANY = 2;
    private static final int KIND_BITS = 2;
    private static final long KIND_MASK = (1 << KIND_BITS) - 1;

    private final int capacity;
    private final CompletionRing<CompletionPort> ring;
    /** What for, and above that the position of the first entry that had not been polled. */
    private final AtomicLong armed = new AtomicLong(UNARMED);

    private final AtomicBoolean polling = new AtomicBoolean();
    private final AtomicReference<@Nullable Thread> sleeper = new AtomicReference<>();
    private final ReentrantLock lock = new ReentrantLock();
    /** How many queues of queue pairs use it, by event loop. Guarded by the lock. */
    private final Map<EventLoop, Integer> attached = new HashMap<>();
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
     * @param capacity how many completions it has room for, 1 to {@link #GREATEST_CAPACITY}. Each costs about 12 bytes, and
     *     120 more once used.
     */
    public static CompletionQueue create(int capacity) {
        if (capacity < 1 || capacity > GREATEST_CAPACITY) {
            throw new IllegalArgumentException(
                    "capacity " + capacity + " of a completion queue is outside 1 to " + GREATEST_CAPACITY);
        }
        return new CompletionQueue(capacity);
    }

    /**
     * Returns the capacity that queue pairs with these settings need if all their completions go to one queue.
     *
     * @param queuePairs how many queue pairs are open, or have completions that were not polled, at a time
     * @throws ArithmeticException if that is more than an int can hold
     */
    public static int capacityFor(QueuePairSettings settings, int queuePairs) {
        return Math.multiplyExact(Math.addExact(settings.sendQueueDepth(), settings.receiveQueueDepth()), queuePairs);
    }

    /**
     * Hands waiting completions to a handler, without waiting for more. Nothing is allocated.
     *
     * @param handler called by this thread; the completion is valid during the call only. It may post again, at full depth,
     *     but not poll. If it throws, the exception comes out of this call, and the completion counts as polled.
     * @param max how many at most, at least 1
     * @return how many were handed over, 0 to max
     * @throws IllegalStateException if another thread is polling, or the queue was closed
     */
    public int poll(CompletionListener handler, int max) {
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
                    break;
                }
                polled++;
                handOver(entry, handler);
            }
            return polled;
        } finally {
            polling.set(false);
        }
    }

    private static void handOver(CompletionRing.Entry<CompletionPort> entry, CompletionListener handler) {
        try {
            CompletionPort port = entry.owner();
            port.polled();
            handler.onCompletion(port.queuePair(), entry.completion());
        } finally {
            entry.clear();
        }
    }

    /**
     * Waits until there is a completion to {@linkplain #poll poll}. Virtual threads may call it: no monitor is held.
     *
     * @param timeout how long to wait at most; 0 or less does not wait
     * @return whether there is one; false when the time is over
     * @throws InterruptedException if the thread is interrupted before there is one
     * @throws BlockingOperationException on the event loop of one of its queue pairs, which would wait for itself
     * @throws IllegalStateException if another thread is waiting, or the queue was closed, also if it is closed meanwhile
     */
    public boolean await(long timeout, TimeUnit unit) throws InterruptedException {
        requireOpen();
        if (!ring.isEmpty()) {
            return true;
        }
        requireNoEventLoop();
        if (!sleeper.compareAndSet(null, Thread.currentThread())) {
            throw new IllegalStateException(
                    "another thread is waiting: let one thread at a time poll a completion queue");
        }
        try {
            return sleep(System.nanoTime(), unit.toNanos(timeout));
        } finally {
            sleeper.set(null);
        }
    }

    private boolean sleep(long start, long nanos) throws InterruptedException {
        while (ring.isEmpty()) {
            requireOpen();
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long left = nanos - (System.nanoTime() - start);
            if (left <= 0) {
                return false;
            }
            LockSupport.parkNanos(this, left);
        }
        return true;
    }

    private void requireNoEventLoop() {
        lock.lock();
        try {
            for (EventLoop loop : attached.keySet()) {
                if (loop.inEventLoop()) {
                    throw new BlockingOperationException(
                            "waiting on an event loop that has to add the completions: poll, or arm the queue");
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sets who is told when the queue was armed and a completion has come. Set it before arming. */
    public CompletionQueue listener(CompletionQueueListener newListener) {
        listener = newListener;
        return this;
    }

    /**
     * Asks for one event with the next completion that is added (verbs: {@code ibv_req_notify_cq}). Do not count on an event
     * for completions that are there already: poll once more after arming, or look at the result.
     *
     * @return whether there are completions already, or some are being added: then poll, and do not wait for the event
     * @throws IllegalStateException if there is no listener, or the queue was closed
     */
    public boolean arm() {
        requireListener();
        armed.set(ring.position() << KIND_BITS | FOR_ANY);
        return somethingIsComing();
    }

    /**
     * As {@link #arm}, but only for completions that somebody has to look at: receives of a message for which the peer asked
     * for an event ({@link PostOptions#solicited}), and requests of any kind that failed. A queue that is armed for any
     * completion stays so.
     *
     * @return whether there are completions already, of any kind, or some are being added: then poll, and do not wait for
     *     the event
     * @throws IllegalStateException if there is no listener, or the queue was closed
     */
    public boolean armSolicited() {
        requireListener();
        long wanted = armed.get();
        while ((wanted & KIND_MASK) != FOR_ANY
                && !armed.compareAndSet(wanted, ring.position() << KIND_BITS | FOR_SOLICITED)) {
            wanted = armed.get();
        }
        return somethingIsComing();
    }

    /**
     * An entry that another event loop has not published yet counts: one behind it may have had its event already, and the
     * one that is published now may be worth none, so nobody else would tell of the two.
     */
    private boolean somethingIsComing() {
        return ring.size() != 0;
    }

    private void requireListener() {
        requireOpen();
        if (listener == null) {
            throw new IllegalStateException("nobody would get the event: set a listener on the completion queue");
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

    /** Adds a copy of a completion, for which the port has room. */
    void add(CompletionPort port, Completion completion) {
        boolean worthAnEvent = completion.solicited() || !completion.successful();
        long position = ring.claim();
        ring.publish(position, port, completion);
        Thread sleeping = sleeper.get();
        if (sleeping != null) {
            LockSupport.unpark(sleeping);
        }
        long wanted = armed.get();
        while (answers(wanted, position, worthAnEvent)) {
            if (armed.compareAndSet(wanted, UNARMED)) {
                tell();
                return;
            }
            wanted = armed.get();
        }
    }

    /** An entry that was polled before the queue was armed is none that anybody waits for. */
    private static boolean answers(long wanted, long position, boolean worthAnEvent) {
        long kind = wanted & KIND_MASK;
        return (kind == FOR_ANY || (kind == FOR_SOLICITED && worthAnEvent)) && position >= wanted >> KIND_BITS;
    }

    private void tell() {
        CompletionQueueListener told = listener;
        if (told == null) {
            return;
        }
        try {
            told.onCompletionEvent(this);
        } catch (RuntimeException | Error e) {
            LOGGER.error("a listener of a completion queue failed; the queue goes on", e);
        }
    }

    /** Reserves the room that a port asks for. */
    void reserve(CompletionPort port) {
        lock.lock();
        try {
            requireOpen();
            if (port.room() > capacity - reserved) {
                throw new ResourceLimitException(
                        "a completion queue of " + capacity + " completions has " + (capacity - reserved)
                                + " not reserved, and the queue pair needs " + port.room()
                                + ": create a larger one, use smaller depths, or poll what ended queue pairs left",
                        "capacity",
                        capacity);
            }
            reserved += port.room();
            attached.merge(port.eventLoop(), 1, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    /** Ends a reservation. */
    void giveBack(CompletionPort port) {
        lock.lock();
        try {
            reserved -= port.room();
            attached.computeIfPresent(port.eventLoop(), (loop, uses) -> uses == 1 ? null : uses - 1);
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many completions it has room for. */
    public int capacity() {
        return capacity;
    }

    /** Returns how much of the capacity is reserved by queue pairs, 0 to the capacity; a moment's view. */
    public int reserved() {
        lock.lock();
        try {
            return reserved;
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many completions are waiting to be polled; a moment's view. */
    public int size() {
        return ring.size();
    }

    /** Returns whether it can be used; false once it was closed. */
    public boolean isOpen() {
        return !closed;
    }

    /**
     * Closes the queue; a thread that waits in {@link #await} gets an exception. May be called again.
     *
     * @throws IllegalStateException if queue pairs use it: close them, and poll what they leave. Then nothing was changed.
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
        Thread sleeping = sleeper.get();
        if (sleeping != null) {
            LockSupport.unpark(sleeping);
        }
    }

    @Override
    public String toString() {
        return "CompletionQueue[" + size() + " waiting, " + reserved() + " of " + capacity + " reserved]";
    }
}
