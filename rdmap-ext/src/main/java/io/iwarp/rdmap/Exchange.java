package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolFault;
import io.iwarp.Role;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.mpa.ReadyToReceive;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests and responses of an established stream. Routes each received segment and each sent message to the
 * {@link Requester}, which handles the requests of this side, or the {@link Responder}, which handles those of the
 * peer. {@link RdmapStream} starts and ends the stream.
 */
final class Exchange {
    private final RdmapUlp ulp;
    private final Requester requester;
    private final Responder responder;
    private final Reception reception;

    /**
     * @param stall begins and ends with the wait of a message for a receive
     * @param association the memory that the peer may access
     * @param terminates the queue for a Terminate
     * @param agreed the parameters that the set-up negotiated
     * @param output writes the messages
     * @param failure ends the stream after an error of this side
     */
    Exchange(
            RdmapSettings settings,
            RdmapUlp ulp,
            Stall stall,
            StreamAssociation association,
            Counters counters,
            UntaggedQueue terminates,
            MpaParameters agreed,
            Output output,
            Consumer<ProtocolFault> failure) {
        this.ulp = ulp;
        this.requester = new Requester(output, ulp.requestQueue(), failure, counters, agreed.ord());
        this.responder = new Responder(output, association, counters, agreed.ird());
        boolean readyToReceivePossible = agreed.role() == Role.RESPONDER && agreed.peerToPeer();
        SendDelivery sends = new SendDelivery(ulp, association, stall);
        this.reception = new Reception(
                settings.extensions(),
                new ReadyToReceiveQueue(readyToReceivePossible),
                sends,
                responder,
                terminates,
                requester,
                stall);
    }

    void sendReadyToReceive(ReadyToReceive kind) {
        requester.sendReadyToReceive(kind);
    }

    void startRequests() {
        requester.startRequests();
    }

    @Nullable
    ProtocolFault examine(DdpSegment segment) {
        return reception.examine(segment);
    }

    AccessRight placementRight(DdpSegment segment) {
        return reception.placementRight(segment);
    }

    UntaggedQueue queue(DdpSegment segment) {
        return reception.queue(segment);
    }

    void onPlaced(DdpSegment segment) {
        reception.onPlaced(segment);
    }

    void onTaggedDelivery(DdpSegment last) {
        if (!reception.onTaggedDelivery(last)) {
            ulp.onServed(Operation.WRITE, reception.writtenBytes());
        }
    }

    /** The transport has accepted all bytes of a message of this side. */
    void onSent(DdpMessage message) {
        if (message instanceof Response response) {
            responder.onSent(response);
            ulp.onServed(response.operation(), response.operandBytes());
        } else {
            requester.onSent(message);
        }
    }

    /**
     * Returns whether nothing is left to send or to wait for.
     *
     * <p>While this side waits for responses, it accepts requests of the peer. Otherwise two closing peers would wait
     * for each other. When all requests of this side are answered, it accepts no more, or the peer could delay the
     * close forever with new requests.
     *
     * @param unanswerable whether the peer closed its half of the connection and left requests without an answer: what
     *     waits behind them is given up
     */
    boolean drained(boolean unanswerable) {
        if (requester.idle()) {
            responder.stop();
        }
        return requester.messagesUnderWay() == 0 && responder.idle() && (unanswerable || requester.idle());
    }

    /** Returns whether the transport has not taken all that is sent. */
    boolean sending() {
        return requester.messagesUnderWay() > 0 || !responder.idle();
    }

    /** Returns whether requests of this side are being sent or wait for a response. */
    boolean requesting() {
        return requester.messagesUnderWay() > 0 || awaitsAnswers();
    }

    /** Returns what is sent or waited for, as text. */
    String describeLeft() {
        int messages = requester.messagesUnderWay();
        if (messages > 0) {
            return messages + (messages == 1 ? " message to send was" : " messages to send were");
        }
        return awaitsAnswers()
                ? describeUnanswered() + " without an answer were"
                : "responses to the peer's Reads or atomics were";
    }

    /** Returns whether Reads or atomics wait for a response. */
    boolean awaitsAnswers() {
        return requester.unanswered() > 0;
    }

    /** Returns the number of Reads and atomics that wait for a response, as text. */
    String describeUnanswered() {
        return requester.describeUnanswered();
    }

    /** Returns a counter that grows with each part of a response. */
    long answeredBytes() {
        return requester.answeredBytes();
    }

    /** Returns the close reason for a peer that closed its half of the connection before it sent those responses. */
    CloseReason leftUnanswered() {
        return new CloseReason(
                EndedBy.PEER_CLOSED,
                null,
                "the peer closed its half of the connection and left " + requester.describeUnanswered()
                        + " without an answer",
                null);
    }

    /** Returns the header of the peer's last refused Read Request. Empty if none was refused. */
    byte[] refusedRead() {
        return responder.refusedRead();
    }

    /** Stops sending, completing requests and accepting requests of the peer. */
    void stop() {
        requester.stop();
        responder.stop();
    }
}
