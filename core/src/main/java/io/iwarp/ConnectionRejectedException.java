package io.iwarp;

import java.util.OptionalInt;

/** The peer rejected the connection: it sent an MPA Reply with the R bit set (RFC 5044 section 7.1.1). */
public final class ConnectionRejectedException extends ConnectionClosedException {
    private static final long serialVersionUID = 1L;

    private final byte[] privateData;
    private final transient OptionalInt peerIrd;
    private final transient OptionalInt peerOrd;

    /**
     * Creates an exception for a rejected connection.
     *
     * @param privateData the Private Data of the peer's Reply, 0 to 512 bytes; copied
     */
    public ConnectionRejectedException(byte[] privateData) {
        this(privateData, OptionalInt.empty(), OptionalInt.empty());
    }

    /**
     * Creates an exception for a rejected connection whose peer stated its depths (RFC 6581 section 9.1).
     *
     * @param privateData the Private Data of the peer's Reply, 0 to 512 bytes; copied
     * @param peerIrd how many RDMA Reads and atomics the peer would accept at a time, 0 to 16382, if stated
     * @param peerOrd how many the peer would have outstanding, 0 to 16382, if stated
     */
    public ConnectionRejectedException(byte[] privateData, OptionalInt peerIrd, OptionalInt peerOrd) {
        super(CloseReason.ofRejection(privateData));
        this.privateData = privateData.clone();
        this.peerIrd = peerIrd;
        this.peerOrd = peerOrd;
    }

    /** Returns a copy of the Private Data of the rejection, 0 to 512 bytes. */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** Returns how many RDMA Reads and atomics the peer would accept at a time, 0 to 16382; empty if not stated. */
    public OptionalInt peerIrd() {
        return peerIrd;
    }

    /**
     * Returns how many RDMA Reads and atomics the peer would have outstanding, 0 to 16382; empty if not stated. A peer
     * that rejects because the IRD of this end is too small states here what it needs.
     */
    public OptionalInt peerOrd() {
        return peerOrd;
    }
}
