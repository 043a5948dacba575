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
 * The state of a stream and what is known about it. The event loop changes the state, except that any thread may
 * {@linkplain #beginClose begin the close}. Any thread may read it.
 */
final class StreamLife {
    /** Never DRAINING: a stream drains while {@link #closing} has a reason and the stream has not ended. */
    private volatile ConnectionState state = ConnectionState.INIT;

    /** The reason of the orderly close; null before it begins. */
    private final AtomicReference<@Nullable CloseReason> closing = new AtomicReference<>();

    private final ClosedStages closed;
    private volatile @Nullable CloseReason closeReason;
    private volatile @Nullable MpaParameters parameters;
    private volatile @Nullable SSLSession tlsSession;
    private volatile boolean enhancedSetupRefused;

    /** @param eventLoop the event loop that changes the state */
    StreamLife(EventLoop eventLoop) {
        closed = new ClosedStages(eventLoop);
    }

    /** Stores the TLS session, if any, after the handshake. */
    void learnTlsSession(Channel channel) {
        tlsSession = TransportHandler.tlsSession(channel);
    }

    void established(MpaParameters agreed) {
        parameters = agreed;
        if (state == ConnectionState.INIT) {
            state = ConnectionState.ESTABLISHED;
        }
    }

    /** Enters the state in which this side may send requests. */
    void ready() {
        if (state == ConnectionState.INIT || state == ConnectionState.ESTABLISHED) {
            state = ConnectionState.READY;
        }
    }

    void enhancedSetupWasRefused() {
        enhancedSetupRefused = true;
    }

    /** Any thread: refuses requests from now on. The first reason is kept. */
    void beginClose(CloseReason reason) {
        closing.compareAndSet(null, reason);
    }

    /** Sets the reason for which RDMAP closes. */
    void closesFor(CloseReason reason) {
        closing.set(reason);
    }

    /** Ends the stream. Its channel may still be open. */
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

    /** Returns the reason of the stream's end, or null before it. */
    @Nullable
    CloseReason closeReason() {
        return closeReason;
    }

    /**
     * Returns the reason why requests are refused because the stream is closing or has ended; null if requests are
     * accepted.
     */
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
