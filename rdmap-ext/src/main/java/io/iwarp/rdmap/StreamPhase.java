package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.ProtocolFault;
import io.iwarp.mpa.ReadyToReceive;
import org.jspecify.annotations.Nullable;

/**
 * A phase of an {@link RdmapStream}, with the state of that phase.
 *
 * <pre>
 *              onTransmitReady          close, all sent        FIN of the peer, deadline
 *   Starting ───────────────► Open ───► Draining ───► HalfClosed ───────────────► Ended
 *      │                        │           │              │                        ▲
 *      │ refused, failed        └─ fault ───┴──────────────┤                        │
 *      │                               Terminating ── Terminate sent, then drained ─┤
 *      └────────────────────────────────────────────────────────────────────────────┘
 * </pre>
 */
sealed interface StreamPhase {
    /** Returns whether FIN was sent. The connection is then closed when the peer's FIN arrives. */
    default boolean outputClosed() {
        return false;
    }

    /**
     * Requests are not accepted yet: start-up is in progress, or a responder has not received an FPDU yet.
     *
     * @param first the ready-to-receive message to send; null before start-up is complete, or if none is needed
     * @param setupFault why an initiator cannot use the established connection, or null; its Terminate is the first
     *     FPDU
     */
    record Starting(
            @Nullable ReadyToReceive first, @Nullable ProtocolFault setupFault) implements StreamPhase {}

    /** Requests are accepted. */
    record Open() implements StreamPhase {}

    /**
     * The application closed the stream. Submitted requests are still sent.
     *
     * @param reason the close reason, unless the stream ends for another reason first
     */
    record Draining(CloseReason reason, CloseProgress progress) implements StreamPhase {}

    /** FIN was sent. The stream waits for the peer's FIN. */
    record HalfClosed() implements StreamPhase {
        @Override
        public boolean outputClosed() {
            return true;
        }
    }

    /** A Terminate is being sent. */
    record Terminating(CloseReason reason) implements StreamPhase {}

    /** The end was reported to the layer above. The connection may still be draining. */
    record Ended(@Override boolean outputClosed) implements StreamPhase {}
}
