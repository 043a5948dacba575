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
 * {@link PeerClosedHalf} or {@link Fault} as the last.
 */
public sealed interface MpaEvent {

    /**
     * The start-up is over and Full Operation begins with the next octet of each direction. Fired by the start-up handler
     * before it forwards octets that came right behind the peer's frame, so that everything above is bound to the
     * stream before the first FPDU reaches it (RFC 5044, section 7.1).
     *
     * @param parameters what the two ends agreed on
     */
    record Established(MpaParameters parameters) implements MpaEvent {

        /** Checks that there are parameters. */
        public Established {
            Objects.requireNonNull(parameters, "parameters");
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
     * @param mulpdu the new limit in octets
     */
    record MulpduChanged(int mulpdu) implements MpaEvent {}

    /**
     * The responder's application refused the connection: the peer did (on the initiator), or we did (on the responder).
     * Every MPA, DDP and RDMAP handler leaves the pipeline on this event. TCP stays open and its next octet belongs to
     * the ULP, which closes the channel unless it has another use for it (RFC 5044, section 7.1.2, rules 2 and 3).
     *
     * @param privateData the private data of the rejecting Reply Frame, received or sent, 0 to 512 octets
     */
    @SuppressWarnings("ArrayRecordComponent") // copied in and out, compared by content
    record Rejected(byte[] privateData) implements MpaEvent {

        /** Copies the private data. */
        public Rejected {
            privateData = privateData.clone();
        }

        /** Returns a copy of the private data of the rejecting Reply Frame, 0 to 512 octets. */
        @Override
        public byte[] privateData() {
            return privateData.clone();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Rejected that && Arrays.equals(privateData, that.privateData);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(privateData);
        }

        @Override
        public String toString() {
            return "Rejected[" + privateData.length + " octets of private data]";
        }
    }

    /**
     * The start-up came to nothing: a bad frame, a timeout, a closed connection. The start-up handler closes the channel
     * right after this event.
     *
     * @param reason who ended it and why
     */
    record StartupFailed(CloseReason reason) implements MpaEvent {
        /** Returns whether the peer closed the connection on an enhanced connection request. */
        public boolean enhancedRefused() {
            return false;
        }

        /** Checks that there is a reason. */
        public StartupFailed {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /** The peer closed its half of the TCP connection, at an FPDU boundary. We may still send. */
    record PeerClosedHalf() implements MpaEvent {}

    /**
     * The stream from the peer is broken (error 2/0/01, 2/0/02 or 2/0/03); nothing of it goes up any more. MPA leaves
     * closing to the layer above, which may send a Terminate first (RFC 5044, section 8).
     *
     * @param fault the error and what was wrong
     * @param transmitReady whether ULPDUs could be sent when the fault was found; if not, there can be no Terminate
     */
    record Fault(ProtocolFault fault, boolean transmitReady) implements MpaEvent {

        /** Checks that there is a fault. */
        public Fault {
            Objects.requireNonNull(fault, "fault");
        }
    }
}
