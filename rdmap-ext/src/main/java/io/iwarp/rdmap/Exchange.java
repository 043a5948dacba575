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
 * What the two ends of an established stream ask of each other and answer: the requests of this side, those of the peer, and
 * the way of each segment and each sent message to one or the other. How the stream begins and ends is the subject of
 * {@link RdmapStream}.
 */
final class Exchange {
    private final RdmapUlp ulp;
    private final Counters counters;
    private final InputHold hold = new InputHold();
    private final Requester requester;
    private final Responder responder;
    private final Reception reception;
    private final ResponseDeadline responseDeadline;

    /**
     * @param link where the deadline for answers is armed
     * @param association what the peer may use
     * @param terminates takes a Terminate
     * @param agreed in the set-up
     * @param output takes the messages
     * @param completion told of each request that is complete, in the order of submission
     */
    Exchange(
            RdmapSettings settings,
            RdmapUlp ulp,
            RdmapLink link,
            StreamAssociation association,
            Counters counters,
            UntaggedQueue terminates,
            MpaParameters agreed,
            Consumer<DdpMessage> output,
            Consumer<RdmapRequest> completion) {
        this.ulp = ulp;
        this.counters = counters;
        this.requester = new Requester(output, completion, counters, agreed.ord());
        this.responder = new Responder(output, association, counters, agreed.ird());
        this.responseDeadline = new ResponseDeadline(settings.responseTimeout(), requester, hold, link);
        boolean readyToReceivePossible = agreed.role() == Role.RESPONDER && agreed.peerToPeer();
        SendDelivery sends = new SendDelivery(ulp, association, hold);
        this.reception = new Reception(
                settings.extensions(),
                new ReadyToReceiveQueue(readyToReceivePossible),
                sends,
                responder,
                terminates,
                requester,
                hold);
    }

    void sendReadyToReceive(ReadyToReceive kind) {
        requester.sendReadyToReceive(kind);
    }

    /** Returns why a request can never be sent, or null. */
    @Nullable
    ProtocolFault refusal(RdmapRequest request) {
        return requester.refusal(request);
    }

    void submit(RdmapRequest request) {
        requester.submit(request);
        if (request.awaitsResponse()) {
            responseDeadline.arm();
        }
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

    /** The transport has all of a message of this side. */
    void onSent(DdpMessage message) {
        if (message instanceof Response response) {
            responder.onSent(response);
            ulp.onServed(response.operation(), response.operandBytes());
        } else {
            requester.onSent(message);
        }
    }

    /**
     * Returns whether nothing is left to be sent, and nothing to be waited for.
     *
     * <p>As long as this side waits for answers, it takes requests of the peer: if the peer is closing too, each would wait
     * for the other otherwise. Once all is answered here, the peer could hold up the close with one request after the other.
     *
     * @param unanswerable whether the peer sends nothing any more, so that nothing need wait for its answer
     */
    boolean drained(boolean unanswerable) {
        if (requester.idle()) {
            responder.stop();
        }
        return requester.messagesUnderWay() == 0 && responder.idle() && (unanswerable || requester.idle());
    }

    /** Returns what tells whether an orderly close that begins now gets on. */
    CloseProgress closeProgress() {
        return new CloseProgress(counters, requester, hold);
    }

    /** Returns the reason to end the stream if the peer sent nothing of an answer for too long, otherwise null. */
    @Nullable
    CloseReason missedResponseDeadline() {
        return responseDeadline.missed();
    }

    /** Returns whether Reads or atomics wait for an answer. */
    boolean awaitsAnswers() {
        return requester.unanswered() > 0;
    }

    /** Returns why a stream ends whose peer closed its half without those answers. */
    CloseReason leftUnanswered() {
        return new CloseReason(
                EndedBy.PEER_CLOSED,
                null,
                "the peer closed its half of the connection and left " + requester.describeUnanswered()
                        + " without an answer",
                null);
    }

    /** Returns the header of the Read Request of the peer that was refused last, or nothing if none was. */
    byte[] refusedRead() {
        return responder.refusedRead();
    }

    /** Sends and completes nothing more, and takes no further requests of the peer. */
    void stop() {
        requester.stop();
        responder.stop();
    }
}
