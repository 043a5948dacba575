package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.mpa.MpaEvent;
import io.iwarp.mpa.MpaParameters;
import org.jspecify.annotations.Nullable;

/**
 * What an RDMAP stream asks of, and tells, the layer above. All calls come on the event loop of the stream.
 */
public interface RdmapUlp {
    /**
     * Returns the buffers for incoming Sends, in the order in which they take messages.
     *
     * <p>{@link UntaggedQueue#deliver} is called on it for each complete message, in the order the peer sent them.
     */
    UntaggedQueue receiveQueue();

    /** MPA start-up is over: what was agreed, and the peer's private data. Requests may not be submitted yet. */
    void onEstablished(MpaParameters parameters);

    /** Requests may be submitted from now on. */
    void onReady();

    /**
     * The request is complete. For a Send, Write or Immediate Data that is when the transport has taken all its bytes,
     * which does not say that the peer's application has seen it; for a Read or atomic when the answer is in place
     * (RFC 5040 section 5.5 rules 9, 14 and 19). Called in the order of submission.
     *
     * @return null if all is well; otherwise the error that ends the stream, and {@link #onCompleted} comes no more
     */
    @Nullable
    ProtocolFault onCompleted(RdmapRequest request);

    /**
     * An operation of the peer was carried out. For a Read or atomic that is when the transport has taken the answer, for
     * a Send or Immediate Data after the {@link #receiveQueue} got it. This is for statistics.
     *
     * @param bytes the payload bytes, 0 to 2^32 - 1
     */
    void onServed(Operation operation, long bytes);

    /** The Terminate of this side is on its way; null for an error that no RFC assigns. {@link #onEnded} follows. */
    void onTerminateSent(@Nullable ProtocolError error);

    /** The peer sent a Terminate; null for an error that no RFC assigns. {@link #onEnded} follows. */
    void onTerminateReceived(@Nullable ProtocolError error);

    /** The peer will send nothing more (FIN between two FPDUs); this side may go on sending. */
    void onPeerClosedHalf();

    /**
     * One burst of input has been handled, all of what was read or the next part of it: the moment to submit what it
     * led to.
     */
    void onReadComplete();

    /**
     * The peer closed the connection on an enhanced connection request, as one does that knows revision 1 of MPA only.
     * {@link #onEnded} follows; a new connection with a plain request may succeed (RFC 6581 section 10).
     */
    void onEnhancedSetupRefused();

    /**
     * The connection request was rejected, by the peer or by this side. MPA has left the pipeline and TCP is still open.
     * {@link #onEnded} follows.
     *
     * @param rejection what came, or was sent, with the rejection
     */
    void onRejected(MpaEvent.Rejected rejection);

    /**
     * The stream is over; nothing is sent, placed or delivered any more. Called once, with the first cause.
     *
     * <p>Requests that were submitted and not named by {@link #onCompleted} will not be; buffers of the receive queue will
     * not be filled.
     */
    void onEnded(CloseReason reason);

    /** Returns whether a control byte announces Immediate Data. */
    static boolean isImmediate(int control) {
        Opcode opcode = Opcode.of(control);
        return opcode != null && opcode.immediate();
    }

    /** Returns the opcode of a delivered message. */
    static Opcode opcodeOf(UntaggedBuffer buffer) {
        Opcode opcode = Opcode.of(buffer.control());
        if (opcode == null) {
            throw new IllegalArgumentException("not a delivered message: control byte " + buffer.control());
        }
        return opcode;
    }
}
