package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * A client that stays connected to one address: after each end that {@linkplain CloseReason#mayRetry may be retried} it
 * connects again. The pauses before grow from a first one to the longest, by a factor of two, and each is shortened at
 * random by up to half, so that the clients of a server that restarts do not come all at once. A connection that lasted
 * longer than the pause before it makes the pauses short again. Made by {@link Iwarp.Client#stayConnected}.
 *
 * <p>It ends with the first end that may not be retried, such as a rejection or a {@link #close} of this side. Any
 * thread may call any method.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
public final class Reconnector implements AutoCloseable {
    private static final CloseReason CLOSED =
            new CloseReason(EndedBy.LOCAL_APPLICATION, null, "closed by the application", null);

    private final Supplier<CompletableFuture<QueuePair>> connects;
    private final EventLoopGroup group;
    private final SocketAddress address;
    private final ReconnectListener listener;
    private final long firstPauseNanos;
    private final long maxPauseNanos;
    private final LoopFuture<CloseReason> closed;

    /** Guards what follows. Listeners and futures are called without it. */
    private final Object lock = new Object();

    private boolean closing;
    private long pauseNanos;
    private long connectedAt;
    private @Nullable CompletableFuture<QueuePair> attempt;
    private @Nullable QueuePair current;
    private @Nullable Future<?> timer;

    /**
     * @param connects connects to the address
     * @param group of the connections
     */
    Reconnector(
            Supplier<CompletableFuture<QueuePair>> connects,
            EventLoopGroup group,
            SocketAddress address,
            ReconnectListener listener,
            Duration firstPause,
            Duration maxPause) {
        if (firstPause.isZero() || firstPause.isNegative() || firstPause.compareTo(maxPause) > 0) {
            throw new IllegalArgumentException("the first pause is " + firstPause + " and the longest " + maxPause
                    + ": give a first one above 0, and a longest that is at least as long");
        }
        this.connects = connects;
        this.group = group;
        this.address = address;
        this.listener = listener;
        this.firstPauseNanos = firstPause.toNanos();
        this.maxPauseNanos = maxPause.toNanos();
        this.pauseNanos = firstPauseNanos;
        this.closed = new LoopFuture<>(group);
    }

    /** Connects. */
    void connect() {
        CompletableFuture<QueuePair> connecting;
        synchronized (lock) {
            timer = null;
            if (closing) {
                return;
            }
            connecting = connects.get();
            attempt = connecting;
        }
        connecting.whenComplete((queuePair, failure) -> {
            if (failure == null) {
                connected(queuePair);
            } else {
                ended(reasonOf(failure));
            }
        });
    }

    private void connectAgain() {
        Throwable failure = Application.call(this::connect);
        if (failure != null) {
            ended(reasonOf(failure));
        }
    }

    private static CloseReason reasonOf(Throwable failure) {
        return failure instanceof ConnectionClosedException ended
                ? ended.reason()
                : new CloseReason(EndedBy.LOCAL_APPLICATION, null, "could not connect again: " + failure, failure);
    }

    private void connected(QueuePair queuePair) {
        boolean unwanted;
        synchronized (lock) {
            attempt = null;
            current = queuePair;
            connectedAt = System.nanoTime();
            unwanted = closing;
        }
        queuePair.closed().thenAccept(this::lost);
        if (unwanted) {
            queuePair.close();
        } else {
            Application.notify(queuePair.channel(), () -> listener.onConnected(queuePair));
        }
    }

    private void lost(CloseReason reason) {
        synchronized (lock) {
            current = null;
            if (System.nanoTime() - connectedAt > pauseNanos) {
                pauseNanos = firstPauseNanos;
            }
        }
        ended(reason);
    }

    private void ended(CloseReason reason) {
        long pause;
        boolean again;
        synchronized (lock) {
            attempt = null;
            again = !closing && reason.mayRetry();
            pause = pauseNanos - ThreadLocalRandom.current().nextLong(pauseNanos / 2 + 1);
            pauseNanos = Math.min(maxPauseNanos, 2 * pauseNanos);
        }
        Application.notify(this, () -> listener.onDisconnected(reason, again ? Duration.ofNanos(pause) : null));
        if (!again || !schedule(pause)) {
            closed.complete(reason);
        }
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

    /** Returns the current queue pair; null while there is none. */
    public @Nullable QueuePair queuePair() {
        synchronized (lock) {
            return current;
        }
    }

    /**
     * Ends the current connection in order, and makes no other. Returns at once; {@link #closed} completes when the
     * connection has ended.
     */
    @Override
    public void close() {
        QueuePair open;
        CompletableFuture<QueuePair> connecting;
        boolean paused;
        synchronized (lock) {
            closing = true;
            open = current;
            connecting = attempt;
            Future<?> pending = timer;
            paused = pending != null && pending.cancel(false);
        }
        if (open != null) {
            open.close();
        } else if (connecting != null) {
            connecting.completeExceptionally(new ConnectionClosedException(CLOSED));
        } else if (paused) {
            closed.complete(CLOSED);
        }
    }

    /** Returns a future that completes with the last reason when there is no connection and none follows. */
    public CompletableFuture<CloseReason> closed() {
        return closed.copy();
    }

    @Override
    public String toString() {
        return "Reconnector[" + address + "]";
    }
}
