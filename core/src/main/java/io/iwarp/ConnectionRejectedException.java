package io.iwarp;

import java.util.OptionalInt;

/** The peer refused the connection: it answered with an MPA Reply whose R bit is set (RFC 5044 section 7.1.1). */
public final class ConnectionRejectedException extends IwarpException {
    private static final long serialVersionUID = 1L;

    private final byte[] privateData;
    private final transient OptionalInt peerIrd;
    private final transient OptionalInt peerOrd;

    /**
     * An exception for a refused connection.
     *
     * @param privateData the Private Data of the peer's Reply, 0 to 512 bytes; copied
     */
    public ConnectionRejectedException(byte[] privateData) {
        this(privateData, OptionalInt.empty(), OptionalInt.empty());
    }

    /**
     * An exception for a refused connection whose peer told its depths (RFC 6581 section 9.1).
     *
     * @param privateData the Private Data of the peer's Reply, 0 to 512 bytes; copied
     * @param peerIrd how many RDMA Reads and atomics the peer would take at a time, 0 to 16382, if it said so
     * @param peerOrd how many the peer would have outstanding, 0 to 16382, if it said so
     */
    public ConnectionRejectedException(byte[] privateData, OptionalInt peerIrd, OptionalInt peerOrd) {
        super(
                "the peer rejected the connection with " + privateData.length
                        + " bytes of private data, in which its application may say why",
                null);
        this.privateData = privateData.clone();
        this.peerIrd = peerIrd;
        this.peerOrd = peerOrd;
    }

    /** A copy of the Private Data that came with the refusal, 0 to 512 bytes. */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** How many RDMA Reads and atomics the peer would take at a time, 0 to 16382; empty if it did not say. */
    public OptionalInt peerIrd() {
        return peerIrd;
    }

    /**
     * How many RDMA Reads and atomics the peer would have outstanding, 0 to 16382; empty if it did not say. A peer that
     * rejects because our IRD is too small shows here what it needs.
     */
    public OptionalInt peerOrd() {
        return peerOrd;
    }
}
