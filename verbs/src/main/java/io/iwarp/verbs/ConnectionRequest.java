package io.iwarp.verbs;

import io.iwarp.internal.mpa.MpaConnectionRequest;
import io.iwarp.internal.transport.TransportHandler;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.OptionalInt;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A peer's request for a connection, to be accepted or rejected once (a connect request event of {@code rdma_cm}). Safe
 * for use by any thread.
 */
public final class ConnectionRequest {
    private static final byte[] NO_PRIVATE_DATA = {};

    private final MpaConnectionRequest request;
    private final ConnectionSetup setup;
    private final @Nullable SSLSession tlsSession;

    /** Event loop. */
    ConnectionRequest(MpaConnectionRequest request, ConnectionSetup setup) {
        this.request = request;
        this.setup = setup;
        this.tlsSession = TransportHandler.tlsSession(request.channel());
    }

    /** Returns the private data of the peer's request, 0 to 512 bytes. */
    public byte[] privateData() {
        return request.privateData();
    }

    /** Returns the MPA revision of the peer's request. */
    public int revision() {
        return request.revision();
    }

    /**
     * Returns the maximum number of Reads and atomics that the peer accepts at a time, 0 to 16382; empty if unknown. An
     * application that needs more can reject the request.
     */
    public OptionalInt peerIrd() {
        return NegotiatedDepth.of(request.peerIrd());
    }

    /**
     * Returns the number of outstanding Reads and atomics that the peer requests, 0 to 16382; empty if unknown. The
     * peer respects the IRD of this side.
     */
    public OptionalInt peerOrd() {
        return NegotiatedDepth.of(request.peerOrd());
    }

    /** Returns the address of the peer; null if the transport has no addresses. */
    public @Nullable SocketAddress remoteAddress() {
        return request.channel().remoteAddress();
    }

    /**
     * Returns the TLS session of the connection, with cipher suite and the peer's certificates; null without TLS. Its
     * handshake is complete. The session is valid until the request is accepted or rejected.
     */
    public @Nullable SSLSession tlsSession() {
        return tlsSession;
    }

    /**
     * Returns the peer's identity as verified by its certificate; null without TLS, or if TLS did not request a
     * certificate. Use it to decide whether to accept and which memory to advertise: a peer that has an STag may use it
     * (RFC 5042 section 2).
     */
    public @Nullable Principal peerPrincipal() {
        return QueuePair.principalOf(tlsSession);
    }

    /** Returns the set-up of the connection: its domain, settings, queue pair and private data. */
    public ConnectionSetup setup() {
        return setup;
    }

    /** Returns the queue pair of the connection; see {@link ConnectionSetup#queuePair}. */
    public QueuePair queuePair() {
        return setup.queuePair();
    }

    /** Accepts with the private data of the {@link #setup}, by default none. */
    public void accept() {
        accept(setup.privateData());
    }

    /**
     * Accepts the connection, and makes its queue pair if that does not exist yet. Does nothing if the connection has
     * ended; {@link QueuePair#closed} gives the reason.
     *
     * @param privateData sent to the peer with the acceptance, 0 to 512 bytes, or 0 to 508 if the peer's
     *     {@link #peerIrd} is known
     * @throws IllegalArgumentException if there are more bytes than that; the request can still be accepted or rejected
     *     then
     * @throws IllegalStateException if the request was already accepted or rejected, or the protection domain was
     *     closed
     */
    public void accept(byte[] privateData) {
        setup.queuePair();
        request.accept(privateData, setup.settings().mpa());
    }

    /**
     * Accepts the connection and advertises memory to the peer, which reads it from {@link QueuePair#remoteBuffers}.
     *
     * @param first sent to the peer as private data, in the encoding of {@link RemoteBuffer}
     * @param more sent as well, at most 25 in total
     * @throws IllegalArgumentException if there are more than that; the request can still be accepted or rejected then
     * @throws IllegalStateException if the request was already accepted or rejected
     */
    public void accept(RemoteBuffer first, RemoteBuffer... more) {
        accept(ConnectionSetup.encode(first, more));
    }

    /**
     * Accepts the connection and advertises a whole region, as {@link #accept(RemoteBuffer, RemoteBuffer...)} does with
     * its {@link MemoryRegion#remoteBuffer}.
     *
     * @throws IllegalArgumentException if the region belongs to another domain than the queue pair
     */
    public void accept(MemoryRegion region) {
        if (region.protectionDomain() != setup.domain()) {
            throw new IllegalArgumentException(
                    region + " belongs to another protection domain than the queue pair, so the peer cannot access"
                            + " it; set the domain of the region at the server or in the set-up of the request");
        }
        accept(region.remoteBuffer());
    }

    /** Rejects without private data. */
    public void reject() {
        reject(NO_PRIVATE_DATA);
    }

    /**
     * Rejects the connection; the channel is closed after the rejection has been sent. Does nothing if the connection
     * has ended.
     *
     * @param privateData sent to the peer with the rejection, 0 to 512 bytes, or 0 to 508 if the peer's
     *     {@link #peerIrd} is known
     * @throws IllegalArgumentException if there are more bytes than that; the request can still be accepted or rejected
     *     then
     * @throws IllegalStateException if the request was already accepted or rejected
     */
    public void reject(byte[] privateData) {
        request.reject(privateData);
    }

    /**
     * Rejects the connection with a reason. A peer that uses this library reports the text in its
     * {@link io.iwarp.ConnectionRejectedException}.
     *
     * @param why sent to the peer as private data, in UTF-8: up to 512 bytes, or 508 if the peer's {@link #peerIrd} is
     *     known
     * @throws IllegalArgumentException if there are more bytes than that; the request can still be accepted or rejected
     *     then
     * @throws IllegalStateException if the request was already accepted or rejected
     */
    public void reject(String why) {
        reject(why.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Rejects the connection because the peer accepts fewer Reads and atomics at a time ({@link #peerIrd}) than the
     * application needs, and sends the required number to the peer.
     *
     * @param privateData sent to the peer with the rejection, 0 to 508 bytes
     * @param requiredOrd the number of outstanding Reads and atomics that this side needs, 0 to 16382
     * @throws IllegalArgumentException if an argument is out of its range; the request can still be accepted or
     *     rejected then
     * @throws IllegalStateException if the request was already accepted or rejected
     * @see <a href="https://www.rfc-editor.org/rfc/rfc6581#section-9.1">RFC 6581 section 9.1</a>
     */
    public void reject(byte[] privateData, int requiredOrd) {
        request.reject(privateData, requiredOrd);
    }

    @Override
    public String toString() {
        return "ConnectionRequest[" + request.channel() + "]";
    }
}
