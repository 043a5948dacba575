package io.iwarp.verbs;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaConnectionRequest;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A peer's request for a connection, to be accepted or rejected once (what {@code rdma_cm} calls a connect request event).
 * Safe for use by any thread.
 */
public final class ConnectionRequest {
    private static final byte[] NO_PRIVATE_DATA = {};

    private final MpaConnectionRequest request;
    private final QueuePair queuePair;

    ConnectionRequest(MpaConnectionRequest request, QueuePair queuePair) {
        this.request = request;
        this.queuePair = queuePair;
    }

    /** Returns what the peer sent with its request, 0 to 512 bytes. */
    public byte[] privateData() {
        return request.privateData();
    }

    /** Returns the MPA revision of the peer's request. */
    public int revision() {
        return request.revision();
    }

    /**
     * Returns how many Reads and atomics the peer takes at a time, 0 to 16382; empty if it does not say. An application
     * that needs more can reject the request.
     */
    public OptionalInt peerIrd() {
        return NegotiatedDepth.of(request.peerIrd());
    }

    /**
     * Returns how many Reads and atomics the peer would like to have outstanding, 0 to 16382; empty if it does not say.
     * It will keep to the IRD of this side.
     */
    public OptionalInt peerOrd() {
        return NegotiatedDepth.of(request.peerOrd());
    }

    /** Returns who asks; null if the transport has no addresses. */
    public @Nullable SocketAddress remoteAddress() {
        return queuePair.channel().remoteAddress();
    }

    /**
     * Returns the TLS session of the connection, with cipher suite and the peer's certificates; null without TLS. Its
     * handshake is complete. It can be used for as long as the decision takes.
     */
    public @Nullable SSLSession tlsSession() {
        return queuePair.tlsSession();
    }

    /**
     * Returns who the peer has proven to be by its certificate; null without TLS, or if TLS did not ask for one. Decide
     * by it whether to accept, and which memory to advertise: who has an STag may use it (RFC 5042 section 2).
     */
    public @Nullable Principal peerPrincipal() {
        return queuePair.peerPrincipal();
    }

    /** Returns the queue pair that the connection will have: set its listeners and post receives before accepting. */
    public QueuePair queuePair() {
        return queuePair;
    }

    /** Accepts without private data. */
    public void accept() {
        accept(NO_PRIVATE_DATA);
    }

    /**
     * Accepts the connection. If the peer has gone meanwhile, nothing happens: {@link QueuePair#closed} tells why.
     *
     * @param privateData goes to the peer with the acceptance, 0 to 512 bytes, or 508 if the peer told its {@link #peerIrd}
     * @throws IllegalArgumentException if there are more bytes than that; the request can still be answered then
     * @throws IllegalStateException if the request was answered before
     */
    public void accept(byte[] privateData) {
        request.accept(privateData);
    }

    /**
     * Accepts the connection and advertises memory to the peer, which finds it in {@link QueuePair#remoteBuffers}.
     *
     * @param first goes to the peer as private data, in the encoding of {@link RemoteBuffer}
     * @param more go there too, 25 in all at most
     * @throws IllegalArgumentException if there are more than that; the request can still be answered then
     * @throws IllegalStateException if the request was answered before
     */
    public void accept(RemoteBuffer first, RemoteBuffer... more) {
        List<RemoteBuffer> buffers = new ArrayList<>();
        buffers.add(first);
        Collections.addAll(buffers, more);
        accept(RemoteBuffer.encodeAll(buffers));
    }

    /** Rejects without private data. */
    public void reject() {
        reject(NO_PRIVATE_DATA);
    }

    /**
     * Rejects the connection; the channel is closed after the rejection has been sent. If the peer has gone meanwhile,
     * nothing happens.
     *
     * @param privateData goes to the peer with the rejection, 0 to 512 bytes, or 508 if the peer told its {@link #peerIrd}
     * @throws IllegalArgumentException if there are more bytes than that; the request can still be answered then
     * @throws IllegalStateException if the request was answered before
     */
    public void reject(byte[] privateData) {
        request.reject(privateData);
    }

    /**
     * Rejects the connection and says why. A peer that uses this library shows the text in its
     * {@link io.iwarp.ConnectionRejectedException}.
     *
     * @param why goes to the peer as private data, in UTF-8: up to 512 bytes, or 508 if the peer told its {@link #peerIrd}
     * @throws IllegalArgumentException if there are more bytes than that; the request can still be answered then
     * @throws IllegalStateException if the request was answered before
     */
    public void reject(String why) {
        reject(why.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Rejects the connection because the peer takes fewer Reads and atomics at a time ({@link #peerIrd}) than the
     * application needs, and tells the peer how many that is.
     *
     * @param privateData goes to the peer with the rejection, 0 to 508 bytes
     * @param requiredOrd how many Reads and atomics this side needs to have outstanding, 0 to 16382
     * @throws IllegalArgumentException if an argument is out of its range; the request can still be answered then
     * @throws IllegalStateException if the request was answered before
     * @see <a href="https://www.rfc-editor.org/rfc/rfc6581#section-9.1">RFC 6581 section 9.1</a>
     */
    public void reject(byte[] privateData, int requiredOrd) {
        request.reject(privateData, requiredOrd);
    }
}
