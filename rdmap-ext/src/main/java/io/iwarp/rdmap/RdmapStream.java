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
import io.iwarp.ddp.Placement;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.MpaEvent;
import io.iwarp.rdmap.StreamState.Phase;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of one RDMAP stream, without I/O: its start, when requests may start, and its end. Its
 * {@link StreamState} says where it stands, its three {@link Deadline}s bound what it waits for, and its {@link Exchange}
 * handles the messages (<a href="https://www.rfc-editor.org/rfc/rfc5040">RFC 5040</a>).
 *
 * <p>Events come from DDP ({@link DdpUlp}) and from the handler (the {@code on...} methods of this class). Commands
 * come from the layer above: {@link #pull}, {@link #close}, {@link #abort}. Outputs are calls on
 * {@link RdmapLink} and {@link RdmapUlp}. All calls happen on the event loop of the connection.
 */
final class RdmapStream implements DdpUlp {
    private final RdmapSettings settings;
    private final RdmapUlp ulp;
    private final RdmapLink link;
    private final StreamAssociation association;
    private final Counters counters;
    private final StreamState state;
    /** Bounds how long the transport may take nothing of what is sent. */
    private final Deadline transmit;
    /** Bounds how long outstanding Reads and atomics may wait for a part of a response. */
    private final Deadline response;
    /** Bounds an orderly close, the way of a Terminate, and the wait for the peer's FIN. */
    private final Deadline closing;

    private MpaEvent.@Nullable Established established;
    /** Null until start-up is complete. */
    private @Nullable Exchange exchange;

    /** FIN was sent. The connection is closed when the peer's FIN arrives. */
    private boolean outputClosed;

    private boolean peerClosedHalf;

    RdmapStream(
            RdmapSettings settings,
            RdmapUlp ulp,
            RdmapLink link,
            StreamAssociation association,
            Counters counters,
            StreamState state) {
        this.settings = settings;
        this.ulp = ulp;
        this.link = link;
        this.association = association;
        this.counters = counters;
        this.state = state;
        this.transmit = new Deadline(settings.transmitTimeout(), link, this::progress, new TransmitWait());
        this.response = new Deadline(settings.responseTimeout(), link, this::progress, new ResponseWait());
        this.closing = new Deadline(settings.closeTimeout(), link, this::progress, new CloseWait());
    }

    private Exchange exchange() {
        return Objects.requireNonNull(exchange, "start-up is not over");
    }

    void onEstablished(MpaEvent.Established event) {
        established = event;
        exchange = new Exchange(
                settings,
                ulp,
                this::stall,
                association,
                counters,
                new TerminateQueue(this::onTerminate),
                event.parameters(),
                link,
                this::fail);
        ulp.onEstablished(event.parameters());
        if (state.is(Phase.SETTING_UP)) {
            state.enter(Phase.ESTABLISHED);
        }
    }

    void onTransmitReady() {
        MpaEvent.Established agreed = established;
        if (agreed == null || !state.is(Phase.ESTABLISHED)) {
            return;
        }
        state.enter(Phase.OPEN);
        if (agreed.setupFault() != null) {
            fail(agreed.setupFault());
            return;
        }
        if (agreed.parameters().readyToReceive() != null) {
            exchange().sendReadyToReceive(agreed.parameters().readyToReceive());
            flush();
        }
        ulp.onReady();
    }

    /** Start-up failed: the stream never began. */
    void onStartupFailed(MpaEvent.StartupFailed failed) {
        if (failed.enhancedRefused()) {
            ulp.onEnhancedSetupRefused();
        }
        end(failed.reason());
    }

    /** Start-up ended with a rejection: the stream never began. */
    void onRejected(MpaEvent.Rejected rejection) {
        state.note(new CloseReason(rejection.endedBy(), null, "the connection request was rejected", null));
        ulp.onRejected(rejection);
        end();
    }

    /** Starts the posted requests that may start, and sends them in one flush. */
    void pull() {
        if (state.acceptsRequests()) {
            exchange().startRequests();
            giveUpUnanswerable();
            flush();
        }
    }

    /** Sends an empty Write if the stream is open and nothing waits for the transport. */
    void keepAlive() {
        if (state.is(Phase.OPEN)) {
            exchange().sendKeepAlive();
            flush();
        }
    }

    /** Ends the stream after an error of this side. */
    private void fail(ProtocolFault fault) {
        terminateOrAbort(CloseReason.of(fault), fault.error());
    }

    private void terminateOrAbort(CloseReason reason, ProtocolError error) {
        if (outputClosed) {
            abort(reason);
        } else {
            terminate(reason, Terminate.of(error));
        }
    }

    /**
     * Closes the stream in order: sends what was posted before, waits for the responses, sends FIN, and waits for the
     * peer's FIN. The close timeout runs from now on. The stream accepts requests of the peer until all requests of this
     * side are answered, and responds to every accepted request. A stream that may not send yet closes at once.
     *
     * @param reason the close reason, unless a close was requested before, or something else ends the stream before
     *     everything is sent
     */
    void close(CloseReason reason) {
        state.requestClose(reason);
        if (state.is(Phase.OPEN)) {
            beginClosing();
        } else if (state.phase().compareTo(Phase.OPEN) < 0) {
            state.note(closeReason());
            link.close();
        }
    }

    private void beginClosing() {
        state.enter(Phase.CLOSING);
        ulp.onClosing();
        closing.restart();
        closeOutputWhenDrained();
    }

    /** Returns the reason of a close that was requested, or the cause for which this side gave the stream up. */
    private CloseReason closeReason() {
        return Objects.requireNonNull(state.overReason(), "no close was requested");
    }

    /** Ends the stream and closes the connection immediately. Nothing more is sent. */
    void abort(CloseReason reason) {
        state.note(reason);
        link.close();
        end();
    }

    @Override
    public Placement place(DdpSegment segment) {
        return exchange().place(segment);
    }

    @Override
    public void onPlaced() {
        exchange().onPlaced();
        endStall();
    }

    /** A message waits for a receive, so no answer can come now. May be called again during a stall. */
    private void stall() {
        if (!outputClosed && state.phase().compareTo(Phase.TERMINATING) < 0) {
            response.pause();
        }
    }

    /** Input goes on, or is not waited for any more. May be called without a stall. */
    private void endStall() {
        response.resume();
        closing.resume();
    }

    /** Sends what was written, and bounds the time in which the transport takes it. */
    private void flush() {
        link.flush();
        if (exchange().sending()) {
            transmit.arm();
        }
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

    /** Flushes what an event has written. Closes the output of a closing stream if nothing is left to send. */
    private void moveOn() {
        if (state.is(Phase.ENDED)) {
            return;
        }
        if (exchange != null) {
            flush();
            if (exchange.awaitsAnswers()) {
                response.arm();
                if (response.paused()) {
                    closing.pause();
                }
            }
        }
        if (state.is(Phase.CLOSING)) {
            closeOutputWhenDrained();
        }
    }

    /**
     * Closes the output if nothing is left to send or to wait for.
     */
    private void closeOutputWhenDrained() {
        if (exchange().drained(peerClosedHalf && exchange().awaitsAnswers())) {
            state.note(closeReason());
            state.enter(Phase.HALF_CLOSED);
            closeOutput();
            if (peerClosedHalf) {
                link.close();
            }
        }
    }

    private void closeOutput() {
        outputClosed = true;
        endStall();
        closing.restart();
        link.closeOutput();
    }

    @Override
    public void onFault(ProtocolFault fault, @Nullable DdpSegment segment) {
        boolean starting = state.phase().compareTo(Phase.OPEN) < 0;
        if (state.is(Phase.ENDED) || (starting && established != null && established.setupFault() != null)) {
            return;
        }
        CloseReason reason = CloseReason.of(fault);
        if (starting || outputClosed || Terminate.isIn(segment)) {
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
        if (state.phase().compareTo(Phase.TERMINATING) >= 0) {
            return;
        }
        state.note(reason);
        state.enter(Phase.TERMINATING);
        stopExchange();
        closing.restart();
        link.write(new OutgoingTerminate(terminate));
        link.flush();
    }

    /** Nothing of the exchange is waited for any more. */
    private void stopExchange() {
        if (exchange != null) {
            exchange.stop();
        }
        endStall();
        transmit.cancel();
        response.cancel();
    }

    /**
     * Closes the output after the Terminate, but continues to read until the peer closes. If a socket is closed with
     * unread input, the kernel sends RST, and the peer can lose the Terminate.
     */
    private void onTerminateSent(OutgoingTerminate terminate) {
        counters.add(Counter.TERMINATES_SENT, 1);
        ulp.onTerminateSent(terminate.error());
        closeOutput();
        end();
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
        if (outputClosed) {
            link.close();
            return;
        }
        boolean news = state.phase().compareTo(Phase.OPEN) <= 0;
        giveUpUnanswerable();
        if (news) {
            ulp.onPeerClosedHalf();
        }
        moveOn();
    }

    /** Closes the stream if the peer closed its half and left Reads or atomics without an answer. */
    private void giveUpUnanswerable() {
        if (peerClosedHalf && state.acceptsRequests() && exchange().awaitsAnswers()) {
            state.note(exchange().leftUnanswered());
            if (state.is(Phase.OPEN)) {
                beginClosing();
            }
        }
    }

    @Override
    public void onReadComplete() {
        if (!state.is(Phase.ENDED)) {
            moveOn();
            ulp.onReadComplete();
        }
    }

    /** The connection is closed. */
    void onDisconnected() {
        end(
                exchange != null
                        ? new CloseReason(EndedBy.PEER_CLOSED, null, "the peer closed the connection", null)
                        : new CloseReason(EndedBy.TRANSPORT, null, "could not connect", null));
        closing.cancel();
    }

    /** The transport failed: reset, timed out, unreachable. {@link #onDisconnected} follows. */
    void onTransportFailure(Throwable cause) {
        state.note(CloseReason.of(
                new ProtocolFault(ProtocolError.MPA_CONNECTION_LOST, "the connection was lost: " + cause, cause)));
    }

    /** Ends the stream if it has not ended. The reason counts unless there is an earlier cause. */
    void end(CloseReason reason) {
        state.note(reason);
        end();
    }

    /** Ends the stream with its first cause. */
    private void end() {
        if (state.is(Phase.ENDED)) {
            return;
        }
        state.enter(Phase.ENDED);
        stopExchange();
        ulp.onEnded(Objects.requireNonNull(state.cause(), "a stream ends for a reason"));
    }

    private Progress progress() {
        return new Progress(
                counters.get(Counter.ULPDU_BYTES_SENT) - link.untakenBytes(),
                counters.get(Counter.ULPDU_BYTES_RECEIVED),
                exchange == null ? 0 : exchange.answeredBytes(),
                ulp.requestQueue().waiting());
    }

    /** The transport has not taken all that is sent. */
    private final class TransmitWait implements Deadline.Wait {
        @Override
        public boolean pending() {
            return exchange().sending();
        }

        @Override
        public boolean movedSince(Progress moment) {
            return progress().sent() > moment.sent();
        }

        /** A Terminate would wait as well. */
        @Override
        public void expired() {
            abort(timeout("the peer took nothing for " + settings.transmitTimeout() + ", the transmit timeout, and "
                    + exchange().describeLeft() + " left"));
        }
    }

    /** Reads or atomics are unanswered. Only response data counts as progress. */
    private final class ResponseWait implements Deadline.Wait {
        @Override
        public boolean pending() {
            return exchange().awaitsAnswers();
        }

        @Override
        public boolean movedSince(Progress moment) {
            return progress().answered() > moment.answered();
        }

        @Override
        public void expired() {
            terminateOrAbort(
                    timeout("the peer sent no response data for " + settings.responseTimeout() + " while "
                            + exchange().describeUnanswered() + " waited for a response"),
                    ProtocolError.RDMAP_LOCAL_CATASTROPHIC);
        }
    }

    /**
     * The end is under way. An orderly close makes progress while something is sent or answered. Other received bytes count
     * while answers are outstanding, since these may be behind them and have a deadline as well. While all requests that are
     * left wait for a place, only a request that finds one counts. Otherwise a peer could delay the close for as long as it
     * sends or reads.
     */
    private final class CloseWait implements Deadline.Wait {
        @Override
        public boolean pending() {
            return true;
        }

        @Override
        public boolean movedSince(Progress moment) {
            if (!state.is(Phase.CLOSING)) {
                return false;
            }
            Progress now = progress();
            if (now.waiting() > 0 && !exchange().requesting()) {
                return now.waiting() < moment.waiting();
            }
            return now.sent() > moment.sent()
                    || now.answered() > moment.answered()
                    || (now.received() > moment.received() && exchange().awaitsAnswers());
        }

        @Override
        public void expired() {
            if (!state.is(Phase.CLOSING)) {
                link.close();
                return;
            }
            CloseReason requested = closeReason();
            String close = requested.endedBy() == EndedBy.LOCAL_APPLICATION
                    ? "the close"
                    : requested.detail() + "; the close that followed";
            abort(timeout(close + " made no progress within the close timeout of " + settings.closeTimeout() + ", and "
                    + left() + " left"));
        }

        private String left() {
            return exchange().requesting() || ulp.requestQueue().waiting() == 0
                    ? exchange().describeLeft()
                    : ulp.requestQueue().waiting() + " requests that are still being posted were";
        }
    }

    private static CloseReason timeout(String detail) {
        return new CloseReason(EndedBy.TIMEOUT, null, detail, null);
    }
}
