package io.iwarp.mpa;

import io.iwarp.Role;
import io.iwarp.internal.mpa.AgreedParameters;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the two ends agreed on at start-up (RFC 5044 section 7.1; for the depths and the peer-to-peer model RFC 6581
 * section 9). Immutable.
 */
public sealed interface MpaParameters permits AgreedParameters {
    /** The depth that means "not negotiated here, the ULPs agree on it" (RFC 6581 section 9). */
    int NOT_NEGOTIATED = 0x3FFF;

    /** Returns the role of this end in the start-up. */
    Role role();

    /**
     * Returns the MPA revision in use: 1 for a plain or a pre-agreed start, or 2. DDP and RDMAP have version 1 with
     * both.
     */
    int revision();

    /** Returns whether the CRC of FPDUs is generated and checked, in both directions. */
    boolean crc();

    /** Returns whether this end puts markers into what it sends, because the peer asked for them. */
    boolean sendMarkers();

    /** Returns whether the peer puts markers into what it sends, because this end asked for them. */
    boolean receiveMarkers();

    /** Returns the largest ULPDU that MPA accepts, in bytes, at the start. It may change later. */
    int mulpdu();

    /**
     * Returns a copy of the private data in the peer's Request or Reply Frame, 0 to 512 bytes, without the bytes of the
     * enhanced set-up.
     */
    byte[] peerPrivateData();

    /**
     * Returns whether the two ends negotiated by the enhanced set-up. Otherwise the depths are this end's own settings.
     */
    boolean enhanced();

    /** Returns the maximum number of RDMA Reads and atomics of the peer that this end accepts at a time, 0 to 16382. */
    int ird();

    /** Returns the maximum number of RDMA Reads and atomics that this end may have outstanding, 0 to 16382. */
    int ord();

    /** Returns the IRD in the peer's frame, or {@link #NOT_NEGOTIATED}, also for a plain frame. */
    int peerIrd();

    /** Returns the ORD in the peer's frame, or {@link #NOT_NEGOTIATED}, also for a plain frame. */
    int peerOrd();

    /** Returns whether the peer-to-peer model is in use: the initiator sends a ready-to-receive message first. */
    boolean peerToPeer();

    /**
     * Returns the kinds of ready-to-receive message that the responder has to accept, those of the Reply Frame. Empty
     * without the peer-to-peer model. Unmodifiable.
     */
    Set<ReadyToReceive> readyToReceiveKinds();

    /**
     * Returns the kind of ready-to-receive message that this end has to send before anything else; null for a
     * responder, without the peer-to-peer model, or if the two frames do not match. A Read that serves as this message
     * is not the ULP's, but counts against the peer's IRD until its response.
     */
    @Nullable
    ReadyToReceive readyToReceive();
}
