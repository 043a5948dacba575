package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.ddp.DdpUlp;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.MpaEvent;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The RDMAP handler of the pipeline, above {@code DdpHandler}. It translates channel events into stream events, and
 * applies the stream's commands to the channel. {@link RdmapStream} implements the protocol.
 *
 * <p>Call all methods except the constructor on the channel's event loop. One handler serves one channel.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5040">RFC 5040</a>
 */
public final class RdmapHandler extends ChannelDuplexHandler {
    private static final CloseReason CHANNEL_CLOSED =
            new CloseReason(EndedBy.LOCAL_APPLICATION, null, "the application closed the channel", null);
    private static final CloseReason LOOP_SHUT_DOWN =
            new CloseReason(EndedBy.LOCAL_APPLICATION, null, "the event loop of the connection was shut down", null);

    private final RdmapStream stream;
    private final Function<Channel, ChannelFuture> halfClose;
    private final StreamState state;
    private @Nullable ChannelHandlerContext context;

    /**
     * @param settings the limits of the stream
     * @param ulp the layer above
     * @param association the memory that the peer may access
     * @param counters counts Terminates; written only by the event loop
     * @param state the new state of this stream, which the handler changes and anybody may read
     * @param halfClose tells the peer of the channel that nothing more will be sent, after everything written so far; input
     *     may still arrive
     */
    public RdmapHandler(
            RdmapSettings settings,
            RdmapUlp ulp,
            StreamAssociation association,
            Counters counters,
            StreamState state,
            Function<Channel, ChannelFuture> halfClose) {
        this.halfClose = halfClose;
        this.stream = new RdmapStream(settings, ulp, new Link(), association, counters, state);
        this.state = state;
    }

    /** Returns the upper layer for {@code DdpHandler}. */
    public DdpUlp ddpUlp() {
        return stream;
    }

    /**
     * Starts the requests of the {@linkplain RdmapUlp#requestQueue queue} that may start, and sends them in one flush. Has no
     * effect before the stream is ready and after its end.
     */
    public void pull() {
        stream.pull();
    }

    /**
     * Sends an RDMA Write of 0 bytes, so that the peer and middleboxes see that this side is alive. It is no request of the
     * {@linkplain RdmapUlp#requestQueue queue}. Has no effect unless the stream is open and nothing waits for the transport.
     */
    public void keepAlive() {
        stream.keepAlive();
    }

    /** Retries the message with which the input {@linkplain io.iwarp.ddp.UntaggedQueue#stalls stalled}. */
    public void resume() {
        context().read();
    }

    /**
     * Closes the stream in order: sends the requests that were posted before, then closes this side's half of the
     * connection. The close timeout runs from now on.
     *
     * @param reason the close reason, unless a close was requested before, or the stream ends for another reason first
     */
    public void close(CloseReason reason) {
        stream.close(reason);
    }

    /** Closes the connection immediately. Unsent data is lost. */
    public void abort(CloseReason reason) {
        stream.abort(reason);
    }

    /**
     * Ends a stream that can send nothing: its connection could not be prepared, or its event loop has terminated. The
     * only method that another thread may call, after the event loop.
     *
     * @param reason the close reason, unless there is an earlier cause
     */
    public void end(CloseReason reason) {
        stream.end(reason);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        ctx.fireUserEventTriggered(event);
        if (event instanceof MpaEvent.Established established) {
            stream.onEstablished(established);
        } else if (event instanceof MpaEvent.TransmitReady) {
            stream.onTransmitReady();
        } else if (event instanceof MpaEvent.PeerClosedHalf) {
            stream.onPeerClosedHalf();
        } else if (event instanceof MpaEvent.StartupFailed failed) {
            stream.onStartupFailed(failed);
        } else if (event instanceof MpaEvent.Rejected rejected) {
            stream.onRejected(rejected);
            ctx.pipeline().remove(this);
        }
    }

    /** The application closes the channel instead of the stream. Netty closes one that could not connect. */
    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (ctx.channel().isActive()) {
            state.note(CHANNEL_CLOSED);
        }
        ctx.close(promise);
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
            state.note(LOOP_SHUT_DOWN);
        }
        stream.onDisconnected();
    }

    /** Closes the connection: after a failure in the pipeline below, the state of the stream is undefined. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        stream.onTransportFailure(cause);
        ctx.close();
    }

    private ChannelHandlerContext context() {
        return Objects.requireNonNull(context, "the handler is not in a pipeline");
    }

    private final class Link implements RdmapLink {
        private boolean unflushed;

        @Override
        public void write(DdpMessage message) {
            unflushed = true;
            ChannelHandlerContext ctx = context();
            ctx.write(message, ctx.voidPromise());
        }

        @Override
        public void flush() {
            if (unflushed) {
                unflushed = false;
                context().flush();
            }
        }

        @Override
        public void closeOutput() {
            halfClose.apply(context().channel()).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        }

        @Override
        public void close() {
            ChannelHandlerContext ctx = context;
            // A connection that could not be prepared has no pipeline.
            if (ctx != null) {
                ctx.close();
            }
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long nanos) {
            return context().executor().schedule(task, nanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public long untakenBytes() {
            ChannelOutboundBuffer buffer = context().channel().unsafe().outboundBuffer();
            return buffer == null ? 0 : buffer.totalPendingWriteBytes() - buffer.currentProgress();
        }
    }
}
