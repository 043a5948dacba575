package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.transport.TransportHandler;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Where the stream of a queue pair is in its life, and what is known of it. The event loop moves it on, except that any
 * thread may {@linkplain #beginClose begin the close}; any thread may ask.
 */
final class StreamLife {
    /** Never DRAINING: a stream drains when there is a reason in {@link #closing}, until it ends. */
    private volatile ConnectionState state = ConnectionState.INIT;

    /** Why the orderly close began that is under way; null before it. */
    private final AtomicReference<@Nullable CloseReason> closing = new AtomicReference<>();

    private final ClosedStages closed;
    private volatile @Nullable CloseReason closeReason;
    private volatile @Nullable MpaParameters parameters;
    private volatile @Nullable SSLSession tlsSession;
    private volatile boolean enhancedSetupRefused;

    /** @param eventLoop moves the stream on */
    StreamLife(EventLoop eventLoop) {
        closed = new ClosedStages(eventLoop);
    }

    /** TLS has finished its handshake, if there is TLS. */
    void learnTlsSession(Channel channel) {
        tlsSession = TransportHandler.tlsSession(channel);
    }

    void established(MpaParameters agreed) {
        parameters = agreed;
        if (state == ConnectionState.INIT) {
            state = ConnectionState.ESTABLISHED;
        }
    }

    /** Requests of this side may flow. */
    void ready() {
        if (state == ConnectionState.INIT || state == ConnectionState.ESTABLISHED) {
            state = ConnectionState.READY;
        }
    }

    void enhancedSetupWasRefused() {
        enhancedSetupRefused = true;
    }

    /** Any thread: requests are refused from now on, with this reason unless there is one already. */
    void beginClose(CloseReason reason) {
        closing.compareAndSet(null, reason);
    }

    /** RDMAP closes, for this reason. */
    void closesFor(CloseReason reason) {
        closing.set(reason);
    }

    /** The stream is over; its channel may still be open. */
    void end(CloseReason reason, Channel channel) {
        closeReason = reason;
        state = channel.isOpen() ? ConnectionState.ERROR : ConnectionState.CLOSED;
        channel.closeFuture().addListener(closing -> state = ConnectionState.CLOSED);
    }

    ConnectionState state() {
        ConnectionState now = state;
        if (now == ConnectionState.ERROR || now == ConnectionState.CLOSED) {
            return now;
        }
        return closing.get() == null ? now : ConnectionState.DRAINING;
    }

    /** Returns why the stream ended; null while it has not. */
    @Nullable
    CloseReason closeReason() {
        return closeReason;
    }

    /** Returns why requests are refused: the stream ended, or closes; null if they are not. */
    @Nullable
    CloseReason overReason() {
        CloseReason ended = closeReason;
        return ended == null ? closing.get() : ended;
    }

    @Nullable
    MpaParameters parameters() {
        return parameters;
    }

    @Nullable
    SSLSession tlsSession() {
        return tlsSession;
    }

    /** Returns whether the peer closed the connection on an enhanced connection request. */
    boolean enhancedSetupRefused() {
        return enhancedSetupRefused;
    }

    ClosedStages closed() {
        return closed;
    }
}
