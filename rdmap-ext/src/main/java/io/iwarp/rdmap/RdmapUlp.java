package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.mpa.MpaParameters;
import org.jspecify.annotations.Nullable;

/** The layer above an RDMAP stream. The stream calls all methods on its event loop. */
public interface RdmapUlp {
    /**
     * Returns the queue of buffers for incoming Sends, in the order in which messages fill them.
     *
     * <p>The stream calls this once, before {@link #onEstablished}. It calls {@link UntaggedQueue#deliver} for each
     * complete message, in the order the peer sent them.
     */
    UntaggedQueue receiveQueue();

    /**
     * Returns the requests of this side, always the same queue. {@link RdmapHandler} calls this from its constructor
     * on. Call {@link RdmapHandler#startRequests} after posting one.
     */
    RequestQueue requestQueue();

    /**
     * MPA start-up succeeded. Passes the negotiated parameters and the peer's private data. Requests wait until
     * {@link #onReady}.
     */
    void onEstablished(MpaParameters parameters);

    /** Requests may start. */
    void onReady();

    /** The orderly close has begun. Requests that were posted before are still sent; accept no others. */
    void onClosing();

    /**
     * An operation of the peer was executed. Called for a Read or atomic when the transport has taken the response, and
     * for a Send or Immediate Data after its delivery to the {@link #receiveQueue}. For statistics only.
     *
     * @param bytes the payload bytes, 0 to 2^32 - 1
     */
    void onServed(Operation operation, long bytes);

    /** The Terminate of this side is on its way; null for an error that no RFC assigns. {@link #onEnded} follows. */
    void onTerminateSent(@Nullable ProtocolError error);

    /** The peer sent a Terminate; null for an error that no RFC assigns. {@link #onEnded} follows. */
    void onTerminateReceived(@Nullable ProtocolError error);

    /** The peer closed its half of the connection (FIN between two FPDUs). This side may continue to send. */
    void onInputShutdown();

    /**
     * One burst of input has been handled: all bytes of a read, or the next part of them. Pull the requests that result
     * from it here.
     */
    void onReadComplete();

    /**
     * The peer closed the connection after an enhanced connection request. A peer that supports only revision 1 of MPA
     * does this. {@link #onEnded} follows. A new connection with a plain request may succeed (RFC 6581 section 10).
     */
    void onEnhancedSetupRefused();

    /**
     * The peer or this side rejected the connection request. MPA has left the pipeline and TCP is still open.
     * {@link #onEnded} follows.
     *
     * @param rejection the content of the rejection, received or sent
     */
    void onRejected(MpaEvent.Rejected rejection);

    /**
     * The stream has ended. Nothing is sent, placed or delivered any more. Called once, with the first cause.
     *
     * <p>Outstanding requests do not complete, and buffers of the receive queue are not filled any more.
     */
    void onEnded(CloseReason reason);
}
