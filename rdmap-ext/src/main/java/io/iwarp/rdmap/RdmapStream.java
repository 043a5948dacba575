package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.DdpUlp;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.MpaEvent;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of one RDMAP stream, without I/O: its start, when requests may be submitted, and its end. Its
 * {@link Exchange} handles the messages (<a href="https://www.rfc-editor.org/rfc/rfc5040">RFC 5040</a>).
 *
 * <p>Events come from DDP ({@link DdpUlp}) and from the handler (the {@code on...} methods of this class). Commands
 * come from the layer above: {@link #submit}, {@link #flush}, {@link #close}, {@link #abort}. Outputs are calls on
 * {@link RdmapLink} and {@link RdmapUlp}. All calls happen on the event loop of the connection.
 */
final class RdmapStream implements DdpUlp {
    private final RdmapSettings settings;
    private final RdmapUlp ulp;
    private final RdmapLink link;
    private final StreamAssociation association;
    private final Counters counters;

    private StreamPhase phase = new StreamPhase.Starting(null, null);
    /** Null until start-up is complete. */
    private @Nullable Exchange exchange;

    private boolean peerClosedHalf;
    private boolean unflushed;
    private @Nullable CloseReason firstCause;

    RdmapStream(
            RdmapSettings settings, RdmapUlp ulp, RdmapLink link, StreamAssociation association, Counters counters) {
        this.settings = settings;
        this.ulp = ulp;
        this.link = link;
        this.association = association;
        this.counters = counters;
    }

    private Exchange exchange() {
        return Objects.requireNonNull(exchange, "start-up is not over");
    }

    void onEstablished(MpaEvent.Established event) {
        if (phase instanceof StreamPhase.Starting) {
            phase = new StreamPhase.Starting(event.parameters().readyToReceive(), event.setupFault());
        }
        exchange = new Exchange(
                settings,
                ulp,
                link,
                association,
                counters,
                new TerminateQueue(this::onTerminate),
                event.parameters(),
                this::write,
                this::complete);
        ulp.onEstablished(event.parameters());
    }

    void onTransmitReady() {
        if (!(phase instanceof StreamPhase.Starting starting)) {
            return;
        }
        phase = new StreamPhase.Open();
        if (starting.setupFault() != null) {
            fail(starting.setupFault());
            return;
        }
        if (starting.first() != null) {
            exchange().sendReadyToReceive(starting.first());
            flush();
        }
        ulp.onReady();
    }

    /** Writes a message of the requester or responder. */
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

    /** Submits a request. The next {@link #flush} sends it. Call it only between ready and close. */
    void submit(RdmapRequest request) {
        if (!open()) {
            throw new IllegalStateException("request submitted while the stream is "
                    + phase.getClass().getSimpleName() + ": submit between ready and close");
        }
        ProtocolFault refusal = exchange().refusal(request);
        if (refusal != null) {
            fail(refusal);
            return;
        }
        exchange().submit(request);
        closeIfUnanswerable();
    }

    private void complete(RdmapRequest request) {
        ProtocolFault fault = ulp.onCompleted(request);
        if (fault != null) {
            fail(fault);
        }
    }

    /** Ends the stream after an error of this side. */
    private void fail(ProtocolFault fault) {
        if (phase.outputClosed()) {
            abort(CloseReason.of(fault));
        } else {
            terminate(CloseReason.of(fault), Terminate.of(fault.error()));
        }
    }

    void flush() {
        unflushed = false;
        link.flush();
    }

    /** Called when the response deadline has passed. */
    void onResponseDeadline() {
        boolean over = phase instanceof StreamPhase.Terminating || phase instanceof StreamPhase.Ended;
        CloseReason reason = over ? null : exchange().missedResponseDeadline();
        if (reason == null) {
            return;
        }
        if (phase.outputClosed()) {
            abort(reason);
        } else {
            terminate(reason, Terminate.of(ProtocolError.RDMAP_LOCAL_CATASTROPHIC));
        }
    }

    /** Returns whether {@link #submit} may be called now. */
    boolean open() {
        return phase instanceof StreamPhase.Open;
    }

    /**
     * Closes the stream in order: sends the submitted requests, waits for their responses, sends FIN, and waits for the
     * peer's FIN. The stream accepts requests of the peer until all requests of this side are answered, and responds to
     * every accepted request.
     *
     * @param reason the close reason, unless something else ends the stream before everything is sent
     * @return the close reason known so far: the given one, or an earlier one if the stream was already ending
     */
    CloseReason close(CloseReason reason) {
        if (phase instanceof StreamPhase.Open) {
            phase = new StreamPhase.Draining(reason, exchange().closeProgress());
            link.armDeadline();
            closeOutputWhenDrained(reason);
        } else if (phase instanceof StreamPhase.Starting) {
            note(reason);
            link.close();
        }
        if (firstCause != null) {
            return firstCause;
        }
        return phase instanceof StreamPhase.Draining draining ? draining.reason() : reason;
    }

    /** Ends the stream and closes the connection immediately. Nothing more is sent. */
    void abort(CloseReason reason) {
        CloseReason cause = note(reason);
        link.close();
        end(cause);
    }

    @Override
    public @Nullable ProtocolFault examine(DdpSegment segment) {
        return exchange().examine(segment);
    }

    @Override
    public AccessRight placementRight(DdpSegment segment) {
        return exchange().placementRight(segment);
    }

    @Override
    public UntaggedQueue queue(DdpSegment segment) {
        return exchange().queue(segment);
    }

    @Override
    public void onPlaced(DdpSegment segment) {
        exchange().onPlaced(segment);
    }

    @Override
    public @Nullable ProtocolFault onTaggedDelivery(DdpSegment last) {
        exchange().onTaggedDelivery(last);
        return null;
    }

    @Override
    public void onSent(DdpMessage message) {
        if (message instanceof OutgoingTerminate terminate) {
            onTerminateSent(terminate);
        } else {
            exchange().onSent(message);
            moveOn();
        }
    }

    /** Flushes what an event has written. Closes the output of a draining stream if nothing is left to send. */
    private void moveOn() {
        if (phase instanceof StreamPhase.Ended) {
            return;
        }
        if (unflushed) {
            flush();
        }
        if (phase instanceof StreamPhase.Draining draining) {
            closeOutputWhenDrained(draining.reason());
        }
    }

    private void closeOutputWhenDrained(CloseReason reason) {
        if (exchange().drained(peerClosedHalf)) {
            phase = new StreamPhase.HalfClosed();
            note(reason);
            link.closeOutput();
            if (peerClosedHalf) {
                link.close();
            }
        }
    }

    @Override
    public void onFault(ProtocolFault fault, @Nullable DdpSegment segment) {
        boolean starting = phase instanceof StreamPhase.Starting;
        if (phase instanceof StreamPhase.Ended
                || (phase instanceof StreamPhase.Starting unusable && unusable.setupFault() != null)) {
            return;
        }
        CloseReason reason = CloseReason.of(fault);
        if (starting || phase.outputClosed() || Terminate.isIn(segment)) {
            abort(reason);
        } else {
            byte[] quoted = Terminate.quotesReadRequest(fault.error(), segment)
                    ? exchange().refusedRead()
                    : Terminate.NOTHING;
            terminate(reason, Terminate.of(fault.error(), segment, quoted));
        }
    }

    /**
     * The application invalidated the source of a Read. Ends the stream, as the rest of the response cannot be sent.
     */
    @Override
    public void onSourceRevoked(DdpMessage message, long bytesRead) {
        ProtocolFault fault = new ProtocolFault(
                ProtocolError.RDMAP_INVALID_STAG,
                "the source of a Read was revoked after " + bytesRead + " bytes of it had been sent");
        terminate(CloseReason.of(fault), ((Response) message).revoked(fault.error(), bytesRead));
    }

    private void terminate(CloseReason reason, Terminate terminate) {
        if (phase instanceof StreamPhase.Ended || phase instanceof StreamPhase.Terminating) {
            return;
        }
        phase = new StreamPhase.Terminating(note(reason));
        exchange().stop();
        link.armDeadline();
        link.write(new OutgoingTerminate(terminate));
        link.flush();
    }

    /**
     * Closes the output after the Terminate, but continues to read until the peer closes. If a socket is closed with
     * unread input, the kernel sends RST, and the peer can lose the Terminate.
     */
    private void onTerminateSent(OutgoingTerminate terminate) {
        counters.add(Counter.TERMINATES_SENT, 1);
        ulp.onTerminateSent(terminate.error());
        link.closeOutput();
        if (phase instanceof StreamPhase.Terminating terminating) {
            end(terminating.reason(), true);
        }
        if (peerClosedHalf) {
            link.close();
        }
    }

    private void onTerminate(ByteBuf bytes) {
        counters.add(Counter.TERMINATES_RECEIVED, 1);
        CloseReason reason = Terminate.reason(Terminate.decode(bytes));
        ulp.onTerminateReceived(reason.error());
        abort(reason);
    }

    /** The peer closed its half of the connection. */
    void onPeerClosedHalf() {
        peerClosedHalf = true;
        if (phase.outputClosed()) {
            link.close();
            return;
        }
        boolean news = phase instanceof StreamPhase.Open || phase instanceof StreamPhase.Starting;
        closeIfUnanswerable();
        if (news) {
            ulp.onPeerClosedHalf();
        }
        moveOn();
    }

    private void closeIfUnanswerable() {
        boolean usable = phase instanceof StreamPhase.Open || phase instanceof StreamPhase.Draining;
        if (peerClosedHalf && usable && exchange().awaitsAnswers()) {
            close(note(exchange().leftUnanswered()));
        }
    }

    @Override
    public void onReadComplete() {
        if (!(phase instanceof StreamPhase.Ended)) {
            moveOn();
            ulp.onReadComplete();
        }
    }

    /** The connection is closed. */
    void onDisconnected() {
        end(note(
                exchange != null
                        ? new CloseReason(EndedBy.PEER_CLOSED, null, "the peer closed the connection", null)
                        : new CloseReason(EndedBy.TRANSPORT, null, "could not connect", null)));
    }

    /** The transport failed: reset, timed out, unreachable. {@link #onDisconnected} follows. */
    void onTransportFailure(Throwable cause) {
        note(CloseReason.of(
                new ProtocolFault(ProtocolError.MPA_CONNECTION_LOST, "the connection was lost: " + cause, cause)));
    }

    /** The close timeout has passed. Closes the connection, unless a draining stream makes progress. */
    void onDeadline() {
        if (!(phase instanceof StreamPhase.Draining draining)) {
            link.close();
        } else if (draining.progress().moved()) {
            link.armDeadline();
        } else {
            abort(new CloseReason(
                    EndedBy.TIMEOUT,
                    null,
                    "no progress within the close timeout of " + settings.closeTimeout() + ", and work was left to do",
                    null));
        }
    }

    /** Records the reason if it is the first. Returns the first reason. */
    private CloseReason note(CloseReason reason) {
        if (firstCause == null) {
            firstCause = reason;
        }
        return firstCause;
    }

    private void end(CloseReason reason) {
        end(reason, phase.outputClosed());
    }

    private void end(CloseReason reason, boolean outputClosed) {
        if (phase instanceof StreamPhase.Ended) {
            return;
        }
        phase = new StreamPhase.Ended(outputClosed);
        if (exchange != null) {
            exchange.stop();
        }
        ulp.onEnded(reason);
    }
}
