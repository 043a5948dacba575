package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.DdpUlp;
import io.iwarp.ddp.Placement;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.EventLoopTasks;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.internal.mpa.WirePosition;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.rdmap.StreamState.Phase;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.EventExecutor;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The handler of RDMAP in the pipeline, above {@code DdpHandler} (<a href="https://www.rfc-editor.org/rfc/rfc5040">RFC
 * 5040</a>). It handles one stream: its start, the dispatch of messages, the start of requests, and its end.
 * {@link StreamState} is the phase of the stream, and {@link StreamDeadlines} bound its waits. The {@link Requester}
 * handles the requests of this side, the {@link Responder} those of the peer.
 *
 * <p>It receives MPA's events through the pipeline, and DDP calls it ({@link DdpUlp}). The layer above calls
 * {@link #startRequests}, {@link #keepAlive}, {@link #resume}, {@link #close(CloseReason)}, {@link #abort} and
 * {@link #end}, and implements {@link RdmapUlp}.
 *
 * <p>Call all methods except the constructor on the channel's event loop. One handler serves one channel.
 */
public final class RdmapHandler extends ChannelDuplexHandler implements DdpUlp {
    private static final CloseReason CHANNEL_CLOSED =
            CloseReason.of(EndedBy.LOCAL_APPLICATION, "the application closed the channel");
    private static final CloseReason PEER_SENT_NOTHING = CloseReason.of(
            EndedBy.PEER_CLOSED,
            "the peer closed its half of the connection without an FPDU, so this responder may not send");

    private final boolean extensions;
    private final RdmapUlp ulp;
    private final StreamAssociation association;
    private final ConnectionCounters counters;
    private final StreamState state;
    private final Function<Channel, ChannelFuture> halfClose;

    private final Requester requester;
    private final Responder responder;
    private final HeaderQueue terminates = new HeaderQueue(TerminateLayout.MAX_LENGTH, () -> 1, this::onTerminate);
    /** Null until the set-up is agreed. */
    private @Nullable UntaggedQueue sendQueue;
    /**
     * Null once the first segment of the peer has arrived, which alone may be the ready-to-receive message. If that is
     * a Send, it uses a message number, but no receive of the application, and is not reported (RFC 6581 section
     * 4.4.2). A Write or Read is handled like any other.
     */
    private @Nullable HeaderQueue readyToReceive;

    private final StreamDeadlines deadlines;

    private @Nullable ChannelHandlerContext context;
    private MpaEvent.@Nullable Established established;
    /** The number of messages that DDP has and has not reported as sent, without a Terminate. */
    private int pendingMessageCount;
    /** The number of messages that were written and not flushed. */
    private int unflushedCount;
    /** Whether a message waits for a receive, which pauses the response timeout. */
    private boolean isStalled;
    /** Whether the FIN was sent. The connection is closed when the peer's FIN arrives. */
    private boolean isOutputClosed;

    private boolean isInputShutdown;

    /**
     * @param ulp the layer above
     * @param association the memory that the peer may access
     * @param counters counts Terminates; written only by the event loop
     * @param position the progress of the transport
     * @param state the new state of this stream, which the handler changes and any thread may read
     * @param halfClose closes the output of the channel after everything written so far; input may still arrive
     */
    public RdmapHandler(
            RdmapSettings settings,
            RdmapUlp ulp,
            StreamAssociation association,
            ConnectionCounters counters,
            WirePosition position,
            StreamState state,
            Function<Channel, ChannelFuture> halfClose) {
        this.extensions = settings.extensions();
        this.ulp = ulp;
        this.association = association;
        this.counters = counters;
        this.state = state;
        this.halfClose = halfClose;
        this.requester = new Requester(this::write, ulp.requestQueue(), this::fail, counters);
        this.responder = new Responder(this::write, ulp, association, counters, position);
        this.deadlines = new StreamDeadlines(
                settings, state, position, association, requester, responder, ulp.requestQueue(), new Stream());
    }

    private ChannelHandlerContext context() {
        return Objects.requireNonNull(context, "the handler is not in a pipeline");
    }

    // Set-up

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        ctx.fireUserEventTriggered(event);
        if (event instanceof MpaEvent.Established agreed) {
            onEstablished(agreed);
        } else if (event instanceof MpaEvent.TransmitReady) {
            onTransmitReady();
        } else if (event instanceof MpaEvent.InputShutdown) {
            onInputShutdown();
        } else if (event instanceof MpaEvent.StartupFailed failed) {
            onStartupFailed(failed);
        } else if (event instanceof MpaEvent.Rejected rejected) {
            onRejected(rejected);
            ctx.pipeline().remove(this);
        }
    }

    private void onEstablished(MpaEvent.Established event) {
        established = event;
        MpaParameters agreed = event.parameters();
        requester.setOrd(agreed.ord());
        responder.setIrd(agreed.ird());
        sendQueue = new SendDelivery(ulp, association, this::stall);
        if (agreed.role() == Role.RESPONDER && agreed.peerToPeer()) {
            readyToReceive = new HeaderQueue(1, () -> 1, (message, bytes) -> null);
        }
        ulp.onEstablished(agreed);
        if (state.is(Phase.SETTING_UP)) {
            state.enter(Phase.ESTABLISHED);
        }
    }

    private void onTransmitReady() {
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
            requester.sendReadyToReceive(agreed.parameters().readyToReceive());
            flush();
        }
        ulp.onReady();
    }

    /** Ends a stream whose start-up failed. */
    private void onStartupFailed(MpaEvent.StartupFailed failed) {
        if (failed.enhancedRefused()) {
            ulp.onEnhancedSetupRefused();
        }
        end(failed.reason());
    }

    /** Ends a stream whose connection request was rejected. */
    private void onRejected(MpaEvent.Rejected rejection) {
        state.setCause(rejection.reason());
        ulp.onRejected(rejection);
        end();
    }

    // Sending

    /**
     * Starts the requests of the {@linkplain RdmapUlp#requestQueue queue} that may start, and sends them in one flush.
     * Has no effect before the stream is ready and after its end.
     */
    public void startRequests() {
        if (state.mayStartRequests()) {
            requester.startRequests();
            closeIfResponsesLost();
            flush();
        }
    }

    /**
     * Sends an RDMA Write of 0 bytes, so that the peer and middleboxes see that this side is alive. It is no request of
     * the {@linkplain RdmapUlp#requestQueue queue}. Has no effect unless the stream is open and nothing waits for the
     * transport.
     */
    public void keepAlive() {
        if (state.is(Phase.OPEN) && pendingMessageCount == 0) {
            requester.sendKeepAlive();
            flush();
        }
    }

    private void write(DdpMessage message) {
        pendingMessageCount++;
        unflushedCount++;
        ChannelHandlerContext ctx = context();
        ctx.write(message, ctx.voidPromise());
    }

    /** Flushes what was written, unless it may wait for more. */
    private void flush() {
        if (unflushedCount == 0) {
            return;
        }
        if (state.is(Phase.OPEN) && requester.mayBatch(unflushedCount)) {
            deadlines.batch.arm();
        } else {
            flushNow();
        }
    }

    /** Flushes what was written, and starts the transmit timeout. */
    private void flushNow() {
        unflushedCount = 0;
        requester.endBatch();
        context().flush();
        if (pendingMessageCount > 0 && state.mayStartRequests()) {
            deadlines.transmit.arm();
        }
    }

    @Override
    public void onSent(DdpMessage message) {
        if (message instanceof OutgoingTerminate terminate) {
            onTerminateSent(terminate);
            return;
        }
        pendingMessageCount--;
        if (message instanceof Response response) {
            responder.onSent(response);
        } else {
            requester.onSent(message);
            if (requester.isAwaitingResponse() && state.mayStartRequests()) {
                deadlines.response.arm();
            }
        }
        flushAndMaybeCloseOutput();
    }

    /** Flushes what an event has written. Closes the output of a closing stream if nothing is left to send. */
    private void flushAndMaybeCloseOutput() {
        if (state.is(Phase.ENDED)) {
            return;
        }
        flush();
        if (state.is(Phase.CLOSING)) {
            closeOutputWhenDrained();
        }
    }

    // Receiving

    /**
     * Checks a segment (<a href="https://www.rfc-editor.org/rfc/rfc5040#section-7.2">RFC 5040 section 7.2</a>), and
     * returns its destination.
     */
    @Override
    public Placement placementOf(DdpSegment segment) {
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
            case RDMA_WRITE -> responder;
            case READ_RESPONSE -> requester.placementOfReadResponse(segment);
            case ATOMIC_RESPONSE -> requester.atomicResponses();
            case READ_REQUEST, ATOMIC_REQUEST -> responder.requests();
            case TERMINATE -> terminates;
            case IMMEDIATE_DATA, IMMEDIATE_DATA_WITH_SOLICITED_EVENT -> placementOfImmediate(segment);
            default -> placementOfSend(opcode, segment);
        };
    }

    /** Immediate Data has exactly 8 bytes, so it is one segment (RFC 7306 section 6.3). */
    private Placement placementOfImmediate(DdpSegment segment) {
        int length = segment.payloadLength();
        if (length == Opcode.IMMEDIATE_LENGTH && segment.messageOffset() == 0 && segment.last()) {
            return sendQueue();
        }
        return refused(
                ProtocolError.RDMAP_OPERATION_UNSPECIFIED,
                "a segment of Immediate Data with " + length + " bytes at message offset " + segment.messageOffset()
                        + (segment.last() ? "" : ", not the last of its message")
                        + ": Immediate Data is one segment of "
                        + Opcode.IMMEDIATE_LENGTH + " bytes");
    }

    private Placement placementOfSend(Opcode opcode, DdpSegment segment) {
        boolean empty = segment.payloadLength() == 0 && segment.last();
        return readyToReceive != null && opcode == Opcode.SEND && empty ? readyToReceive : sendQueue();
    }

    private UntaggedQueue sendQueue() {
        return Objects.requireNonNull(sendQueue, "start-up is not over");
    }

    private static Placement refused(ProtocolError error, String detail) {
        return new Placement.Refused(new ProtocolFault(error, detail));
    }

    @Override
    public void onPlaced() {
        readyToReceive = null;
        endStall();
    }

    /** Requests that the layer above posts now are flushed together with those that the burst has started. */
    @Override
    public void onReadComplete() {
        if (!state.is(Phase.ENDED)) {
            ulp.onReadComplete();
            flushAndMaybeCloseOutput();
        }
    }

    /**
     * Pauses the response timeout while a message waits for a receive, since no response can arrive. Once closing, a
     * stall no longer stops the timer; otherwise a peer could delay the close indefinitely. May be called again during
     * a stall.
     */
    private void stall() {
        if (state.isBefore(Phase.CLOSING)) {
            isStalled = true;
            deadlines.response.pause();
        }
    }

    private void endStall() {
        if (isStalled) {
            isStalled = false;
            deadlines.response.resume();
        }
    }

    /** Retries the message with which the input {@linkplain io.iwarp.ddp.UntaggedQueue#awaitBuffer stalled}. */
    public void resume() {
        context().read();
    }

    // The orderly close

    /**
     * Closes the stream gracefully: sends the requests that were posted before, waits for their responses, closes this
     * side's half of the connection, and waits for the peer's FIN. The close timeout starts now. The stream accepts
     * requests of the peer until the peer has responded to all requests of this side, and responds to every accepted
     * request. A stream that may not send yet closes at once.
     *
     * @param reason the close reason, unless a close was requested before, or the stream ends for another reason first
     */
    public void close(CloseReason reason) {
        state.requestClose(reason);
        if (state.is(Phase.OPEN)) {
            beginClosing();
        } else if (state.isBefore(Phase.OPEN)) {
            state.setCause(requireRefusalReason());
            closeChannel();
        }
    }

    private void beginClosing() {
        state.enter(Phase.CLOSING);
        ulp.onClosing();
        endStall();
        deadlines.close.restart();
        closeOutputWhenDrained();
    }

    /** Returns the reason of a close that was requested, or the cause for which this side ended the stream. */
    private CloseReason requireRefusalReason() {
        return Objects.requireNonNull(state.refusalReason(), "no close was requested");
    }

    /**
     * Closes the output if nothing is left to send or to wait for.
     *
     * <p>While this side waits for responses, it accepts requests of the peer. Otherwise two closing peers would wait
     * for each other. When the peer has responded to all requests of this side, it accepts no more, or the peer could
     * delay the close forever with new requests. If the peer closed its half and left requests without a response, the
     * requests after them are cancelled.
     */
    private void closeOutputWhenDrained() {
        boolean idle = requester.idle();
        if (idle) {
            responder.stop();
        }
        boolean responsesLost = isInputShutdown && requester.outstandingCount() > 0;
        if (pendingMessageCount == 0 && (idle || responsesLost)) {
            state.setCause(requireRefusalReason());
            state.enter(Phase.HALF_CLOSED);
            closeOutput();
            if (isInputShutdown) {
                closeChannel();
            }
        }
    }

    private void closeOutput() {
        isOutputClosed = true;
        deadlines.close.restart();
        halfClose.apply(context().channel()).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }

    private void onInputShutdown() {
        isInputShutdown = true;
        if (isOutputClosed) {
            closeChannel();
            return;
        }
        boolean open = state.isBefore(Phase.CLOSING);
        closeIfResponsesLost();
        if (open) {
            ulp.onInputShutdown();
        }
        if (state.is(Phase.ESTABLISHED) && role() == Role.RESPONDER) {
            close(PEER_SENT_NOTHING);
        }
        flushAndMaybeCloseOutput();
    }

    private @Nullable Role role() {
        return established == null ? null : established.parameters().role();
    }

    /** Closes the stream if the peer closed its half and left Reads or atomics without a response. */
    private void closeIfResponsesLost() {
        if (isInputShutdown && state.mayStartRequests() && requester.outstandingCount() > 0) {
            state.setCause(CloseReason.of(
                    EndedBy.PEER_CLOSED,
                    "the peer closed its half of the connection and left " + requester.describeOutstanding()
                            + " without a response"));
            if (state.is(Phase.OPEN)) {
                beginClosing();
            }
        }
    }

    // Faults and Terminates

    @Override
    public void onFault(ProtocolFault fault, @Nullable DdpSegment segment) {
        boolean starting = state.isBefore(Phase.OPEN);
        if (state.is(Phase.ENDED) || (starting && established != null && established.setupFault() != null)) {
            return;
        }
        CloseReason reason = fault.closeReason();
        if (starting || isOutputClosed || Terminate.isIn(segment)) {
            abort(reason);
        } else {
            byte[] quoted =
                    Terminate.quotesReadRequest(fault.error(), segment) ? responder.refusedRead() : Terminate.NOTHING;
            terminate(reason, Terminate.of(fault.error(), segment, quoted));
        }
    }

    @Override
    public void onMessageTimeout(ProtocolError error, String detail) {
        terminateOrAbort(CloseReason.of(EndedBy.TIMEOUT, detail), error);
    }

    /**
     * The application invalidated the source of a Read. Ends the stream, as the rest of the response cannot be sent.
     */
    @Override
    public void onSourceRevoked(DdpMessage message, long bytesRead) {
        ProtocolFault fault = new ProtocolFault(
                ProtocolError.RDMAP_INVALID_STAG,
                "the source of a Read was revoked after " + bytesRead + " bytes of it had been sent");
        terminate(fault.closeReason(), ((Response) message).revoked(fault.error(), bytesRead));
    }

    /** Ends the stream after an error of this side. */
    private void fail(ProtocolFault fault) {
        terminateOrAbort(fault.closeReason(), fault.error());
    }

    private void terminateOrAbort(CloseReason reason, ProtocolError error) {
        if (isOutputClosed) {
            abort(reason);
        } else {
            terminate(reason, Terminate.of(error));
        }
    }

    private void terminate(CloseReason reason, Terminate terminate) {
        if (!state.isBefore(Phase.TERMINATING)) {
            return;
        }
        state.setCause(reason);
        state.enter(Phase.TERMINATING);
        stop();
        deadlines.close.restart();
        ChannelHandlerContext ctx = context();
        ctx.writeAndFlush(new OutgoingTerminate(terminate), ctx.voidPromise());
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
        if (isInputShutdown) {
            closeChannel();
        }
    }

    private @Nullable ProtocolFault onTerminate(UntaggedBuffer message, ByteBuf bytes) {
        counters.add(Counter.TERMINATES_RECEIVED, 1);
        CloseReason reason = Terminate.reason(Terminate.decode(bytes.setIndex(0, (int) message.messageLength())));
        ulp.onTerminateReceived(reason.error());
        abort(reason);
        return null;
    }

    // The end

    /** Closes the connection immediately. Unsent data is lost. */
    public void abort(CloseReason reason) {
        state.setCause(reason);
        closeChannel();
        end();
    }

    /** A connection that could not be prepared has no pipeline. */
    private void closeChannel() {
        if (context != null) {
            context.close();
        }
    }

    /** The application closes the channel instead of the stream. Netty closes one that could not connect. */
    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (ctx.channel().isActive()) {
            state.setCause(CHANNEL_CLOSED);
        }
        ctx.close(promise);
    }

    /** Closes the connection: after a failure in the pipeline below, the state of the stream is undefined. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        state.setCause(new ProtocolFault(ProtocolError.MPA_CONNECTION_LOST, "the connection was lost: " + cause, cause)
                .closeReason());
        ctx.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        onDisconnected(ctx);
        ctx.fireChannelInactive();
    }

    /** Netty calls this without {@link #channelInactive} if the connection could not be established. */
    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        onDisconnected(ctx);
    }

    /** An event loop that shuts down closes its channels without a call of {@link #close}. */
    private void onDisconnected(ChannelHandlerContext ctx) {
        if (ctx.executor().isShuttingDown()) {
            state.setCause(EventLoopTasks.SHUT_DOWN);
        }
        end(
                established != null
                        ? CloseReason.of(EndedBy.PEER_CLOSED, "the peer closed the connection")
                        : CloseReason.of(EndedBy.TRANSPORT, "could not connect"));
        deadlines.close.cancel();
    }

    /**
     * Ends a stream that can send nothing: its connection could not be prepared, or its event loop has terminated. The
     * only method that another thread may call, after the event loop.
     *
     * @param reason the close reason, unless there is an earlier cause
     */
    public void end(CloseReason reason) {
        state.setCause(reason);
        end();
    }

    /** Ends the stream with its first cause. */
    private void end() {
        if (state.is(Phase.ENDED)) {
            return;
        }
        state.enter(Phase.ENDED);
        stop();
        ulp.onEnded(Objects.requireNonNull(state.cause(), "a stream ends for a reason"));
    }

    /** Stops all requests and responses. Only the Terminate is still sent, and only the FIN of the peer is awaited. */
    private void stop() {
        requester.stop();
        responder.stop();
        deadlines.transmit.cancel();
        deadlines.response.cancel();
        deadlines.batch.cancel();
    }

    /** The view of this stream that its deadlines use. */
    private final class Stream implements StreamDeadlines.Stream {
        @Override
        public EventExecutor executor() {
            return context().executor();
        }

        @Override
        public int pendingMessageCount() {
            return pendingMessageCount;
        }

        @Override
        public int unflushedCount() {
            return unflushedCount;
        }

        @Override
        public void flush() {
            flushNow();
        }

        @Override
        public void terminate(CloseReason reason, ProtocolError error) {
            terminateOrAbort(reason, error);
        }

        @Override
        public void abort(CloseReason reason) {
            RdmapHandler.this.abort(reason);
        }

        @Override
        public void closeChannel() {
            RdmapHandler.this.closeChannel();
        }
    }
}
