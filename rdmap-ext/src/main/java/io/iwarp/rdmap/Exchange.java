package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.iwarp.Role;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.Placement;
import io.iwarp.ddp.TaggedTarget;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.mpa.ReadyToReceive;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The messages of an established stream. Checks each received segment before it is placed
 * (<a href="https://www.rfc-editor.org/rfc/rfc5040#section-7.2">RFC 5040 section 7.2</a>) and routes it, and each sent
 * message, to the {@link Requester}, which handles the requests of this side, or the {@link Responder}, which handles those
 * of the peer. {@link RdmapStream} starts and ends the stream.
 */
final class Exchange {
    private final boolean extensions;
    private final RdmapUlp ulp;
    private final Requester requester;
    private final Responder responder;
    /** Null once the first segment of the peer has arrived, which alone may be the ready-to-receive message. */
    private @Nullable ReadyToReceiveQueue readyToReceive;

    private final UntaggedQueue sends;
    private final UntaggedQueue terminates;
    private final Writes writes = new Writes();

    /**
     * @param stall called when a message has to wait for a receive
     * @param association the memory that the peer may access
     * @param terminates the queue for a Terminate
     * @param agreed the parameters that the set-up negotiated
     * @param link takes the messages; somebody flushes it later
     * @param failure ends the stream after an error of this side
     */
    Exchange(
            RdmapSettings settings,
            RdmapUlp ulp,
            Runnable stall,
            StreamAssociation association,
            Counters counters,
            UntaggedQueue terminates,
            MpaParameters agreed,
            RdmapLink link,
            Consumer<ProtocolFault> failure) {
        this.extensions = settings.extensions();
        this.ulp = ulp;
        this.requester = new Requester(link, ulp.requestQueue(), failure, counters, agreed.ord());
        this.responder = new Responder(link, association, counters, agreed.ird());
        this.readyToReceive = agreed.role() == Role.RESPONDER && agreed.peerToPeer() ? new ReadyToReceiveQueue() : null;
        this.sends = new SendDelivery(ulp, association, stall);
        this.terminates = terminates;
    }

    void sendReadyToReceive(ReadyToReceive kind) {
        requester.sendReadyToReceive(kind);
    }

    void sendKeepAlive() {
        requester.sendKeepAlive();
    }

    void startRequests() {
        requester.startRequests();
    }

    /** Checks a segment, and says where it belongs. Changes nothing, so a segment may be checked again. */
    Placement place(DdpSegment segment) {
        int control = segment.control();
        Opcode opcode = Opcode.of(control);
        if (opcode == null || (opcode.extension() && !extensions) || !opcode.isOnItsQueue(segment)) {
            return refused(
                    ProtocolError.RDMAP_UNEXPECTED_OPCODE,
                    String.format(
                            "opcode 0x%x on %s",
                            Opcode.codeOf(control),
                            segment.tagged() ? "a tagged segment" : "queue " + segment.queueNumber()));
        }
        if (Opcode.versionOf(control) != Opcode.VERSION) {
            return refused(
                    ProtocolError.RDMAP_INVALID_VERSION,
                    "RDMAP version " + Opcode.versionOf(control) + ", expected " + Opcode.VERSION);
        }
        return switch (opcode) {
            case RDMA_WRITE -> writes;
            case READ_RESPONSE -> requester.placeReadResponse(segment);
            case ATOMIC_RESPONSE -> requester.atomicResponses();
            case READ_REQUEST, ATOMIC_REQUEST -> responder;
            case TERMINATE -> terminates;
            case IMMEDIATE_DATA, IMMEDIATE_DATA_WITH_SOLICITED_EVENT -> placeImmediate(segment);
            default -> readyToReceive != null && readyToReceive.takes(segment) ? readyToReceive : sends;
        };
    }

    /** Immediate Data has exactly 8 bytes, so it is one segment (RFC 7306 section 6.3). */
    private Placement placeImmediate(DdpSegment segment) {
        int length = segment.payloadLength();
        if (length == Opcode.IMMEDIATE_LENGTH && segment.messageOffset() == 0 && segment.last()) {
            return sends;
        }
        return refused(
                ProtocolError.RDMAP_OPERATION_UNSPECIFIED,
                "a segment of Immediate Data with " + length + " bytes at message offset " + segment.messageOffset()
                        + (segment.last() ? "" : ", not the last of its message")
                        + ": Immediate Data is one segment of "
                        + Opcode.IMMEDIATE_LENGTH + " bytes");
    }

    private static Placement refused(ProtocolError error, String detail) {
        return new Placement.Refused(new ProtocolFault(error, detail));
    }

    /** A valid segment has been placed. */
    void onPlaced() {
        readyToReceive = null;
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

    /**
     * Writes of the peer. They are not reported to the application: only a later message tells it about them (RFC 5040
     * section 5.1).
     */
    private final class Writes implements TaggedTarget {
        private long bytes;

        @Override
        public AccessRight right() {
            return AccessRight.REMOTE_WRITE;
        }

        @Override
        public void onPlaced(DdpSegment segment) {
            bytes += segment.payloadLength();
        }

        @Override
        public @Nullable ProtocolFault deliver(DdpSegment last) {
            long written = bytes;
            bytes = 0;
            ulp.onServed(Operation.WRITE, written);
            return null;
        }
    }
}
