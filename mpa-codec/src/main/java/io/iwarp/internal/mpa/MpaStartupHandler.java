package io.iwarp.internal.mpa;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.internal.EventLoopTasks;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.mpa.MpaSettings;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs the MPA start-up on a channel (RFC 5044 section 7.1; RFC 6581), then removes itself. Add it directly above
 * the transport, or above the {@code SslHandler}, before or after the channel becomes active. One handler serves one
 * connection.
 *
 * <p>It ends with one of three {@link MpaEvent}s:
 *
 * <ul>
 *   <li>{@link MpaEvent.Established}: the handler removes itself, and bytes after the peer's frame are passed on.
 *   <li>{@link MpaEvent.Rejected}: the same, and TCP stays open for the ULP.
 *   <li>{@link MpaEvent.StartupFailed}: the channel is closed; further input is discarded.
 * </ul>
 *
 * <p>Switch to MPA only when no more streaming data is expected from the peer (RFC 5044 section 7.1.5): the first byte
 * of this handler must be the first of the peer's frame. A handler that added this one passes on the bytes after its
 * own with {@code fireChannelRead}.
 *
 * <p>Memory: at most 20 + 512 bytes for a connection, whatever the peer sends.
 */
public final class MpaStartupHandler extends ChannelDuplexHandler {
    private static final Logger LOGGER = LoggerFactory.getLogger(MpaStartupHandler.class);

    private static final String NO_SEGMENT_SIZE = "the transport could not be asked for the segment size";

    /** The settings of the connection, once they are known. */
    private MpaSettings settings;

    private final MpaStartup startup;
    private final MpaConnectionRequestListener listener;

    /** Input for the layers above, in order, until the start-up is over. */
    private final Deque<ByteBuf> remainingInput = new ArrayDeque<>(1);

    private Phase phase = Phase.ADDED;
    private boolean isClosedLocally;
    private @Nullable Future<?> timeout;
    private @Nullable MpaConnectionRequest request;

    private MpaStartupHandler(MpaSettings settings, MpaStartup startup, MpaConnectionRequestListener listener) {
        this.settings = settings;
        this.startup = startup;
        this.listener = listener;
    }

    /** The phase of this handler. {@link MpaStartup} has the states of the protocol. */
    private enum Phase {
        ADDED,
        EXCHANGING,
        HANDING_OVER,
        FAILED
    }

    /**
     * Returns a handler that sends an MPA Request Frame as soon as the channel is active, and waits for the Reply.
     *
     * @param settings the settings of this connection
     * @param privateData 0 to 512 bytes for the Request Frame, 508 with the enhanced set-up, copied; must be none with
     *     a pre-agreed start. Some peers, such as Linux siw, accept at most 256, including the four bytes of the
     *     enhanced set-up, and close the connection on more.
     * @throws IllegalArgumentException if there are more bytes than that, or any with a pre-agreed start
     */
    public static MpaStartupHandler initiator(MpaSettings settings, byte[] privateData) {
        return new MpaStartupHandler(settings, MpaStartup.initiator(settings, privateData), request -> {
            throw new IllegalStateException("an initiator gets no connection request");
        });
    }

    /**
     * Returns a handler that waits for an MPA Request Frame and lets the listener decide about it.
     *
     * @param settings the settings of this connection
     * @param listener decides about the request; not called with a pre-agreed start, which has none
     */
    public static MpaStartupHandler responder(MpaSettings settings, MpaConnectionRequestListener listener) {
        return new MpaStartupHandler(
                settings, MpaStartup.responder(settings), Objects.requireNonNull(listener, "listener"));
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        Channel channel = ctx.channel();
        if (channel.isActive() || !channel.isOpen()) {
            // Deferred, since an initializer may still be adding the handlers that must see the events of this one.
            EventLoopTasks.execute(ctx.executor(), () -> startAfterAdding(ctx), ctx::close);
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        cancelTimeout();
        if (request != null && phase == Phase.EXCHANGING) {
            request.failed(CloseReason.of(
                    EndedBy.LOCAL_APPLICATION, "the MPA start-up handler was removed from the pipeline"));
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ctx.fireChannelActive();
        start(ctx);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        start(ctx);
        if (!ctx.isRemoved() && message instanceof ByteBuf in) {
            take(ctx, in);
        } else {
            ctx.fireChannelRead(message);
        }
    }

    private void take(ChannelHandlerContext ctx, ByteBuf in) {
        switch (phase) {
            case EXCHANGING -> exchange(ctx, in);
            case HANDING_OVER -> remainingInput.add(in);
            default -> in.release();
        }
    }

    private void exchange(ChannelHandlerContext ctx, ByteBuf in) {
        try {
            StartupAction action = startup.received(in);
            if (in.isReadable() && !(action instanceof StartupAction.Fail)) {
                remainingInput.add(in.retain());
            }
            perform(ctx, action);
        } finally {
            in.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.fireChannelReadComplete();
        readMoreIfNeeded(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (isClosedLocally) {
            fail(ctx, EndedBy.LOCAL_APPLICATION, null, "the channel was closed here during the MPA start-up", null);
        } else if (ctx.executor().isShuttingDown()) {
            fail(ctx, EndedBy.LOCAL_APPLICATION, null, "the event loop was shut down during the MPA start-up", null);
        } else {
            connectionLost(
                    ctx, EndedBy.PEER_CLOSED, "the peer closed the TCP connection during the MPA start-up", null);
        }
        ctx.fireChannelInactive();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (!isUnderWay() || !(event instanceof ChannelInputShutdownEvent)) {
            ctx.fireUserEventTriggered(event);
        } else {
            connectionLost(
                    ctx,
                    EndedBy.PEER_CLOSED,
                    "the peer closed its half of the TCP connection during the MPA start-up",
                    null);
        }
    }

    /** An error below MPA ends the start-up. It is the cause in {@link MpaEvent.StartupFailed}. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (isUnderWay()) {
            connectionLost(ctx, EndedBy.TRANSPORT, "the transport failed during the MPA start-up", cause);
        } else {
            ctx.fireExceptionCaught(cause);
        }
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        isClosedLocally = true;
        ctx.close(promise);
    }

    private boolean isUnderWay() {
        return phase == Phase.ADDED || phase == Phase.EXCHANGING;
    }

    private void startAfterAdding(ChannelHandlerContext ctx) {
        if (ctx.channel().isActive()) {
            start(ctx);
        } else if (!ctx.isRemoved()) {
            connectionLost(ctx, EndedBy.TRANSPORT, "the channel was closed before the MPA start-up began", null);
        }
    }

    private void start(ChannelHandlerContext ctx) {
        if (phase != Phase.ADDED || ctx.isRemoved()) {
            return;
        }
        phase = Phase.EXCHANGING;
        timeout = ctx.executor()
                .schedule(() -> expire(ctx), settings.startupTimeout().toNanos(), TimeUnit.NANOSECONDS);
        perform(ctx, startup.start());
        readMoreIfNeeded(ctx);
    }

    private void expire(ChannelHandlerContext ctx) {
        if (request != null && phase == Phase.EXCHANGING) {
            LOGGER.error(
                    "{} the application did not accept or reject the connection request within startupTimeout ({}):"
                            + " accept or reject it on every path, or raise startupTimeout",
                    ctx.channel(),
                    settings.startupTimeout());
        }
        fail(
                ctx,
                EndedBy.TIMEOUT,
                null,
                "the MPA start-up was not done within startupTimeout (" + settings.startupTimeout() + ")",
                null);
    }

    /** Without auto-read this handler must request the bytes of the start-up itself. */
    private void readMoreIfNeeded(ChannelHandlerContext ctx) {
        if (phase == Phase.EXCHANGING && !ctx.channel().config().isAutoRead()) {
            ctx.read();
        }
    }

    private void perform(ChannelHandlerContext ctx, StartupAction action) {
        if (action instanceof StartupAction.Send send) {
            sendRequest(ctx, send.request());
        } else if (action instanceof StartupAction.Ask ask) {
            notifyListener(ctx, ask.request());
        } else if (action instanceof StartupAction.Establish establish) {
            establish(ctx, establish);
        } else if (action instanceof StartupAction.Leave leave) {
            leave(ctx, leave);
        } else if (action instanceof StartupAction.Fail fail) {
            report(ctx, fail.reason(), fail.enhancedRefused());
        }
    }

    private void sendRequest(ChannelHandlerContext ctx, MpaFrame.Request frame) {
        write(ctx, frame).addListener(written -> {
            if (written.isSuccess()) {
                startup.requestTaken();
            } else {
                writeFailed(ctx, written.cause());
            }
        });
    }

    private void notifyListener(ChannelHandlerContext ctx, MpaFrame.Request frame) {
        MpaConnectionRequest connectionRequest =
                new MpaConnectionRequest(ctx, frame, decision -> decide(ctx, decision));
        request = connectionRequest;
        try {
            listener.onConnectionRequest(connectionRequest);
        } catch (Throwable e) {
            LOGGER.error(
                    "{} the connection request listener threw an exception{}: {}",
                    ctx.channel(),
                    isUnderWay() ? ", and the connection is closed" : " after its reply",
                    e,
                    e);
            fail(ctx, EndedBy.LOCAL_APPLICATION, null, "the connection request listener threw an exception", e);
        }
    }

    private void decide(ChannelHandlerContext ctx, MpaStartup.Decision decision) {
        // In any other phase the start-up has failed, and with it the request.
        if (phase == Phase.EXCHANGING && !ctx.isRemoved()) {
            settings = decision.settingsOr(settings);
            perform(ctx, startup.decide(decision));
        }
    }

    private void establish(ChannelHandlerContext ctx, StartupAction.Establish establish) {
        AgreedParameters agreed = establish.agreed();
        ProtocolFault fault = establish.fault();
        int mulpdu = Mulpdu.MIN;
        try {
            mulpdu = Mulpdu.initial(settings, ctx.channel(), agreed.sendMarkers());
        } catch (Throwable e) {
            if (agreed.role() == Role.RESPONDER) {
                report(
                        ctx,
                        new CloseReason(EndedBy.TRANSPORT, ProtocolError.MPA_LOCAL_CATASTROPHIC, NO_SEGMENT_SIZE, e),
                        false);
                return;
            }
            // The peer is in Full Operation now and must get a Terminate (RFC 6581 section 9.3).
            fault = new ProtocolFault(ProtocolError.MPA_LOCAL_CATASTROPHIC, NO_SEGMENT_SIZE + ": " + e, e);
        }
        if (sendReply(ctx, establish.reply())) {
            ctx.fireUserEventTriggered(
                    new MpaEvent.Established(agreed.toBuilder().mulpdu(mulpdu).build(), fault));
            handOver(ctx);
        }
    }

    private void leave(ChannelHandlerContext ctx, StartupAction.Leave leave) {
        if (!sendReply(ctx, leave.reply())) {
            return;
        }
        ctx.fireUserEventTriggered(leave.rejected());
        handOver(ctx);
    }

    /** Writes the reply, if there is one. Returns whether the start-up can still succeed. */
    private boolean sendReply(ChannelHandlerContext ctx, MpaFrame.@Nullable Reply reply) {
        if (reply != null) {
            MpaConnectionRequest decided = Objects.requireNonNull(request, "request");
            write(ctx, reply).addListener(written -> {
                if (written.isSuccess()) {
                    decided.replyTaken();
                } else {
                    writeFailed(ctx, written.cause());
                }
            });
        }
        if (phase != Phase.EXCHANGING) {
            return false;
        }
        phase = Phase.HANDING_OVER;
        return true;
    }

    private static ChannelFuture write(ChannelHandlerContext ctx, MpaFrame frame) {
        ByteBuf out;
        try {
            out = ctx.alloc().buffer(frame.length(), frame.length());
        } catch (OutOfMemoryError e) {
            return ctx.newFailedFuture(e);
        }
        frame.encode(out);
        return ctx.writeAndFlush(out);
    }

    private void writeFailed(ChannelHandlerContext ctx, Throwable cause) {
        CloseReason reason = new CloseReason(
                isClosedLocally ? EndedBy.LOCAL_APPLICATION : EndedBy.TRANSPORT,
                ProtocolError.MPA_CONNECTION_LOST,
                "the MPA start-up frame could not be written",
                cause);
        if (isUnderWay()) {
            report(ctx, reason, false);
        } else if (request != null) {
            // The start-up is over: the layers above report the lost connection.
            request.failed(reason);
        }
    }

    /** The layers above are ready. Passes the remaining input to them, and removes this handler. */
    private void handOver(ChannelHandlerContext ctx) {
        for (ByteBuf bytes = remainingInput.poll(); bytes != null; bytes = remainingInput.poll()) {
            ctx.fireChannelRead(bytes);
        }
        if (!ctx.isRemoved()) {
            ctx.pipeline().remove(this);
        }
    }

    private void connectionLost(ChannelHandlerContext ctx, EndedBy endedBy, String what, @Nullable Throwable cause) {
        fail(ctx, endedBy, ProtocolError.MPA_CONNECTION_LOST, what, cause);
    }

    private void fail(
            ChannelHandlerContext ctx,
            EndedBy endedBy,
            @Nullable ProtocolError error,
            String what,
            @Nullable Throwable cause) {
        if (isUnderWay()) {
            perform(ctx, startup.ended(endedBy, error, what, cause));
        }
    }

    private void report(ChannelHandlerContext ctx, CloseReason reason, boolean enhancedRefused) {
        phase = Phase.FAILED;
        cancelTimeout();
        if (request != null) {
            request.failed(reason);
        }
        ctx.fireUserEventTriggered(new MpaEvent.StartupFailed(reason, enhancedRefused));
        ctx.close();
    }

    private void cancelTimeout() {
        if (timeout != null) {
            timeout.cancel(false);
            timeout = null;
        }
    }
}
