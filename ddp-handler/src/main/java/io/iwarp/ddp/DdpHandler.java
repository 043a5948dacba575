package io.iwarp.ddp;

import io.iwarp.Counters;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.MpaEvent;
import io.iwarp.mpa.ReceivedUlpdu;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * DDP's place in the pipeline, above {@code MpaFramingHandler} (RFC 5041). One object serves one channel, and all of it
 * belongs to the channel's event loop.
 *
 * <p><b>Outbound</b> it takes {@link DdpMessage}s, which leave in the order of writing, after a flush and once MPA is
 * ready to send. A message without buffers of its own costs nothing but its place in the queue: segments are cut as the
 * transport takes them, with no more than {@link DdpSettings#transmitWindow} bytes under way; that holds for the copies
 * of a {@linkplain DdpMessage#source source} as well. {@link DdpUlp#onSent} tells when a message is sent; a promise that
 * is not void completes just before that, or fails with {@link io.iwarp.StreamEndedException} when the message is
 * dropped. A write fails
 *
 * <ul>
 *   <li>after close, after shutting down the output or after {@linkplain DdpMessage#finalWords() final words}:
 *       {@link io.iwarp.StreamEndedException}, but silently when the promise is void;
 *   <li>if the message has 2^32 bytes or more: {@link IllegalArgumentException};
 *   <li>if the message is on its way already: {@link IllegalStateException};
 *   <li>if it is anything but a DdpMessage: {@link UnsupportedOperationException}, and the object is released.
 * </ul>
 *
 * <p><b>Inbound</b> ULPDUs are checked, placed and delivered by calls on {@link DdpUlp}; none goes further up. Events of
 * MPA are acted upon and then passed on: the ULP's handler hears of start-up and of the peer's half-close by them. Only
 * a fault comes by {@link DdpUlp#onFault}, as those of DDP do.
 *
 * <p><b>The end.</b> DDP never closes the channel (section 6.2). To close in order, the ULP waits for
 * {@link DdpUlp#onSent} of its last message, shuts down the output, and closes after the peer's half-close. A close passes
 * through at once and loses what is not sent. When the channel is closed everything not sent is dropped
 * without {@code onSent}. When final words cannot be sent on a channel that is open, {@code exceptionCaught} goes up the
 * pipeline with the reason.
 */
public final class DdpHandler extends ChannelDuplexHandler {
    /**
     * How many ULPDUs are handled before what they led to is sent. One read can bring a thousand small requests or answers:
     * were all of them handled first, the peer would wait meanwhile, then this side for the peer, in turns.
     */
    static final int LONGEST_BURST = 64;

    private final DdpSettings settings;
    private final DdpUlp ulp;
    private final Counters counters;
    private final DdpReceiver receiver;
    private @Nullable DdpTransmitter transmitter;
    private int ulpdusInBurst;

    /**
     * A handler for one channel.
     *
     * @param settings the transmit window
     * @param association says which STags this stream may use; stays the caller's, who closes it after the stream
     * @param ulp the layer above
     * @param counters counts segments and messages; written only by the event loop
     */
    public DdpHandler(DdpSettings settings, StreamAssociation association, DdpUlp ulp, Counters counters) {
        this.settings = settings;
        this.ulp = ulp;
        this.counters = counters;
        this.receiver = new DdpReceiver(association, ulp, counters);
    }

    /**
     * {@return whether everything written so far was taken by the transport}
     *
     * <p>True before the first write. Call it on the event loop; within {@link DdpUlp#onSent} of the last message it is
     * true already.
     */
    boolean idle() {
        return transmitter == null || transmitter.idle();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        transmitter = new DdpTransmitter(ctx, settings, ulp, receiver, counters);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        end();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end();
        ctx.fireChannelInactive();
    }

    private void end() {
        receiver.silence();
        transmitter().end();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ReceivedUlpdu received) {
            if (!receiver.receive(received.buffer(), received.index(), received.length())) {
                received.holdBack();
            }
            if (++ulpdusInBurst == LONGEST_BURST) {
                endBurst();
            }
        } else {
            ctx.fireChannelRead(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        endBurst();
        ctx.fireChannelReadComplete();
    }

    private void endBurst() {
        ulpdusInBurst = 0;
        receiver.endBurst();
        ulp.onReadComplete();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof MpaEvent mpaEvent) {
            onMpaEvent(ctx, mpaEvent);
        } else {
            if (event instanceof ChannelOutputShutdownEvent) {
                transmitter().closing();
            }
            ctx.fireUserEventTriggered(event);
        }
    }

    private void onMpaEvent(ChannelHandlerContext ctx, MpaEvent event) {
        if (event instanceof MpaEvent.Established established) {
            transmitter().mulpdu(established.parameters().mulpdu());
        } else if (event instanceof MpaEvent.MulpduChanged changed) {
            transmitter().mulpdu(changed.mulpdu());
        } else if (event instanceof MpaEvent.TransmitReady) {
            transmitter().ready();
        } else if (event instanceof MpaEvent.PeerClosedHalf) {
            receiver.peerClosedHalf();
        } else if (event instanceof MpaEvent.Fault found) {
            receiver.fail(found.fault());
        }
        ctx.fireUserEventTriggered(event);
        if (event instanceof MpaEvent.Rejected && !ctx.isRemoved()) {
            ctx.pipeline().remove(this);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        transmitter().transmit();
        ctx.fireChannelWritabilityChanged();
    }

    /**
     * What is the answer to a segment just written goes up as a fault of the stream, which the ULP can tell the peer of, as
     * with a segment that was written with a promise; unless the transport is lost.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!transmitter().exceptionCaught(cause) || cause instanceof IOException) {
            ctx.fireExceptionCaught(cause);
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof DdpMessage outgoing) {
            transmitter().write(outgoing, promise);
        } else {
            ReferenceCountUtil.release(message);
            promise.tryFailure(new UnsupportedOperationException("an RDMA stream carries only messages, got "
                    + message.getClass().getName() + ": post it as an operation instead of writing it"));
        }
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        transmitter().flush();
    }

    /**
     * Drops what is not sent and what still comes in; the close itself passes through. It may take a while to reach the
     * socket, as with TLS, and no segment may be cut meanwhile from memory that the ULP has given up.
     */
    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        end();
        ctx.close(promise);
    }

    private DdpTransmitter transmitter() {
        if (transmitter == null) {
            throw new IllegalStateException("the handler is not in a pipeline");
        }
        return transmitter;
    }
}
