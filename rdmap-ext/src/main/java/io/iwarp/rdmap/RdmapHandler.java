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
 * RDMAP's place in the pipeline, above {@code DdpHandler}. It turns channel events into events of the stream and carries
 * out what the stream wants done to the connection; the protocol itself is in {@link RdmapStream}.
 *
 * <p>All methods but the constructor belong to the channel's event loop. One handler serves one channel.
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
     * @param association what memory the peer may use
     * @param counters counts Terminates; written only by the event loop
     */
    public RdmapHandler(RdmapSettings settings, RdmapUlp ulp, StreamAssociation association, Counters counters) {
        this.settings = settings;
        this.stream = new RdmapStream(settings, ulp, new Link(), association, counters);
    }

    /** Returns what {@code DdpHandler} has to call. */
    public DdpUlp ddpUlp() {
        return stream;
    }

    /** Returns whether {@link #submit} may be called now. */
    public boolean open() {
        return stream.open();
    }

    /**
     * Takes a request; it leaves with the next {@link #flush}.
     *
     * @throws IllegalStateException if the stream is not {@link #open}
     */
    public void submit(RdmapRequest request) {
        stream.submit(request);
    }

    /** Lets everything submitted so far go out. */
    public void flush() {
        stream.flush();
    }

    /** Has a message passed again that {@link io.iwarp.ddp.UntaggedQueue#awaitBuffer} held back. */
    public void resume() {
        context().read();
    }

    /**
     * Ends the stream in order: what was submitted is sent, then this side's half of the connection is closed.
     *
     * @param reason why the stream ends, if nothing else ends it or has begun to
     * @return why it ends, as far as is known now: another reason if it was ending already
     */
    public CloseReason close(CloseReason reason) {
        return stream.close(reason);
    }

    /** Closes the connection at once; what was not sent is lost. */
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

    /** Also comes alone, without {@link #channelInactive}: when a connection could not be made. */
    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        stream.onDisconnected();
        cancelDeadlines();
    }

    /** Whatever fails in the pipeline below ends the connection: the stream cannot be trusted any more. */
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
