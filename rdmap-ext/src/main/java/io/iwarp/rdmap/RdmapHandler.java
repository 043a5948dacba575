package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.Counters;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.ddp.DdpUlp;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.MpaEvent;
import io.iwarp.transport.TransportHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The RDMAP handler of the pipeline, above {@code DdpHandler}. It translates channel events into stream events, and
 * applies the stream's commands to the channel. {@link RdmapStream} implements the protocol.
 *
 * <p>Call all methods except the constructor on the channel's event loop. One handler serves one channel.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5040">RFC 5040</a>
 */
public final class RdmapHandler extends ChannelInboundHandlerAdapter {
    private final RdmapSettings settings;
    private final RdmapStream stream;
    private final Runnable deadline = this::onDeadline;
    private @Nullable ChannelHandlerContext context;
    private final Runnable responseDeadline = this::onResponseDeadline;
    private java.util.concurrent.@Nullable ScheduledFuture<?> deadlineTimer;
    private java.util.concurrent.@Nullable ScheduledFuture<?> responseTimer;

    /**
     * @param settings the limits of the stream
     * @param ulp the layer above
     * @param association the memory that the peer may access
     * @param counters counts Terminates; written only by the event loop
     */
    public RdmapHandler(RdmapSettings settings, RdmapUlp ulp, StreamAssociation association, Counters counters) {
        this.settings = settings;
        this.stream = new RdmapStream(settings, ulp, new Link(), association, counters);
    }

    /** Returns the upper layer for {@code DdpHandler}. */
    public DdpUlp ddpUlp() {
        return stream;
    }

    /** Returns whether {@link #submit} may be called now. */
    public boolean open() {
        return stream.open();
    }

    /**
     * Submits a request. The next {@link #flush} sends it.
     *
     * @throws IllegalStateException if the stream is not {@link #open}
     */
    public void submit(RdmapRequest request) {
        stream.submit(request);
    }

    /** Sends everything submitted so far. */
    public void flush() {
        stream.flush();
    }

    /** Retries the message that {@link io.iwarp.ddp.UntaggedQueue#awaitBuffer} held back. */
    public void resume() {
        context().read();
    }

    /**
     * Closes the stream in order: sends the submitted requests, then closes this side's half of the connection.
     *
     * @param reason the close reason, unless the stream is already ending or ends for another reason first
     * @return the close reason known so far: an earlier reason if the stream was already ending
     */
    public CloseReason close(CloseReason reason) {
        return stream.close(reason);
    }

    /** Closes the connection immediately. Unsent data is lost. */
    public void abort(CloseReason reason) {
        stream.abort(reason);
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

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        stream.onDisconnected();
        cancelDeadlines();
        ctx.fireChannelInactive();
    }

    /** Netty calls this without {@link #channelInactive} if the connection could not be established. */
    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        stream.onDisconnected();
        cancelDeadlines();
    }

    /** Closes the connection: after a failure in the pipeline below, the state of the stream is undefined. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        stream.onTransportFailure(cause);
        ctx.close();
    }

    private void onDeadline() {
        deadlineTimer = null;
        stream.onDeadline();
    }

    private void onResponseDeadline() {
        responseTimer = null;
        stream.onResponseDeadline();
    }

    private void cancelDeadlines() {
        cancelDeadline();
        if (responseTimer != null) {
            responseTimer.cancel(false);
            responseTimer = null;
        }
    }

    private void cancelDeadline() {
        if (deadlineTimer != null) {
            deadlineTimer.cancel(false);
            deadlineTimer = null;
        }
    }

    private ChannelHandlerContext context() {
        return Objects.requireNonNull(context, "the handler is not in a pipeline");
    }

    private final class Link implements RdmapLink {
        @Override
        public void write(DdpMessage message) {
            ChannelHandlerContext ctx = context();
            ctx.write(message, ctx.voidPromise());
        }

        @Override
        public void flush() {
            context().flush();
        }

        @Override
        public void closeOutput() {
            armDeadline();
            TransportHandler.closeOutput(context().channel()).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        }

        @Override
        public void close() {
            context().close();
        }

        @Override
        public void armResponseDeadline() {
            responseTimer = schedule(responseDeadline, settings.responseTimeout());
        }

        @Override
        public void armDeadline() {
            cancelDeadline();
            deadlineTimer = schedule(deadline, settings.closeTimeout());
        }

        private java.util.concurrent.ScheduledFuture<?> schedule(Runnable task, Duration delay) {
            return context().executor().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        }
    }
}
