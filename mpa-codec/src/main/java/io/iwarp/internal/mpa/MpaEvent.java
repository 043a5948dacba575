package io.iwarp.internal.mpa;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The events that MPA fires up the pipeline, as user events on the channel's event loop.
 *
 * <p>The order on one channel: either {@link StartupFailed}, or {@link Rejected}, each of which is the only event; or
 * {@link Established}, then once {@link TransmitReady}, with {@link MulpduChanged} at any time after Established, and
 * {@link InputShutdown} or {@link Fault} as the last. Only if an initiator found that the set-up failed, the order is
 * Established, Fault, TransmitReady: then the layers above send a Terminate, as the first FPDU, and close (RFC 6581,
 * section 9).
 */
public sealed interface MpaEvent {

    /**
     * The start-up is over and Full Operation begins with the next byte of each direction. Fired by the start-up
     * handler before it forwards bytes that followed the peer's frame, so that the layers above are ready before the
     * first FPDU (RFC 5044 section 7.1).
     *
     * @param parameters what the two ends agreed on
     * @param setupFault on an initiator, why the set-up has failed although the responder accepted (error 2/0/05,
     *     2/0/06 or 2/0/07); null if it has not, and on a responder. {@link Fault} follows with it.
     */
    record Established(
            AgreedParameters parameters, @Nullable ProtocolFault setupFault) implements MpaEvent {

        /** Checks that the parameters are not null. */
        public Established {
            Objects.requireNonNull(parameters, "parameters");
        }

        /** Creates the event of a successful start-up. */
        public Established(AgreedParameters parameters) {
            this(parameters, null);
        }
    }

    /**
     * ULPDUs may be sent. The framing handler fires it: for an initiator, and for both ends of a
     * {@linkplain StartMode#PREAGREED pre-agreed} start, directly after {@link Established}; for a responder when it
     * has validated the first FPDU from the peer, before it passes that FPDU's ULPDU up (RFC 5044 section 7.1.2, rule
     * 4).
     */
    record TransmitReady() implements MpaEvent {}

    /**
     * The largest ULPDU that MPA accepts has changed with the segment size of TCP. ULPDUs already accepted do not
     * change (RFC 5044 section 4.5).
     *
     * @param mulpdu the new limit in bytes
     */
    record MulpduChanged(int mulpdu) implements MpaEvent {}

    /**
     * The responder's application rejected the connection request. All MPA, DDP and RDMAP handlers remove themselves on
     * this event. TCP stays open, and its next byte belongs to the ULP, which closes the channel unless it has another
     * use for it (RFC 5044 section 7.1.2, rules 2 and 3).
     *
     * @param endedBy {@link EndedBy#LOCAL_APPLICATION} on the responder, {@link EndedBy#PEER_REJECTED} on the initiator
     * @param privateData the ULP's private data of the rejecting Reply Frame, received or sent, 0 to 512 bytes
     * @param peerIrd the IRD in the peer's frame, or {@link MpaParameters#NOT_NEGOTIATED}, also for a plain frame
     * @param peerOrd the ORD in the peer's frame, likewise. On an initiator: the ORD that the responder would have
     *     used, and needs if it is larger than the IRD asked with.
     */
    @SuppressWarnings("ArrayRecordComponent") // copied in and out, compared by content
    record Rejected(EndedBy endedBy, byte[] privateData, int peerIrd, int peerOrd) implements MpaEvent {

        /** Copies the private data. */
        public Rejected {
            privateData = privateData.clone();
        }

        /** Creates the event for a plain frame of the peer. */
        public Rejected(EndedBy endedBy, byte[] privateData) {
            this(endedBy, privateData, MpaParameters.NOT_NEGOTIATED, MpaParameters.NOT_NEGOTIATED);
        }

        /** Returns why there is no stream. */
        public CloseReason reason() {
            return endedBy == EndedBy.PEER_REJECTED
                    ? CloseReason.ofRejection(privateData)
                    : CloseReason.of(endedBy, "the connection request was rejected");
        }

        /** Returns a copy of the private data of the rejecting Reply Frame, 0 to 512 bytes. */
        @Override
        public byte[] privateData() {
            return privateData.clone();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Rejected that
                    && endedBy == that.endedBy
                    && Arrays.equals(privateData, that.privateData)
                    && peerIrd == that.peerIrd
                    && peerOrd == that.peerOrd;
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(privateData) + Objects.hash(endedBy, peerIrd, peerOrd);
        }

        @Override
        public String toString() {
            return "Rejected[" + endedBy + ", " + privateData.length + " bytes of private data, peer's IRD " + peerIrd
                    + ", peer's ORD " + peerOrd + "]";
        }
    }

    /**
     * The start-up failed: an invalid frame, a timeout, a closed connection. The start-up handler closes the channel
     * right after this event.
     *
     * @param reason who ended it and why
     * @param enhancedRefused whether the peer seems not to know the enhanced set-up: it closed the connection after our
     *     enhanced Request Frame without sending a byte, or accepted with a plain Reply Frame. In that case a plain
     *     request on a new connection may succeed (RFC 6581 section 10); see
     *     {@link MpaSettings#withoutEnhancedSetup()}.
     */
    record StartupFailed(CloseReason reason, boolean enhancedRefused) implements MpaEvent {

        /** Checks that the reason is not null. */
        public StartupFailed {
            Objects.requireNonNull(reason, "reason");
        }

        /** Creates the event of a failure without relation to the enhanced set-up. */
        public StartupFailed(CloseReason reason) {
            this(reason, false);
        }
    }

    /**
     * The peer closed its half of the TCP connection. This end may still send. If the FIN came inside an FPDU, a
     * {@link Fault} precedes this event.
     */
    record InputShutdown() implements MpaEvent {}

    /**
     * The stream from the peer is broken (error 2/0/01, 2/0/02 or 2/0/03), or an initiator's enhanced set-up has failed
     * (error 2/0/05, 2/0/06 or 2/0/07); nothing more is passed up. The layer above closes the channel, and may send a
     * Terminate first (RFC 5044 section 8).
     *
     * @param fault the error and what was wrong
     * @param transmitReady whether a Terminate can be sent: at once, or, if the set-up failed, after
     *     {@link TransmitReady}, which follows
     */
    record Fault(ProtocolFault fault, boolean transmitReady) implements MpaEvent {

        /** Checks that the fault is not null. */
        public Fault {
            Objects.requireNonNull(fault, "fault");
        }
    }
}
