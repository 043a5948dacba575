package io.iwarp.ddp;

import io.iwarp.Counters;
import io.iwarp.internal.SendingShare;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.MpaEvent;
import io.iwarp.mpa.ReceivedUlpdu;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The handler of DDP in the pipeline, above {@code MpaFramingHandler} (RFC 5041). One handler serves one channel and
 * belongs to its event loop.
 *
 * <p><b>Outbound</b> it takes {@link DdpMessage}s. They are sent in the order of writing, after a flush and once MPA is
 * ready to send. Segments are cut as the transport takes them, with at most its transmit window of bytes in flight,
 * including the copies of a {@linkplain DdpMessage#source source}. {@link DdpUlp#onSent} reports that a message is
 * sent. A promise that is not void completes just before that, or fails with {@link io.iwarp.ConnectionClosedException}
 * if the message is dropped. A write fails
 *
 * <ul>
 *   <li>after close, after shutting down the output or after the {@linkplain DdpMessage#terminal() terminal message}:
 *       {@link io.iwarp.ConnectionClosedException}, but silently when the promise is void;
 *   <li>if the message has 2^32 bytes or more: {@link IllegalArgumentException};
 *   <li>if the message is already in flight: {@link IllegalStateException};
 *   <li>if it is anything but a DdpMessage: {@link UnsupportedOperationException}, and the object is released.
 * </ul>
 *
 * <p><b>Inbound</b> ULPDUs are checked, placed and delivered by calls of {@link DdpUlp}. They are not passed on. Events
 * of MPA are handled and then passed on: they report start-up and the half-close of the peer to the handler of the ULP.
 * Only a fault comes by {@link DdpUlp#onFault}, as faults of DDP do.
 *
 * <p><b>The end.</b> DDP never closes the channel (section 6.2). To close in order, the ULP waits for
 * {@link DdpUlp#onSent} of its last message, shuts down the output, and closes after the peer's half-close. A close
 * passes through at once and loses what is not sent. When the channel closes, everything not sent is dropped without
 * {@code onSent}. If the terminal message cannot be sent on an open channel, {@code exceptionCaught} goes up the
 * pipeline with the reason.
 */
public final class DdpHandler extends ChannelDuplexHandler {
    /** The smallest transmit window, in bytes. It holds at least one segment of any size. */
    public static final int MIN_TRANSMIT_WINDOW = 128 * 1024;

    /** The default transmit window, in bytes. */
    public static final int DEFAULT_TRANSMIT_WINDOW = 1024 * 1024;

    /**
     * The number of ULPDUs that are handled before the responses are sent. One read can bring a thousand small
     * requests. If all were handled first, this side and the peer would wait for each other in turns. The rate of
     * FetchAdds in {@code checks/benchmarks/compare} shows it.
     */
    static final int MAX_BURST = 64;

    private final int transmitWindow;
    private final DdpUlp ulp;
    private final Counters counters;
    private final LongSupplier wirePosition;
    private final SendingShare share;
    private final DdpReceiver receiver;
    private @Nullable DdpTransmitter transmitter;
    private int ulpdusInBurst;

    /**
     * Creates a handler for one channel.
     *
     * @param transmitWindow the maximum number of bytes of segments that the transport has not taken, at least
     *     {@link #MIN_TRANSMIT_WINDOW}
     * @param messageTimeout how long an untagged message may be incomplete, from its first segment on; each byte
     *     extends this by the time that it takes at 64 KiB/s, and a stall by its length
     * @param association says which STags this stream may use; the caller keeps it and closes it after the stream
     * @param ulp the layer above
     * @param counters counts segments and messages; written only by the event loop
     * @param wirePosition returns how many bytes were handed to the transport
     */
    public DdpHandler(
            int transmitWindow,
            Duration messageTimeout,
            StreamAssociation association,
            DdpUlp ulp,
            Counters counters,
            LongSupplier wirePosition) {
        if (transmitWindow < MIN_TRANSMIT_WINDOW) {
            throw new IllegalArgumentException(
                    "transmitWindow is " + transmitWindow + ", but has to be at least " + MIN_TRANSMIT_WINDOW);
        }
        this.transmitWindow = transmitWindow;
        this.ulp = ulp;
        this.counters = counters;
        this.wirePosition = wirePosition;
        this.share = association.sendingShare();
        this.receiver = new DdpReceiver(association, ulp, counters, messageTimeout);
    }

    /**
     * Returns whether the transport has taken everything that was written.
     *
     * <p>True before the first write, and during {@link DdpUlp#onSent} of the last message. Call it on the event loop.
     */
    boolean idle() {
        return transmitter == null || transmitter.idle();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        receiver.start(ctx.executor());
        transmitter = new DdpTransmitter(ctx, transmitWindow, ulp, receiver, counters, wirePosition, share);
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
                received.stall();
            }
            if (++ulpdusInBurst == MAX_BURST) {
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
            transmitter().markers(established.parameters().sendMarkers());
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
     * An exception caused by the segment that is being written becomes a fault of the stream, which the ULP can report
     * to the peer, as with a segment that was written with a promise. If the transport is lost, the exception is passed
     * on.
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
     * Drops what is not sent and what still arrives, and passes the close on. The close may take time to reach the
     * socket, as with TLS. Meanwhile no segment may be cut from memory that the ULP has released.
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
