package io.iwarp.mpa;

import io.iwarp.CloseReason;
import io.iwarp.ProtocolFault;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What MPA tells the handlers above it, as user events up the pipeline, on the channel's event loop.
 *
 * <p>The order on one channel: either {@link StartupFailed}, or {@link Rejected}, each of which is the only event; or
 * {@link Established}, then once {@link TransmitReady}, with {@link MulpduChanged} at any time after Established, and
 * {@link PeerClosedHalf} or {@link Fault} as the last. Only if an initiator found that the set-up failed, the order is
 * Established, Fault, TransmitReady: then there is nothing to do but to send a Terminate, as the first FPDU, and to close
 * (RFC 6581, section 9).
 */
public sealed interface MpaEvent {

    /**
     * The start-up is over and Full Operation begins with the next byte of each direction. Fired by the start-up handler
     * before it forwards bytes that came right behind the peer's frame, so that everything above is bound to the
     * stream before the first FPDU reaches it (RFC 5044, section 7.1).
     *
     * @param parameters what the two ends agreed on
     * @param setupFault on an initiator, why the set-up has failed although the responder accepted (error 2/0/05, 2/0/06 or
     *     2/0/07); null if it has not, and on a responder. {@link Fault} follows with it.
     */
    record Established(MpaParameters parameters, @Nullable ProtocolFault setupFault) implements MpaEvent {

        /** Checks that there are parameters. */
        public Established {
            Objects.requireNonNull(parameters, "parameters");
        }

        /** Creates the event of a start-up in which nothing failed. */
        public Established(MpaParameters parameters) {
            this(parameters, null);
        }
    }

    /**
     * ULPDUs may be sent from now on. The framing handler fires it: for an initiator, and for both ends of a
     * {@linkplain StartMode#PREAGREED pre-agreed} start, right behind {@link Established}; for a responder when it has
     * validated the first FPDU from the peer, before it passes that FPDU's ULPDU up (RFC 5044, section 7.1.2, rule 4).
     */
    record TransmitReady() implements MpaEvent {}

    /**
     * The largest ULPDU that MPA takes has changed, because TCP's segment size did. ULPDUs already taken stay as they are
     * (RFC 5044, section 4.5).
     *
     * @param mulpdu the new limit in bytes
     */
    record MulpduChanged(int mulpdu) implements MpaEvent {}

    /**
     * The responder's application refused the connection: the peer did (on the initiator), or we did (on the responder).
     * Every MPA, DDP and RDMAP handler leaves the pipeline on this event. TCP stays open and its next byte belongs to
     * the ULP, which closes the channel unless it has another use for it (RFC 5044, section 7.1.2, rules 2 and 3).
     *
     * @param privateData the ULP's private data of the rejecting Reply Frame, received or sent, 0 to 512 bytes
     * @param peerIrd the IRD in the peer's frame, or {@link EnhancedSetup#NOT_NEGOTIATED}, also for a plain frame
     * @param peerOrd the ORD in the peer's frame, likewise. On an initiator: the ORD that the responder would have used, and
     *     needs if it is larger than the IRD asked with.
     */
    @SuppressWarnings("ArrayRecordComponent") // copied in and out, compared by content
    record Rejected(byte[] privateData, int peerIrd, int peerOrd) implements MpaEvent {

        /** Copies the private data. */
        public Rejected {
            privateData = privateData.clone();
        }

        /** Creates the event for a plain frame of the peer. */
        public Rejected(byte[] privateData) {
            this(privateData, EnhancedSetup.NOT_NEGOTIATED, EnhancedSetup.NOT_NEGOTIATED);
        }

        /** Returns a copy of the private data of the rejecting Reply Frame, 0 to 512 bytes. */
        @Override
        public byte[] privateData() {
            return privateData.clone();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Rejected that
                    && Arrays.equals(privateData, that.privateData)
                    && peerIrd == that.peerIrd
                    && peerOrd == that.peerOrd;
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(privateData) + Objects.hash(peerIrd, peerOrd);
        }

        @Override
        public String toString() {
            return "Rejected[" + privateData.length + " bytes of private data, peer's IRD " + peerIrd + ", peer's ORD "
                    + peerOrd + "]";
        }
    }

    /**
     * The start-up came to nothing: a bad frame, a timeout, a closed connection. The start-up handler closes the channel
     * right after this event.
     *
     * @param reason who ended it and why
     * @param enhancedRefused whether the peer behaved as one does that does not know the enhanced set-up: it closed the
     *     connection on our enhanced Request Frame without a byte of its own, or accepted by a plain Reply Frame. A plain
     *     request on a new connection may succeed then (RFC 6581, section 10), see {@link
     *     MpaSettings#withoutEnhancedSetup()}.
     */
    record StartupFailed(CloseReason reason, boolean enhancedRefused) implements MpaEvent {

        /** Checks that there is a reason. */
        public StartupFailed {
            Objects.requireNonNull(reason, "reason");
        }

        /** Creates the event of a failure that has nothing to do with the enhanced set-up. */
        public StartupFailed(CloseReason reason) {
            this(reason, false);
        }
    }

    /** The peer closed its half of the TCP connection, at an FPDU boundary. We may still send. */
    record PeerClosedHalf() implements MpaEvent {}

    /**
     * The stream from the peer is broken (error 2/0/01, 2/0/02 or 2/0/03), or an initiator's enhanced set-up has failed (error
     * 2/0/05, 2/0/06 or 2/0/07); nothing of the stream goes up any more. MPA leaves
     * closing to the layer above, which may send a Terminate first (RFC 5044, section 8).
     *
     * @param fault the error and what was wrong
     * @param transmitReady whether a Terminate can be sent: ULPDUs could be when the fault was found, or, when the set-up
     *     failed, can be from {@link TransmitReady} on, which follows
     */
    record Fault(ProtocolFault fault, boolean transmitReady) implements MpaEvent {

        /** Checks that there is a fault. */
        public Fault {
            Objects.requireNonNull(fault, "fault");
        }
    }
}
