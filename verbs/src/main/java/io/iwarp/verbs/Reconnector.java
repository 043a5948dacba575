package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.internal.EventLoopTasks;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * A client that stays connected to one address: after each end that {@linkplain CloseReason#mayRetry may be retried} it
 * connects again. The pauses back off exponentially from a first one to a maximum, with a random jitter of up to one
 * half, so that the clients of a server that restarts do not reconnect all at once. A connection that lasted longer
 * than the next pause resets the back-off. Made by {@link Iwarp.Client#stayConnected}.
 *
 * <p>It stops at the first end that must not be retried, such as a rejection or a close of the queue pair by this side;
 * {@link #reconnect} closes it and connects again. Any thread may call any method.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
public final class Reconnector implements AutoCloseable {
    private static final CloseReason CLOSED = CloseReason.of(EndedBy.LOCAL_APPLICATION, "closed by the application");

    private final Supplier<Attempt> connector;
    private final EventLoopGroup group;
    private final SocketAddress address;
    private final ReconnectListener listener;
    private final long firstPauseNanos;
    private final long maxPauseNanos;
    private final LoopFuture<CloseReason> closeFuture;

    /** Guards the fields below. Not held during calls of listeners and futures. */
    private final Object lock = new Object();

    private boolean closing;
    /** The application has closed the current connection, and wants the next. */
    private boolean reconnecting;

    private long pauseNanos;
    private long connectedAt;
    private @Nullable Attempt attempt;
    private @Nullable QueuePair currentQueuePair;
    private CompletableFuture<QueuePair> nextQueuePair;
    private @Nullable Future<?> timer;

    /**
     * An attempt to connect.
     *
     * @param outcome completes as the future of {@link Iwarp.Client#connect(SocketAddress)}
     * @param cancel ends the attempt; its outcome then fails when the attempt is cleaned up
     */
    record Attempt(CompletableFuture<QueuePair> outcome, Runnable cancel) {}

    /**
     * @param connector connects to the address
     * @param group of the connections
     */
    Reconnector(
            Supplier<Attempt> connector,
            EventLoopGroup group,
            SocketAddress address,
            ReconnectListener listener,
            Duration firstPause,
            Duration maxPause) {
        if (firstPause.isZero() || firstPause.isNegative() || firstPause.compareTo(maxPause) > 0) {
            throw new IllegalArgumentException("the first pause is " + firstPause + " and the longest " + maxPause
                    + ": give a first one above 0, and a longest that is at least as long");
        }
        this.connector = connector;
        this.group = group;
        this.address = address;
        this.listener = listener;
        this.firstPauseNanos = firstPause.toNanos();
        this.maxPauseNanos = maxPause.toNanos();
        this.pauseNanos = firstPauseNanos;
        this.closeFuture = new LoopFuture<>(group);
        this.nextQueuePair = new LoopFuture<>(group);
    }

    /** Connects. */
    void connect() {
        Attempt connecting = null;
        synchronized (lock) {
            timer = null;
            if (!closing) {
                connecting = connector.get();
                attempt = connecting;
            }
        }
        if (connecting == null) {
            end(CLOSED);
        } else {
            connecting.outcome().whenComplete(this::onAttempted);
        }
    }

    /** Any thread: the attempt may be over before its future has this action, or be ended by {@link #close}. */
    private void onAttempted(@Nullable QueuePair queuePair, @Nullable Throwable failure) {
        if (queuePair != null) {
            execute(queuePair.executor(), () -> onConnected(queuePair));
        } else {
            CloseReason reason = reasonOf(Objects.requireNonNull(failure, "failure"));
            execute(group.next(), () -> onEnded(reason));
        }
    }

    private static void execute(EventLoop loop, Runnable next) {
        if (loop.inEventLoop()) {
            next.run();
        } else {
            EventLoopTasks.execute(loop, next, next);
        }
    }

    private void connectAgain() {
        Throwable failure = Callbacks.call(this::connect);
        if (failure != null) {
            onEnded(reasonOf(failure));
        }
    }

    private static CloseReason reasonOf(Throwable failure) {
        return failure instanceof ConnectionClosedException ended
                ? ended.reason()
                : new CloseReason(EndedBy.LOCAL_APPLICATION, null, "could not connect again: " + failure, failure);
    }

    /** Event loop of the queue pair, which may have ended. */
    private void onConnected(QueuePair queuePair) {
        CompletableFuture<QueuePair> awaited = null;
        synchronized (lock) {
            attempt = null;
            currentQueuePair = queuePair;
            connectedAt = System.nanoTime();
            if (!closing) {
                awaited = nextQueuePair;
                nextQueuePair = new LoopFuture<>(group);
            }
        }
        if (awaited == null) {
            queuePair.close();
        } else {
            Callbacks.notify(queuePair.channel(), () -> listener.onConnected(queuePair));
            awaited.complete(queuePair);
        }
        queuePair.closed().thenAccept(this::onClosed);
    }

    private void onClosed(CloseReason reason) {
        synchronized (lock) {
            currentQueuePair = null;
            if (System.nanoTime() - connectedAt > pauseNanos) {
                pauseNanos = firstPauseNanos;
            }
        }
        onEnded(reason);
    }

    private void onEnded(CloseReason reason) {
        long pause;
        boolean willRetry;
        synchronized (lock) {
            attempt = null;
            willRetry = !closing && (reconnecting || reason.mayRetry());
            reconnecting = false;
            pause = pauseNanos - ThreadLocalRandom.current().nextLong(pauseNanos / 2 + 1);
            pauseNanos = Math.min(maxPauseNanos, 2 * pauseNanos);
        }
        Callbacks.notify(this, () -> listener.onDisconnected(reason, willRetry ? Duration.ofNanos(pause) : null));
        if (!willRetry || !schedule(pause)) {
            end(reason);
        }
    }

    private void end(CloseReason reason) {
        CompletableFuture<QueuePair> awaited;
        synchronized (lock) {
            awaited = nextQueuePair;
        }
        closeFuture.complete(reason);
        awaited.completeExceptionally(new ConnectionClosedException(reason));
    }

    /** Returns false if nothing follows, since the application has closed this, or its event loops are shut down. */
    private boolean schedule(long pause) {
        synchronized (lock) {
            if (closing) {
                return false;
            }
            try {
                timer = group.next().schedule(this::connectAgain, pause, TimeUnit.NANOSECONDS);
                return true;
            } catch (RejectedExecutionException shutDown) {
                return false;
            }
        }
    }

    /**
     * Returns a future that completes with the current queue pair, or with the next one while there is none: a thread
     * that may block takes each next one from it. It fails with a {@link ConnectionClosedException} if none follows.
     * {@link ReconnectListener#onConnected} has been called then.
     */
    public CompletableFuture<QueuePair> connected() {
        synchronized (lock) {
            QueuePair current = currentQueuePair;
            if (current == null || reconnecting || current.closeReason() != null) {
                return nextQueuePair.copy();
            }
            CompletableFuture<QueuePair> connected = new LoopFuture<>(group);
            connected.complete(current);
            return connected;
        }
    }

    /** Returns the current queue pair; null while there is none. */
    public @Nullable QueuePair queuePair() {
        synchronized (lock) {
            return currentQueuePair;
        }
    }

    /**
     * Closes the current connection gracefully and connects again, after a pause as after a lost connection. Does
     * nothing while there is no connection. Use it when a server that restarts asks its clients to disconnect.
     */
    public void reconnect() {
        QueuePair open;
        synchronized (lock) {
            open = currentQueuePair;
            if (open == null) {
                return; // no connection to close; the end of the last one may not be handled yet
            }
            reconnecting = true;
        }
        open.close();
    }

    /**
     * Closes the current connection gracefully or cancels the current attempt, and makes no other. Returns at once;
     * {@link #closed} completes when the connection or attempt is cleaned up.
     */
    @Override
    public void close() {
        QueuePair open;
        Attempt connecting;
        boolean wasPaused;
        synchronized (lock) {
            closing = true;
            open = currentQueuePair;
            connecting = attempt;
            Future<?> pending = timer;
            wasPaused = pending != null && pending.cancel(false);
        }
        if (open != null) {
            open.close();
        } else if (connecting != null) {
            connecting.cancel().run();
        } else if (wasPaused) {
            end(CLOSED);
        }
    }

    /**
     * Returns a future that completes with the last reason when there is no connection and none follows. The protection
     * domain may be closed immediately afterwards.
     */
    public CompletableFuture<CloseReason> closed() {
        return closeFuture.copy();
    }

    @Override
    public String toString() {
        return "Reconnector[" + address + "]";
    }
}
