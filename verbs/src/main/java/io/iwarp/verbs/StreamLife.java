package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.rdmap.StreamState;
import io.iwarp.transport.TransportHandler;
import io.netty.channel.Channel;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The {@linkplain StreamState state} of a stream, and what else is known about it: what was agreed, the TLS session,
 * and who waits for the end. The event loop writes, any thread reads.
 */
final class StreamLife {
    private final Channel channel;
    private final StreamState state = new StreamState();
    private final ClosedFutures closed;
    private volatile @Nullable MpaParameters parameters;
    private volatile @Nullable SSLSession tlsSession;
    private volatile boolean enhancedSetupRefused;
    private volatile Runnable whenEstablished = () -> {};

    StreamLife(Channel channel) {
        this.channel = channel;
        this.closed = new ClosedFutures(channel.eventLoop());
    }

    /** Returns the state, which RDMAP changes. */
    StreamState stream() {
        return state;
    }

    /** Stores the TLS session, if any, after the handshake. */
    void learnTlsSession() {
        tlsSession = TransportHandler.tlsSession(channel);
    }

    /** Sets what the event loop calls once the two ends have agreed. Set it before. */
    void whenEstablished(Runnable action) {
        whenEstablished = action;
    }

    void established(MpaParameters agreed) {
        parameters = agreed;
        whenEstablished.run();
    }

    void enhancedSetupWasRefused() {
        enhancedSetupRefused = true;
    }

    ConnectionState state() {
        return state.connectionState(channel.isOpen());
    }

    /** Returns the reason of the stream's end, or null before it. */
    @Nullable
    CloseReason closeReason() {
        return state.closeReason();
    }

    /**
     * Returns the reason why requests are refused because the stream is ending or has ended; null if requests are
     * accepted.
     */
    @Nullable
    CloseReason refusalReason() {
        return state.refusalReason();
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

    ClosedFutures closed() {
        return closed;
    }
}
