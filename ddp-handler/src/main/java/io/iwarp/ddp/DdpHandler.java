package io.iwarp.ddp;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.SendReservation;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.internal.mpa.Ulpdu;
import io.iwarp.internal.mpa.UlpduReceiver;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The handler of DDP in the pipeline, above {@code MpaFramingHandler} (RFC 5041). One handler serves one channel and
 * belongs to its event loop.
 *
 * <p><b>Outbound</b> it takes {@link DdpMessage}s. They are sent in the order of the writes, after a flush, once MPA is
 * ready to send. Segments are cut as the transport takes them, with at most its transmit window of bytes in flight,
 * including the copies of a {@linkplain DdpMessage#source source}. {@link DdpUlp#onSent} reports that a message is
 * sent. A promise that is not void completes just before that, or fails with {@link io.iwarp.ConnectionClosedException}
 * if the message is not sent. A write fails
 *
 * <ul>
 *   <li>after close, after shutting down the output or after the {@linkplain DdpMessage#terminal() terminal message}:
 *       {@link io.iwarp.ConnectionClosedException}, but silently when the promise is void;
 *   <li>if the message has 2^32 bytes or more: {@link IllegalArgumentException};
 *   <li>if the message is already in flight: {@link IllegalStateException};
 *   <li>if it is anything but a DdpMessage: {@link UnsupportedOperationException}, and the object is released.
 * </ul>
 *
 * <p><b>Inbound</b> MPA passes ULPDUs to {@link #receive}. They are checked, placed and delivered by calls of
 * {@link DdpUlp}. Events of MPA are handled and then passed on: they report start-up and the half-close of the peer to
 * the handler of the ULP. A fault of MPA is reported by {@link DdpUlp#onFault}, like the faults of DDP.
 *
 * <p><b>The end.</b> DDP never closes the channel (section 6.2). To close gracefully, the ULP waits for
 * {@link DdpUlp#onSent} of its last message, shuts down the output, and closes after the peer's half-close. A close
 * passes through immediately, and unsent messages are lost. When the channel closes, everything not sent fails without
 * {@code onSent}. If the terminal message cannot be sent on an open channel, {@code exceptionCaught} goes up the
 * pipeline with the reason.
 *
 * <p><b>Sending.</b> Segments are sent in bursts, only as fast as the transport takes them. A burst begins only while
 * the channel is writable and the transmit window has room for a segment of any size. It has at most an eighth of the
 * window. A message of 4 GiB thus holds no more memory than the window. Every burst is flushed. After some bursts the
 * event loop can do other work.
 *
 * <p>All calls may be re-entrant: a write or flush can complete promises, and a report makes the ULP write and flush
 * again. Therefore {@link #transmit} does not nest: an inner call returns immediately, and the running loop does its
 * work. All bursts of one turn are thus counted, even if the transport takes everything immediately.
 */
public final class DdpHandler extends ChannelDuplexHandler implements UlpduReceiver {
    /** The smallest transmit window, in bytes. It holds at least one segment of any size. */
    public static final int MIN_TRANSMIT_WINDOW = 128 * 1024;

    /** The default transmit window, in bytes. */
    public static final int DEFAULT_TRANSMIT_WINDOW = SendBuffer.DEFAULT_WINDOW;

    /**
     * The number of ULPDUs that are handled before the responses are sent. One read can contain a thousand small
     * requests. Flushing once per burst keeps both ends busy instead of alternating. The rate of FetchAdds in
     * {@code checks/benchmarks/compare} shows it.
     */
    static final int MAX_BURST = 64;

    /** The number of bursts before the event loop does other work. */
    static final int BURSTS_PER_TURN = 8;

    /** Which messages are accepted and sent. */
    private enum State {
        /** Messages are accepted, and sent once MPA is ready to transmit. */
        OPEN,
        /** Sending failed, or a source was revoked. Only the terminal message is accepted. */
        TERMINAL_ONLY,
        /** The terminal message was accepted. No other message is accepted or sent. */
        TERMINATING,
        /** No message is accepted. Those accepted before are still sent. */
        CLOSING,
        /** The channel is closed or closing. No message is sent. */
        ENDED
    }

    /** What {@link #transmit} is doing. */
    private enum Turn {
        NONE,
        RUNNING,
        /** A segment is being written. An exception that passes up the pipeline meanwhile is caused by it. */
        WRITING
    }

    private final int transmitWindow;
    private final DdpUlp ulp;
    private final ConnectionCounters counters;
    private final LongSupplier wirePosition;
    private final SendReservation sendReservation;
    private final DdpReceiver receiver;
    private int ulpdusInBurst;

    private final Ulpdu segment = new Ulpdu();
    private final Runnable resume = this::resume;
    private final ChannelFutureListener onBurstDone = burst -> onBurstDone();

    @SuppressWarnings("NullAway.Init") // set by handlerAdded, before any other call
    private ChannelHandlerContext context;

    @SuppressWarnings("NullAway.Init") // likewise
    private SendBuffer buffer;

    private State state = State.OPEN;
    private Turn turn = Turn.NONE;
    /** Whether {@link #resume} is scheduled, to run after other work of the event loop. */
    private boolean isResumeScheduled;

    private int mulpdu;
    /** Whether MPA can send. */
    private boolean isTransmitReady;
    /** Whether the transport refused a segment. Later refusals are ignored. */
    private boolean isSegmentRefused;

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
            ConnectionCounters counters,
            LongSupplier wirePosition) {
        if (transmitWindow < MIN_TRANSMIT_WINDOW) {
            throw new IllegalArgumentException(
                    "transmitWindow: " + transmitWindow + " (expected: at least " + MIN_TRANSMIT_WINDOW + ")");
        }
        this.transmitWindow = transmitWindow;
        this.ulp = ulp;
        this.counters = counters;
        this.wirePosition = wirePosition;
        this.sendReservation = association.sendReservation();
        this.receiver = new DdpReceiver(association, ulp, counters, messageTimeout);
    }

    /**
     * Returns whether the transport has taken everything that was written.
     *
     * <p>True before the first write, and during {@link DdpUlp#onSent} of the last message. Call it on the event loop.
     */
    boolean idle() {
        return buffer.isEmpty();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        receiver.start(ctx.executor());
        context = ctx;
        buffer = new SendBuffer(ctx.alloc(), transmitWindow, sendReservation);
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

    /** Fails all messages, because the channel is closed or the ULP closes it. */
    private void end() {
        receiver.discardInput();
        if (state != State.ENDED) {
            state = State.ENDED;
            // Usually no message is left, and the stack trace of the exception is expensive.
            if (!idle()) {
                buffer.clear(closedException("the channel was closed before the message was sent"));
            }
        }
    }

    @Override
    public boolean receive(ByteBuf bytes, int index, int length) {
        boolean taken = receiver.receive(bytes, index, length);
        if (++ulpdusInBurst == MAX_BURST) {
            endBurst();
        }
        return taken;
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
            if (event instanceof ChannelOutputShutdownEvent && state.compareTo(State.TERMINATING) < 0) {
                state = State.CLOSING;
            }
            ctx.fireUserEventTriggered(event);
        }
    }

    private void onMpaEvent(ChannelHandlerContext ctx, MpaEvent event) {
        if (event instanceof MpaEvent.Established established) {
            mulpdu = established.parameters().mulpdu();
            buffer.setMarkers(established.parameters().sendMarkers());
        } else if (event instanceof MpaEvent.MulpduChanged changed) {
            mulpdu = changed.mulpdu();
        } else if (event instanceof MpaEvent.TransmitReady) {
            isTransmitReady = true;
            transmit();
        } else if (event instanceof MpaEvent.InputShutdown) {
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
        transmit();
        ctx.fireChannelWritabilityChanged();
    }

    /**
     * An exception caused by the segment that is being written becomes a fault of the stream, which the ULP can report
     * to the peer, as with a segment that was written with a promise. If the transport is lost, the exception is passed
     * on.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        boolean ofSegment = turn == Turn.WRITING && !isSegmentRefused && state != State.ENDED;
        if (ofSegment) {
            onSegmentRefused(cause);
        }
        if (!ofSegment || cause instanceof IOException) {
            ctx.fireExceptionCaught(cause);
        }
    }

    // Messages of the ULP

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof DdpMessage outgoing) {
            write(outgoing, promise);
        } else {
            ReferenceCountUtil.release(message);
            promise.tryFailure(new UnsupportedOperationException("an RDMA stream carries only messages, got "
                    + message.getClass().getName() + "; post it as an operation instead of writing it"));
        }
    }

    /** Takes a message, which is sent after a flush; or fails the promise. */
    private void write(DdpMessage message, ChannelPromise promise) {
        if (state != State.OPEN && !(state == State.TERMINAL_ONLY && message.terminal())) {
            // A void promise would fire this exception through the pipeline, and handlers would close the channel
            // before the last message is sent.
            if (!promise.isVoid()) {
                promise.tryFailure(closedException("a message was written after the stream's last one"));
            }
            return;
        }
        if (message.isInFlight()) {
            promise.tryFailure(
                    new IllegalStateException(message + " is in flight; wait for onSent before writing it again"));
            return;
        }
        if (message.messageLength() > DdpMessage.MAX_LENGTH) {
            promise.tryFailure(new IllegalArgumentException("the message has " + message.messageLength()
                    + " bytes (expected: at most " + DdpMessage.MAX_LENGTH
                    + "); send it as several messages"));
            return;
        }
        if (message.terminal()) {
            state = State.TERMINATING;
            receiver.discardInput();
            buffer.failUnsent(closedException("replaced by the stream's last message"));
        }
        message.submit(promise.isVoid() ? null : promise);
        buffer.add(message);
    }

    /** Sends everything written so far. */
    @Override
    public void flush(ChannelHandlerContext ctx) {
        buffer.flush();
        if (!transmit() && turn == Turn.NONE) {
            ctx.flush();
        }
    }

    /**
     * Fails unsent messages, discards further input, and passes the close on. The close may take time to reach the
     * socket, as with TLS. Meanwhile no segment may be cut from memory that the ULP has released.
     */
    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        end();
        ctx.close(promise);
    }

    // Bursts

    /**
     * Reports what the transport has taken, and writes bursts while possible, unless a call is running that does this.
     * Every failure ends the stream, because callers are often tasks and promises, whose exceptions are only logged.
     *
     * @return whether anything was flushed
     */
    private boolean transmit() {
        if (turn != Turn.NONE) {
            return false;
        }
        boolean flushed = false;
        Throwable failure = null;
        turn = Turn.RUNNING;
        try {
            reportTaken();
            for (int bursts = 0; mayBeginBurst(); bursts++) {
                if (bursts == BURSTS_PER_TURN) {
                    isResumeScheduled = true;
                    context.executor().schedule(resume, 0, TimeUnit.NANOSECONDS);
                    break;
                }
                writeBurst();
                flushed = true;
                context.flush();
                reportTaken();
            }
        } catch (Throwable unexpected) {
            failure = unexpected;
        } finally {
            turn = Turn.NONE;
        }
        if (failure != null) {
            failUnexpectedly(failure);
        }
        return flushed;
    }

    private boolean mayBeginBurst() {
        return isTransmitReady
                && !isResumeScheduled
                && state != State.ENDED
                && buffer.sendable()
                && buffer.hasRoomFor(mulpdu)
                && context.channel().isWritable();
    }

    /**
     * Runs after the event loop has polled its sockets. A plain task would run before: the loop runs all tasks first.
     */
    private void resume() {
        isResumeScheduled = false;
        transmit();
    }

    private void writeBurst() {
        turn = Turn.WRITING;
        try {
            int limit = mulpdu;
            int budget = buffer.burstRoom();
            boolean last = false;
            // A write can trigger calls that fail the rest of the burst. A later segment then completes the burst.
            while (!last && buffer.sendable() && cut(limit)) {
                budget -= segment.length();
                last = !buffer.sendable() || budget < limit || !buffer.reserve(limit);
                writeSegment(last);
            }
        } finally {
            turn = Turn.RUNNING;
            buffer.releaseCopy();
        }
    }

    private boolean cut(int limit) {
        boolean cut;
        try {
            cut = buffer.cut(segment, limit);
        } catch (Throwable unreadable) {
            // The memory was released, or there is no memory for a copy. No segment was cut, so the stream has no gap.
            fail(unreadable, faultOf(unreadable));
            return false;
        }
        if (!cut) {
            onSourceRevoked();
            return false;
        }
        if (!buffer.isInsideMessage()) {
            counters.add(Counter.MESSAGES_SENT, 1);
        }
        return true;
    }

    private void writeSegment(boolean lastOfBurst) {
        if (lastOfBurst) {
            ChannelPromise promise = context.newPromise();
            buffer.endBurst(promise);
            context.write(segment, promise.addListener(onBurstDone));
        } else {
            context.write(segment, context.voidPromise());
        }
        buffer.written(wirePosition);
    }

    /**
     * The promise of a burst completed. If this method threw an exception, Netty would log it and the stream would
     * hang.
     */
    private void onBurstDone() {
        try {
            if (turn == Turn.WRITING) {
                checkForRefusal();
            }
        } catch (Throwable unexpected) {
            failUnexpectedly(unexpected);
        }
        transmit();
    }

    /**
     * A segment that cannot be written leaves a gap, and no segment may follow it: a later message tells the peer that
     * the bytes of earlier ones are in place. Must run before earlier bursts have been flushed.
     */
    private void checkForRefusal() {
        Throwable failure = buffer.refusal();
        if (failure != null) {
            onSegmentRefused(failure);
        }
    }

    /**
     * Accounts for the bursts that are done, and reports the messages that the transport has taken. A callback can
     * write more, of which the transport takes a part.
     */
    private void reportTaken() {
        ChannelFuture burst = buffer.completedBurst();
        while (burst != null) {
            do {
                account(burst.cause());
                burst = buffer.completedBurst();
            } while (burst != null);
            for (DdpMessage sent = buffer.takeSent(); sent != null; sent = buffer.takeSent()) {
                sent.complete();
                ulp.onSent(sent);
            }
            burst = buffer.completedBurst();
        }
    }

    /** Accounts for the oldest burst, which the transport has taken, or refused with a cause. */
    private void account(@Nullable Throwable refusal) {
        boolean endsMessage = buffer.removeBurst(refusal == null);
        if (refusal == null) {
            return;
        }
        // Once a segment was refused, only the terminal message is still to be reported.
        boolean terminal = isSegmentRefused && endsMessage;
        onSegmentRefused(refusal);
        if (terminal) {
            reportTerminalUnsent(refusal);
        }
    }

    // Failures

    private void onSourceRevoked() {
        DdpMessage message = buffer.current();
        long bytesRead = buffer.currentBytesCut();
        acceptTerminalOnly();
        buffer.failUnsent(closedException(
                "the memory that the message reads was revoked when " + bytesRead + " bytes of it were sent"));
        ulp.onSourceRevoked(message, bytesRead);
    }

    /** The transport refused a segment. All that it has not taken counts as not sent. */
    private void onSegmentRefused(Throwable cause) {
        if (isSegmentRefused || state == State.ENDED) {
            return;
        }
        isSegmentRefused = true;
        boolean terminal = state == State.TERMINATING;
        acceptTerminalOnly();
        buffer.failUntaken(cause);
        // A closed channel is reported anyway. But if a write fails before a read, the transport closes the channel
        // first, and only the failed write has the cause.
        if (context.channel().isOpen() || !(cause instanceof ClosedChannelException)) {
            receiver.fail(faultOf(cause));
        }
        if (terminal) {
            reportTerminalUnsent(cause);
        }
    }

    private void failUnexpectedly(Throwable cause) {
        fail(
                cause,
                new ProtocolFault(
                        ProtocolError.DDP_LOCAL_CATASTROPHIC, "this side failed while it sent messages", cause));
    }

    /** This side failed: the stream ends, and the ULP reports it to the peer. */
    private void fail(Throwable cause, ProtocolFault fault) {
        if (state == State.ENDED) {
            context.fireExceptionCaught(cause);
            return;
        }
        boolean terminal = state == State.TERMINATING;
        acceptTerminalOnly();
        buffer.failUnsent(cause);
        receiver.fail(fault);
        if (terminal) {
            reportTerminalUnsent(cause);
        }
    }

    /**
     * Sends only the terminal message and segments already written. Must run before a message fails, since a listener
     * of its promise may write.
     */
    private void acceptTerminalOnly() {
        if (state == State.OPEN) {
            state = State.TERMINAL_ONLY;
        }
    }

    /** Reports that the terminal message, for which the ULP waits, cannot be sent. */
    private void reportTerminalUnsent(Throwable cause) {
        if (state != State.ENDED && context.channel().isOpen()) {
            context.fireExceptionCaught(cause);
        }
    }

    private static ProtocolFault faultOf(Throwable cause) {
        return cause instanceof IOException
                ? new ProtocolFault(ProtocolError.MPA_CONNECTION_LOST, "a segment could not be sent: " + cause)
                : new ProtocolFault(
                        ProtocolError.DDP_LOCAL_CATASTROPHIC,
                        cause instanceof OutOfMemoryError
                                ? "there was no memory to send a message: " + cause
                                : "the payload of a message could not be read: " + cause
                                        + "; keep its buffer unchanged until the message was sent",
                        cause);
    }

    private static ConnectionClosedException closedException(String detail) {
        return new ConnectionClosedException(CloseReason.of(EndedBy.LOCAL_APPLICATION, detail));
    }
}
