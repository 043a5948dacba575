package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.ProtocolFault;
import io.iwarp.mpa.ReadyToReceive;
import org.jspecify.annotations.Nullable;

/**
 * A phase in the life of an {@link RdmapStream}, with the state that it alone has.
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
    /** Returns whether FIN was sent, so that the connection is closed when the peer's comes. */
    default boolean outputClosed() {
        return false;
    }

    /**
     * Requests have to wait: start-up, or a responder that has not heard an FPDU yet.
     *
     * @param first the message that tells a responder that it may send; null before start-up is over, or for none
     * @param setupFault why an initiator cannot use the connection that the Reply granted; its Terminate is the first FPDU
     */
    record Starting(
            @Nullable ReadyToReceive first, @Nullable ProtocolFault setupFault) implements StreamPhase {}

    /** Requests are accepted. */
    record Open() implements StreamPhase {}

    /**
     * The application closed; what was submitted still goes out.
     *
     * @param reason why the stream ends if nothing gets in the way
     */
    record Draining(CloseReason reason, CloseProgress progress) implements StreamPhase {}

    /** FIN was sent; waiting for the peer's. */
    record HalfClosed() implements StreamPhase {
        @Override
        public boolean outputClosed() {
            return true;
        }
    }

    /** A Terminate is on its way out. */
    record Terminating(CloseReason reason) implements StreamPhase {}

    /** The layer above knows that it is over; the connection may still be draining. */
    record Ended(@Override boolean outputClosed) implements StreamPhase {}
}
