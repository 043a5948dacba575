package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.ErrorLayer;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.iwarp.Role;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.DdpUlp;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.MpaEvent;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.mpa.ReadyToReceive;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * One RDMAP stream without I/O: what may come in, what goes out, and how the stream ends
 * (<a href="https://www.rfc-editor.org/rfc/rfc5040">RFC 5040</a>).
 *
 * <p>Events come from DDP ({@link DdpUlp}) and from the handler (the {@code on...} methods of this class). Commands come
 * from the layer above: {@link #submit}, {@link #flush}, {@link #close}, {@link #abort}. Outputs are calls on
 * {@link RdmapLink} and {@link RdmapUlp}. Everything happens on the event loop of the connection.
 *
 * <pre>
 *              onTransmitReady          close, all sent        FIN of the peer, deadline
 *   STARTING ───────────────► OPEN ───► DRAINING ───► HALF_CLOSED ──────────────► ENDED
 *      │                        │           │              │                        ▲
 *      │ refused, failed        └─ fault ───┴──────────────┤                        │
 *      │                               TERMINATING ── Terminate sent, then drained ─┤
 *      └────────────────────────────────────────────────────────────────────────────┘
 * </pre>
 */
final class RdmapStream implements DdpUlp {
    private enum Phase {
        /** Requests have to wait: start-up, or a responder that has not heard an FPDU yet. */
        STARTING,
        /** Requests are accepted. */
        OPEN,
        /** The application closed; what was submitted still goes out. */
        DRAINING,
        /** FIN was sent; waiting for the peer's. */
        HALF_CLOSED,
        /** A Terminate is on its way out. */
        TERMINATING,
        /** The layer above knows that it is over; the connection may still be draining. */
        ENDED
    }

    private final RdmapSettings settings;
    private final RdmapUlp ulp;
    private final RdmapLink link;
    private final Counters counters;
    private final StreamAssociation association;
    private final TerminateSender terminateSender;
    private final InputHold hold = new InputHold();
    private final UntaggedQueue terminateQueue = new TerminateQueue(this::onTerminate);

    private Phase phase = Phase.STARTING;
    private @Nullable MpaParameters parameters;
    private Requester requester;
    private Responder responder;
    private Reception reception;
    /** Why an initiator cannot use the connection that the Reply granted; its Terminate is the first FPDU. */
    private @Nullable ProtocolFault setupFault;

    private boolean peerClosedHalf;
    private boolean outputClosed;
    private boolean unflushed;
    private boolean responseDeadlineArmed;
    private long sentAtDeadline;
    private long receivedAtDeadline;
    private long answeredAtResponseDeadline;
    private int heldAtDeadline;
    private int heldAtResponseDeadline;
    /** Why the stream ends if nothing gets in the way of the orderly close. */
    private @Nullable CloseReason orderlyReason;

    private @Nullable CloseReason firstCause;

    RdmapStream(
            RdmapSettings settings, RdmapUlp ulp, RdmapLink link, StreamAssociation association, Counters counters) {
        this.settings = settings;
        this.ulp = ulp;
        this.link = link;
        this.association = association;
        this.counters = counters;
        this.terminateSender = new TerminateSender(link);
        this.requester = new Requester(this::write, this::complete, counters, 0);
        this.responder = new Responder(this::write, association, counters, 0);
        this.reception = reception(false);
    }

    private Reception reception(boolean readyToReceivePossible) {
        SendReceiver sends = new SendReceiver(ulp, association, hold);
        return new Reception(
                settings.extensions(), readyToReceivePossible, sends, responder, terminateQueue, requester, hold);
    }

    void onEstablished(MpaEvent.Established event) {
        MpaParameters agreed = event.parameters();
        parameters = agreed;
        setupFault = event.setupFault();
        requester = new Requester(this::write, this::complete, counters, agreed.ord());
        responder = new Responder(this::write, association, counters, agreed.ird());
        reception = reception(agreed.role() == Role.RESPONDER && agreed.peerToPeer());
        ulp.onEstablished(agreed);
    }

    void onTransmitReady() {
        if (phase != Phase.STARTING) {
            return;
        }
        phase = Phase.OPEN;
        if (setupFault != null) {
            fail(setupFault);
            return;
        }
        ReadyToReceive kind = parameters == null ? null : parameters.readyToReceive();
        if (kind != null) {
            requester.sendReadyToReceive(kind);
            flush();
        }
        ulp.onReady();
    }

    /** Where requester and responder write to. */
    private void write(DdpMessage message) {
        unflushed = true;
        link.write(message);
    }

    /** Start-up failed: the stream never began. */
    void onStartupFailed(MpaEvent.StartupFailed failed) {
        if (failed.enhancedRefused()) {
            ulp.onEnhancedSetupRefused();
        }
        end(note(failed.reason()));
    }

    /** Start-up ended with a rejection: the stream never began. */
    void onRejected(MpaEvent.Rejected rejection) {
        CloseReason reason =
                note(new CloseReason(EndedBy.PEER_CLOSED, null, "the connection request was rejected", null));
        ulp.onRejected(rejection);
        end(reason);
    }

    /** Takes a request of the layer above; it leaves with the next {@link #flush}. Only between ready and close. */
    void submit(RdmapRequest request) {
        if (phase != Phase.OPEN) {
            throw new IllegalStateException("request submitted while the stream is " + phase);
        }
        if (requester.refuses(request)) {
            fail(new ProtocolFault(
                    ProtocolError.RDMAP_LOCAL_CATASTROPHIC,
                    "a Read or atomic was posted, but the set-up agreed on an ORD of 0: raise the ORD here and the IRD"
                            + " of the peer"));
            return;
        }
        requester.submit(request);
        if (request.awaitsResponse()) {
            armResponseDeadline();
            closeIfUnanswerable();
        }
    }

    private void complete(RdmapRequest request) {
        ProtocolFault fault = ulp.onCompleted(request);
        if (fault != null) {
            fail(fault);
        }
    }

    /** Ends the stream for a mistake or failure of this side. */
    private void fail(ProtocolFault fault) {
        if (outputClosed) {
            abort(CloseReason.of(fault));
        } else {
            terminate(fault, Terminate.of(fault.error()));
        }
    }

    void flush() {
        unflushed = false;
        link.flush();
    }

    private void flushWritten() {
        if (unflushed) {
            flush();
        }
    }

    private void armResponseDeadline() {
        if (!responseDeadlineArmed) {
            responseDeadlineArmed = true;
            answeredAtResponseDeadline = requester.answeredBytes();
            heldAtResponseDeadline = hold.now();
            link.armResponseDeadline();
        }
    }

    /** The peer had the time that the settings give it to go on with its answers; whatever else it sent is none. */
    void onResponseDeadline() {
        responseDeadlineArmed = false;
        if (requester.unanswered() == 0 || phase == Phase.TERMINATING || phase == Phase.ENDED) {
            return;
        }
        if (requester.answeredBytes() > answeredAtResponseDeadline || hold.heldSince(heldAtResponseDeadline)) {
            armResponseDeadline();
            return;
        }
        CloseReason reason = note(new CloseReason(
                EndedBy.TIMEOUT,
                null,
                "the peer sent nothing of an answer for " + settings.responseTimeout() + " while " + unanswered()
                        + " waited for one",
                null));
        if (outputClosed) {
            abort(reason);
        } else {
            beginTerminating(Terminate.of(ProtocolError.RDMAP_LOCAL_CATASTROPHIC));
        }
    }

    /** {@return whether {@link #submit} may be called now} */
    boolean open() {
        return phase == Phase.OPEN;
    }

    /**
     * Ends the stream in order: what was submitted is sent and answered, then FIN, then the peer's FIN is awaited. Requests
     * of the peer are taken until everything of this side is answered, and those that were taken are answered.
     *
     * @param reason why the stream ended, unless something else ends it before all is sent
     * @return why it ends as things stand: the reason, or what had begun to end it before
     */
    CloseReason close(CloseReason reason) {
        if (phase == Phase.OPEN) {
            phase = Phase.DRAINING;
            orderlyReason = reason;
            moved();
            link.armDeadline();
            closeOutputWhenDrained();
        } else if (phase == Phase.STARTING) {
            note(reason);
            link.close();
        }
        if (firstCause != null) {
            return firstCause;
        }
        return orderlyReason == null ? reason : orderlyReason;
    }

    /** Ends the stream at once: nothing more is sent, the connection is closed. */
    void abort(CloseReason reason) {
        CloseReason cause = note(reason);
        link.close();
        end(cause);
    }

    @Override
    public @Nullable ProtocolFault examine(DdpSegment segment) {
        return reception.examine(segment);
    }

    @Override
    public AccessRight placementRight(DdpSegment segment) {
        return reception.placementRight(segment);
    }

    @Override
    public UntaggedQueue queue(DdpSegment segment) {
        return reception.queue(segment);
    }

    @Override
    public void onPlaced(DdpSegment segment) {
        reception.onPlaced(segment);
    }

    @Override
    public @Nullable ProtocolFault onTaggedDelivery(DdpSegment last) {
        if (!reception.onTaggedDelivery(last)) {
            ulp.onServed(Operation.WRITE, reception.writtenBytes());
        }
        return null;
    }

    @Override
    public void onSent(DdpMessage message) {
        if (terminateSender.isTerminate(message)) {
            onTerminateSent();
            return;
        }
        if (message instanceof Response response) {
            responder.onSent(response);
            ulp.onServed(response.operation(), response.operandBytes());
        } else {
            requester.onSent(message);
        }
        moveOn();
    }

    /** Lets out what an event led to, and ends the sending half once nothing is left for it. */
    private void moveOn() {
        if (phase == Phase.ENDED) {
            return;
        }
        flushWritten();
        if (phase == Phase.DRAINING) {
            closeOutputWhenDrained();
        }
    }

    /** After the peer's FIN no answer can come, so what waits for one does not hold up the close. */
    private boolean drained() {
        return requester.messagesUnderWay() == 0 && responder.idle() && (peerClosedHalf || requester.idle());
    }

    /**
     * As long as this side waits for answers, it takes requests of the peer: if it is closing too, each would wait for the
     * other otherwise. Once all is answered here, the peer could hold up the close with one request after the other.
     */
    private void closeOutputWhenDrained() {
        if (requester.idle()) {
            responder.stop();
        }
        if (drained()) {
            phase = Phase.HALF_CLOSED;
            if (orderlyReason != null) {
                note(orderlyReason);
            }
            closeOutput();
            if (peerClosedHalf) {
                link.close();
            }
        }
    }

    private void closeOutput() {
        if (!outputClosed) {
            outputClosed = true;
            link.closeOutput();
        }
    }

    @Override
    public void onFault(ProtocolFault fault, @Nullable DdpSegment segment) {
        if (phase == Phase.STARTING && setupFault != null) {
            return;
        }
        if (phase == Phase.STARTING || outputClosed || isTerminate(segment)) {
            if (phase != Phase.ENDED) {
                abort(CloseReason.of(fault));
            }
        } else {
            terminate(fault, Terminate.of(fault.error(), segment, quotedRead(fault, segment)));
        }
    }

    /** Of all messages, only a Read Request that met a protection error is quoted (RFC 5040 figure 10). */
    private byte[] quotedRead(ProtocolFault fault, @Nullable DdpSegment segment) {
        boolean protection = fault.error().layer() == ErrorLayer.RDMAP
                && fault.error().type() == ProtocolError.RDMAP_INVALID_STAG.type();
        return protection && segment != null && Opcode.of(segment.control()) == Opcode.READ_REQUEST
                ? responder.refusedRead()
                : Terminate.NOTHING;
    }

    /** The application took back what a Read is reading: the rest of it cannot be sent. */
    @Override
    public void onSourceRevoked(DdpMessage message, long bytesRead) {
        ProtocolFault fault = new ProtocolFault(
                ProtocolError.RDMAP_INVALID_STAG,
                "the source of a Read was revoked after " + bytesRead + " bytes of it had been sent");
        terminate(fault, ((Response) message).revoked(fault.error(), bytesRead));
    }

    private void terminate(ProtocolFault fault, Terminate terminate) {
        if (phase != Phase.ENDED && phase != Phase.TERMINATING) {
            note(CloseReason.of(fault));
            beginTerminating(terminate);
        }
    }

    private void beginTerminating(Terminate terminate) {
        phase = Phase.TERMINATING;
        requester.stop();
        responder.stop();
        link.armDeadline();
        terminateSender.send(terminate);
    }

    /** A Terminate is never answered by a Terminate, however bad it is. */
    private static boolean isTerminate(@Nullable DdpSegment segment) {
        return segment != null
                && segment.headerComplete()
                && Opcode.of(segment.control()) == Opcode.TERMINATE
                && Reception.onItsQueue(Opcode.TERMINATE, segment);
    }

    /**
     * After the Terminate this side is silent, but it goes on reading until the peer closes: closing a socket with unread
     * input would make the kernel send RST, which can destroy the Terminate on its way.
     */
    private void onTerminateSent() {
        counters.add(Counter.TERMINATES_SENT, 1);
        ulp.onTerminateSent(terminateSender.error());
        terminateSender.release();
        closeOutput();
        if (firstCause != null) {
            end(firstCause);
        }
        if (peerClosedHalf) {
            link.close();
        }
    }

    private void onTerminate(ByteBuf bytes) {
        counters.add(Counter.TERMINATES_RECEIVED, 1);
        Terminate terminate = Terminate.decode(bytes);
        ProtocolError error = terminate == null ? null : terminate.error();
        ulp.onTerminateReceived(error);
        CloseReason reason = new CloseReason(EndedBy.PEER_TERMINATE, error, describe(terminate, error), null);
        abort(reason);
    }

    /** What the error does not say by itself. */
    private static String describe(@Nullable Terminate terminate, @Nullable ProtocolError error) {
        if (terminate == null) {
            return "without saying why";
        }
        return error == null ? "with " + terminate.numbers() + ", which no RFC assigns" : "";
    }

    /** The peer will send nothing more. */
    void onPeerClosedHalf() {
        peerClosedHalf = true;
        if (outputClosed) {
            link.close();
        } else {
            boolean news = phase == Phase.OPEN || phase == Phase.STARTING;
            closeIfUnanswerable();
            if (news) {
                ulp.onPeerClosedHalf();
            }
            moveOn();
        }
    }

    private void closeIfUnanswerable() {
        boolean usable = phase == Phase.OPEN || phase == Phase.DRAINING;
        if (peerClosedHalf && usable && requester.unanswered() > 0) {
            close(note(new CloseReason(
                    EndedBy.PEER_CLOSED,
                    null,
                    "the peer closed its half of the connection and left " + unanswered() + " without an answer",
                    null)));
        }
    }

    /** {@return how many requests wait for an answer, in words} */
    private String unanswered() {
        int requests = requester.unanswered();
        return requests + (requests == 1 ? " Read or atomic" : " Reads or atomics");
    }

    @Override
    public void onReadComplete() {
        if (phase != Phase.ENDED) {
            moveOn();
            ulp.onReadComplete();
        }
    }

    /** The connection is gone. */
    void onDisconnected() {
        terminateSender.release();
        end(note(
                parameters != null
                        ? new CloseReason(EndedBy.PEER_CLOSED, null, "the peer closed the connection", null)
                        : new CloseReason(EndedBy.TRANSPORT, null, "there was no connection to be had", null)));
    }

    /** The transport failed: reset, timed out, unreachable. {@link #onDisconnected} follows. */
    void onTransportFailure(Throwable cause) {
        note(CloseReason.of(
                new ProtocolFault(ProtocolError.MPA_CONNECTION_LOST, "the connection was lost: " + cause, cause)));
    }

    /**
     * The close timeout has passed: cut the connection, unless work that is left is getting on, or answers cannot be read
     * because a message in front of them waits for a receive, which has a deadline of its own.
     */
    void onDeadline() {
        if (phase != Phase.DRAINING) {
            link.close();
        } else if (moved()) {
            link.armDeadline();
        } else {
            abort(new CloseReason(
                    EndedBy.TIMEOUT,
                    null,
                    "nothing moved within the close timeout of " + settings.closeTimeout()
                            + ", and there was still work to be done",
                    null));
        }
    }

    /**
     * {@return whether the work that is left moved since the last call} What comes in matters only while answers are awaited,
     * for which there is a deadline as well: otherwise a peer could keep the close waiting for as long as it sends.
     */
    private boolean moved() {
        long sent = counters.get(Counter.ULPDU_BYTES_SENT);
        long received = counters.get(Counter.ULPDU_BYTES_RECEIVED);
        boolean moved = sent > sentAtDeadline
                || (received > receivedAtDeadline && requester.unanswered() > 0)
                || hold.heldSince(heldAtDeadline);
        heldAtDeadline = hold.now();
        sentAtDeadline = sent;
        receivedAtDeadline = received;
        return moved;
    }

    /** Keeps the first cause, and returns it. */
    private CloseReason note(CloseReason reason) {
        if (firstCause == null) {
            firstCause = reason;
        }
        return firstCause;
    }

    private void end(CloseReason reason) {
        if (phase != Phase.ENDED) {
            phase = Phase.ENDED;
            requester.stop();
            responder.stop();
            ulp.onEnded(reason);
        }
    }
}
