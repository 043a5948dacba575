package io.iwarp.ddp;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.iwarp.internal.SendingShare;
import io.iwarp.mpa.Ulpdu;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of {@link DdpHandler}: lets messages out as fast as the transport takes them, and no faster.
 *
 * <p>Segments are sent in bursts. A burst begins only while the channel is writable and the transmit window has room
 * for a segment of any size. It holds at most an eighth of the window. So a message of 4 GiB ties up no more than the
 * window. Every burst is flushed. After some bursts the event loop gets time for its other work.
 *
 * <p>All calls may be re-entrant: a write or flush can complete promises, whose listeners report messages as sent, and
 * then the ULP writes and flushes again. Therefore {@link #transmit} and {@link #report} never nest, and nothing is
 * sent during a report. An inner call leaves the work to the loop that is already running. So all bursts of one turn
 * are counted, even if the transport takes everything at once.
 */
final class DdpTransmitter {
    /** The number of bursts before other work of the event loop gets a turn. */
    static final int BURSTS_PER_TURN = 8;

    private enum Loop {
        /** MPA is not ready to send. */
        NOT_READY,
        /** Nothing can be sent now, or somebody has to call {@link #transmit}. */
        RESTING,
        /** Bursts are being written. */
        RUNNING,
        /** The event loop has its turn for other work; {@link #resume} is scheduled. */
        YIELDED
    }

    /** Which messages are taken from the ULP. */
    private enum Takes {
        ALL,
        /** Sending failed. */
        TERMINAL,
        /** What was taken is still sent. */
        NONE,
        /** The channel is closed, or closing. Nothing is sent. */
        ENDED
    }

    private final ChannelHandlerContext context;
    private final DdpUlp ulp;
    private final DdpReceiver receiver;
    private final Counters counters;
    private final LongSupplier wirePosition;
    private final Ulpdu segment = new Ulpdu();
    private final SendBuffer buffer;
    private final Runnable resume = this::resume;
    private final ChannelFutureListener onSettled = burst -> onSettled();

    private int mulpdu;
    private Loop loop = Loop.NOT_READY;
    private Takes takes = Takes.ALL;
    /** The transport refused a burst. Later refusals are ignored. */
    private boolean refused;

    private boolean terminalWritten;
    /** The ULP is being told of messages that were sent. */
    private boolean reporting;
    /** A segment is being written: an exception that comes up the pipeline meanwhile is the answer to it. */
    private boolean writing;

    DdpTransmitter(
            ChannelHandlerContext context,
            int transmitWindow,
            DdpUlp ulp,
            DdpReceiver receiver,
            Counters counters,
            LongSupplier wirePosition,
            SendingShare share) {
        this.context = context;
        this.ulp = ulp;
        this.receiver = receiver;
        this.counters = counters;
        this.wirePosition = wirePosition;
        this.buffer = new SendBuffer(context.alloc(), transmitWindow, share);
    }

    /** Sets whether markers are inserted into what is sent. */
    void markers(boolean inserted) {
        buffer.markers(inserted);
    }

    /** Sets the largest ULPDU for segments that are cut from now on. */
    void mulpdu(int bytes) {
        mulpdu = bytes;
    }

    /** Segments may be sent from now on. */
    void ready() {
        if (loop == Loop.NOT_READY) {
            loop = Loop.RESTING;
        }
        transmit();
    }

    /** Returns whether the transport has taken everything that was written. */
    boolean idle() {
        return buffer.isEmpty();
    }

    /** Takes a message, which is sent after {@link #flush}; or fails the promise. */
    void write(DdpMessage message, ChannelPromise promise) {
        if (takes != Takes.ALL && (takes != Takes.TERMINAL || !message.terminal())) {
            // A void promise would fire this exception through the pipeline, and handlers would close the channel
            // before the last message is sent.
            if (!promise.isVoid()) {
                promise.tryFailure(ended("a message was written after the stream's last one"));
            }
            return;
        }
        if (message.submitted()) {
            promise.tryFailure(
                    new IllegalStateException(message + " is in flight: wait for onSent before writing it again"));
            return;
        }
        if (message.messageLength() > DdpMessage.MAX_LENGTH) {
            promise.tryFailure(new IllegalArgumentException("the message has " + message.messageLength()
                    + " bytes, at most " + DdpMessage.MAX_LENGTH
                    + " are allowed: send it as several messages"));
            return;
        }
        if (message.terminal()) {
            takes = Takes.NONE;
            terminalWritten = true;
            receiver.silence();
            buffer.dropUnsent(ended("dropped for the stream's last message"));
        }
        message.submit(promise.isVoid() ? null : promise);
        buffer.add(message);
    }

    /** Sends everything written so far. */
    void flush() {
        buffer.flush();
        if (!transmit() && loop != Loop.RUNNING && !reporting) {
            context.flush();
        }
    }

    /** Takes no more messages. */
    void closing() {
        if (takes != Takes.ENDED) {
            takes = Takes.NONE;
        }
    }

    /** Drops everything: the channel is closed, or the ULP closes it. */
    void end() {
        if (takes != Takes.ENDED) {
            takes = Takes.ENDED;
            // Most connections end with nothing to drop, and the stack trace of the exception is expensive.
            if (!idle()) {
                buffer.clear(ended("the channel was closed before the message was sent"));
            }
        }
    }

    /**
     * Handles an exception of the pipeline. If the segment that is being written caused it, the message has a hole.
     *
     * @return whether it was caused by that segment, and was reported to the ULP as a fault
     */
    boolean exceptionCaught(Throwable cause) {
        if (!writing || refused || takes == Takes.ENDED) {
            return false;
        }
        segmentRefused(cause);
        return true;
    }

    /**
     * Writes bursts while possible. Callers are often tasks and promises, where nobody sees an exception. So each
     * failure ends the stream.
     *
     * @return whether anything was flushed
     */
    boolean transmit() {
        if (loop != Loop.RESTING || reporting) {
            return false;
        }
        loop = Loop.RUNNING;
        int written = 0;
        Throwable failure = null;
        try {
            while (mayBeginBurst()) {
                if (written == BURSTS_PER_TURN) {
                    loop = Loop.YIELDED;
                    context.executor().schedule(resume, 0, TimeUnit.NANOSECONDS);
                    break;
                }
                writeBurst();
                written++;
                context.flush();
            }
        } catch (Throwable unexpected) {
            failure = unexpected;
        } finally {
            if (loop == Loop.RUNNING) {
                loop = Loop.RESTING;
            }
        }
        if (failure != null) {
            failUnexpectedly(failure);
        }
        return written > 0;
    }

    /**
     * Runs after the event loop has polled its sockets. A plain task would run before: the loop runs all tasks first.
     */
    private void resume() {
        loop = Loop.RESTING;
        transmit();
    }

    private boolean mayBeginBurst() {
        return takes != Takes.ENDED
                && buffer.sendable()
                && buffer.hasRoomFor(mulpdu)
                && context.channel().isWritable();
    }

    private void writeBurst() {
        writing = true;
        try {
            int limit = mulpdu;
            int budget = buffer.burstRoom();
            boolean last = false;
            // A write can trigger calls that drop the rest of the burst. A later segment then completes the burst.
            while (!last && buffer.sendable() && cut(limit)) {
                budget -= segment.length();
                last = !buffer.sendable() || budget < limit || !buffer.mayHold(limit);
                writeSegment(last);
            }
        } finally {
            writing = false;
            buffer.releaseCopy();
        }
    }

    private boolean cut(int limit) {
        boolean cut;
        try {
            cut = buffer.cut(segment, limit);
        } catch (Throwable unreadable) {
            // The memory was released, or there is no memory for a copy. Nothing was cut, so the stream has no hole.
            fail(unreadable, faultOf(unreadable));
            return false;
        }
        if (!cut) {
            sourceRevoked();
            return false;
        }
        if (!buffer.midMessage()) {
            counters.add(Counter.MESSAGES_SENT, 1);
        }
        return true;
    }

    private void writeSegment(boolean lastOfBurst) {
        if (lastOfBurst) {
            ChannelPromise promise = context.newPromise();
            buffer.endBurst(promise);
            context.write(segment, promise.addListener(onSettled));
        } else {
            context.write(segment, context.voidPromise());
        }
        buffer.written(wirePosition.getAsLong());
    }

    /**
     * The promise of a burst completed. If this method threw an exception, Netty would log it and the stream would
     * hang.
     */
    private void onSettled() {
        try {
            if (writing) {
                checkForRefusal();
            }
            settle();
        } catch (Throwable unexpected) {
            failUnexpectedly(unexpected);
        }
    }

    /**
     * A segment that cannot be written leaves a hole, and no segment may follow it: later messages would tell the peer
     * that the bytes of earlier ones are in place. This cannot wait until earlier bursts are taken.
     */
    private void checkForRefusal() {
        Throwable failure = buffer.refusal();
        if (failure != null) {
            segmentRefused(failure);
        }
    }

    private void settle() {
        for (ChannelFuture burst = buffer.settledBurst(); burst != null; burst = buffer.settledBurst()) {
            account(burst.cause());
        }
        try {
            report();
        } finally {
            transmit();
        }
    }

    /** Accounts for the oldest burst, which the transport has taken, or refused with a cause. */
    private void account(@Nullable Throwable refusal) {
        boolean endsMessage = buffer.removeBurst(refusal == null);
        if (refusal != null) {
            // After a refusal, a burst has only the terminal message left to report.
            boolean terminal = refused && endsMessage;
            segmentRefused(refusal);
            if (terminal) {
                reportTerminalUnsent(refusal);
            }
        }
    }

    /**
     * Tells the ULP of messages that the transport has taken. A report may write and flush again: an inner call leaves
     * its messages to the loop that is running already.
     */
    private void report() {
        if (reporting) {
            return;
        }
        reporting = true;
        try {
            for (DdpMessage sent = buffer.takeSent(); sent != null; sent = buffer.takeSent()) {
                sent.sent();
                ulp.onSent(sent);
            }
        } finally {
            reporting = false;
        }
    }

    private void sourceRevoked() {
        DdpMessage message = buffer.current();
        long bytesRead = buffer.currentBytesCut();
        stop();
        buffer.dropUnsent(
                ended("the memory that the message reads was revoked when " + bytesRead + " bytes of it were sent"));
        ulp.onSourceRevoked(message, bytesRead);
    }

    /** The transport refused a segment. All that it has not confirmed counts as not sent. */
    private void segmentRefused(Throwable cause) {
        if (refused || takes == Takes.ENDED) {
            return;
        }
        refused = true;
        boolean terminal = terminalWritten;
        stop();
        buffer.dropUntaken(cause);
        reportFault(cause);
        if (terminal) {
            reportTerminalUnsent(cause);
        }
    }

    /** Reports that the terminal message, for which the ULP waits, cannot be sent. */
    private void reportTerminalUnsent(Throwable cause) {
        if (takes != Takes.ENDED && context.channel().isOpen()) {
            context.fireExceptionCaught(cause);
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
        if (takes == Takes.ENDED) {
            context.fireExceptionCaught(cause);
            return;
        }
        boolean terminal = terminalWritten;
        stop();
        buffer.dropUnsent(cause);
        receiver.fail(fault);
        if (terminal) {
            reportTerminalUnsent(cause);
        }
    }

    /**
     * From now on only the terminal message, and segments already handed over, are sent. Comes before any message is
     * dropped: a drop callback may write.
     */
    private void stop() {
        if (takes == Takes.ALL) {
            takes = Takes.TERMINAL;
        }
    }

    /**
     * A closed channel reports its end by itself. But if a write fails before a read does, the transport closes the
     * channel first, and only the failed message has the cause.
     */
    private void reportFault(Throwable cause) {
        if (context.channel().isOpen() || !(cause instanceof ClosedChannelException)) {
            receiver.fail(faultOf(cause));
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

    private static ConnectionClosedException ended(String detail) {
        return new ConnectionClosedException(new CloseReason(EndedBy.LOCAL_APPLICATION, null, detail, null));
    }
}
