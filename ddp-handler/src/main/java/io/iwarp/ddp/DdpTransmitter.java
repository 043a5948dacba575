package io.iwarp.ddp;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.iwarp.StreamEndedException;
import io.iwarp.mpa.Ulpdu;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of {@link DdpHandler}: lets messages out as fast as the transport takes them, and no faster.
 *
 * <p>Segments leave in bursts. A burst begins only while the channel is writable and the transmit window has room for a
 * segment of any size, and holds at most an eighth of the window, so a message of 4 GiB ties up no more than the window.
 * Every burst is flushed. After a number of bursts the event loop gets a turn for its other work.
 *
 * <p>Everything may re-enter: a write or flush can complete promises, whose listeners report messages as sent, upon
 * which the ULP writes and flushes again. {@link #transmit} and {@link #report} therefore never nest, nor does the ULP
 * send from within a report; an inner call leaves the work to the loop that is running already. So all bursts of one
 * turn are counted, however a ULP and a fast transport spur each other on.
 */
final class DdpTransmitter {
    /** How many bursts go out before other work of the event loop gets a turn. */
    static final int BURSTS_PER_TURN = 8;

    /**
     * A burst goes through the CRC, perhaps a copy, and then the kernel's copy. Short bursts find their bytes in the
     * core's own cache each time.
     */
    private static final int BURSTS_PER_WINDOW = 8;
    /** No burst is shorter than the largest segment. */
    private static final int SMALLEST_BURST = 64 * 1024;

    private enum Phase {
        /** Takes messages. */
        OPEN,
        /** Sending failed: takes final words only. */
        FAILED,
        /** Takes nothing more; what it has still goes out. */
        CLOSING,
        /** The channel is gone, or on its way out. */
        ENDED
    }

    private final ChannelHandlerContext context;
    private final DdpUlp ulp;
    private final DdpReceiver receiver;
    private final Counters counters;
    private final int window;
    private final int burstLimit;
    private final DdpSegmenter segmenter;
    private final Ulpdu ulpdu = new Ulpdu();
    private final TransmitQueue queue = new TransmitQueue();
    private final ArrayDeque<Burst> underWay = new ArrayDeque<>();
    private final ArrayDeque<Burst> spare = new ArrayDeque<>();
    private final Runnable onSettled = this::onSettled;
    private final Runnable resume = this::resume;

    private Phase phase = Phase.OPEN;
    private boolean ready;
    private int mulpdu;
    private int bytesUnderWay;
    /** Messages that the transport has taken and the ULP does not know of. */
    private int unreported;
    /** A burst whose last segment is still to be written. */
    private @Nullable Burst open;

    private boolean transmitting;
    private boolean writing;
    private boolean reporting;
    private boolean resuming;
    /** The transport did not take a burst; that it does not take later ones is no news. */
    private boolean lost;
    /** The final words were written. */
    private boolean ending;

    DdpTransmitter(
            ChannelHandlerContext context, DdpSettings settings, DdpUlp ulp, DdpReceiver receiver, Counters counters) {
        this.context = context;
        this.ulp = ulp;
        this.receiver = receiver;
        this.counters = counters;
        this.window = settings.transmitWindow();
        this.burstLimit = Math.max(SMALLEST_BURST, window / BURSTS_PER_WINDOW);
        this.segmenter = new DdpSegmenter(context.alloc());
    }

    /** Sets the largest ULPDU for the segments that are not cut yet. */
    void mulpdu(int bytes) {
        mulpdu = bytes;
    }

    /** Segments may go out from now on. */
    void ready() {
        ready = true;
        transmit();
    }

    /** {@return whether everything written was taken by the transport} */
    boolean idle() {
        return queue.empty() && underWay.isEmpty();
    }

    /** Takes a message, which waits for {@link #flush}; or fails the promise. */
    void write(DdpMessage message, ChannelPromise promise) {
        if (phase == Phase.CLOSING || phase == Phase.ENDED || (phase == Phase.FAILED && !message.finalWords())) {
            // A void promise would turn this into an exception for the whole pipeline, and its handlers would close
            // the channel under the last message. Who did not ask sees that onSent does not come.
            if (!promise.isVoid()) {
                promise.tryFailure(ended("a message was written after the stream's last one"));
            }
            return;
        }
        if (message.submitted()) {
            promise.tryFailure(
                    new IllegalStateException(message + " is on its way: wait for onSent before writing it again"));
            return;
        }
        try {
            DdpSegmenter.requireLegalLength(message);
        } catch (IllegalArgumentException tooLong) {
            promise.tryFailure(tooLong);
            return;
        }
        if (message.finalWords()) {
            phase = Phase.CLOSING;
            ending = true;
            receiver.silence();
            segmenter.abandon();
            queue.dropUnsent(ended("dropped for the stream's last message"));
        }
        message.submit(promise.isVoid() ? null : promise);
        queue.add(message);
    }

    /** Lets everything written so far go out. */
    void flush() {
        queue.flush();
        if (!transmit() && !transmitting && !reporting) {
            context.flush();
        }
    }

    /** Takes no more messages. */
    void closing() {
        if (phase != Phase.ENDED) {
            phase = Phase.CLOSING;
        }
    }

    /** The channel is gone, or the ULP closes it: drops everything. */
    void end() {
        if (phase != Phase.ENDED) {
            phase = Phase.ENDED;
            unreported = 0;
            open = null;
            underWay.clear();
            segmenter.abandon();
            // Most connections end with nothing to drop, and the exception's stack trace is not free.
            if (!queue.empty()) {
                queue.dropAllBut(0, ended("the channel was closed before the message was sent"));
            }
        }
    }

    /**
     * An exception came up the pipeline; if it is the answer to a segment just written, the message has a hole.
     *
     * @return whether it was, and the ULP was told of it as a fault
     */
    boolean exceptionCaught(Throwable cause) {
        if (!writing || lost || phase == Phase.ENDED) {
            return false;
        }
        lose(cause);
        return true;
    }

    /**
     * Writes bursts while that is possible. Callers are often tasks and promises, behind which nobody sees an exception:
     * whatever fails ends the stream.
     *
     * @return whether anything was flushed
     */
    boolean transmit() {
        if (transmitting || reporting || resuming || !ready) {
            return false;
        }
        transmitting = true;
        int bursts = 0;
        Throwable failure = null;
        try {
            while (mayBeginBurst()) {
                if (bursts == BURSTS_PER_TURN) {
                    resuming = true;
                    context.executor().schedule(resume, 0, TimeUnit.NANOSECONDS);
                    break;
                }
                writeBurst();
                bursts++;
                context.flush();
            }
        } catch (RuntimeException | Error unexpected) {
            failure = unexpected;
        } finally {
            transmitting = false;
        }
        if (failure != null) {
            failUnexpectedly(failure);
        }
        return bursts > 0;
    }

    /** Comes behind a look at the sockets, which a plain task would not: tasks run as long as others follow. */
    private void resume() {
        resuming = false;
        transmit();
    }

    private boolean mayBeginBurst() {
        return phase != Phase.ENDED
                && queue.sendable()
                && window - bytesUnderWay >= mulpdu
                && context.channel().isWritable();
    }

    private void writeBurst() {
        writing = true;
        try {
            Burst burst = openBurst();
            int limit = mulpdu;
            int budget = Math.min(burstLimit, window - bytesUnderWay);
            // Whatever a write sets off may take the rest of the burst away; it is then closed by a later one.
            while (burst == open && queue.sendable() && cut(limit)) {
                budget -= ulpdu.length();
                writeSegment(burst, !queue.sendable() || budget < limit);
            }
        } finally {
            writing = false;
            segmenter.release();
        }
    }

    private Burst openBurst() {
        Burst burst = open;
        if (burst == null) {
            burst = spare.poll();
        }
        if (burst == null) {
            burst = new Burst(onSettled);
        }
        open = burst;
        return burst;
    }

    private boolean cut(int limit) {
        boolean cut;
        try {
            if (!segmenter.busy()) {
                segmenter.begin(queue.next());
            }
            cut = segmenter.cut(ulpdu, limit);
        } catch (RuntimeException | Error unreadable) {
            // The memory is gone, or there is none for a copy. Nothing was cut, so the stream has no hole.
            fail(unreadable, faultOf(unreadable));
            return false;
        }
        if (!cut) {
            sourceRevoked();
            return false;
        }
        if (!segmenter.busy()) {
            queue.handOver();
        }
        return true;
    }

    private void writeSegment(Burst burst, boolean lastOfBurst) {
        int bytes = ulpdu.length();
        burst.addSegment(bytes);
        bytesUnderWay += bytes;
        if (!segmenter.busy()) {
            burst.endMessage();
            counters.add(Counter.MESSAGES_SENT, 1);
        }
        if (lastOfBurst) {
            open = null;
            underWay.add(burst);
            context.write(ulpdu, context.newPromise().addListener(burst));
        } else {
            context.write(ulpdu, context.voidPromise());
        }
    }

    /** The promise of a burst completed. An exception that left this would be logged, and the stream would stand still. */
    private void onSettled() {
        try {
            if (writing) {
                loseWhatWasRefused();
            }
            settle();
        } catch (RuntimeException | Error unexpected) {
            failUnexpectedly(unexpected);
        }
    }

    /**
     * A segment that cannot be written leaves a hole, and no segment may follow it: the peer would take later messages, and
     * those say that the bytes of earlier ones are in place. That cannot wait for earlier bursts to be taken.
     */
    private void loseWhatWasRefused() {
        for (Burst burst : underWay) {
            Throwable failure = burst.failure();
            if (failure != null) {
                lose(failure);
                return;
            }
        }
    }

    /** Bursts are accounted for in their order, whatever the order of the promises. */
    private void settle() {
        Burst head = underWay.peek();
        while (head != null && head.settled()) {
            underWay.remove();
            bytesUnderWay -= head.bytes();
            Throwable failure = head.failure();
            if (failure == null) {
                unreported += head.messages();
            } else {
                // What is still reported of a burst once one was lost are the final words.
                boolean finalWords = lost && head.messages() > 0;
                lose(failure);
                if (finalWords) {
                    loseFinalWords(failure);
                }
            }
            head.reset();
            spare.push(head);
            head = underWay.peek();
        }
        try {
            report();
        } finally {
            transmit();
        }
    }

    private void report() {
        if (reporting || unreported == 0) {
            return;
        }
        reporting = true;
        try {
            while (unreported > 0) {
                unreported--;
                DdpMessage message = queue.taken();
                if (message != null) {
                    message.sent();
                    ulp.onSent(message);
                }
            }
        } finally {
            reporting = false;
        }
    }

    private void sourceRevoked() {
        DdpMessage message = queue.inWork();
        long bytesRead = segmenter.bytesCut();
        stop(ended("the memory that the message reads was revoked when " + bytesRead + " bytes of it were sent"));
        if (message != null) {
            ulp.onSourceRevoked(message, bytesRead);
        }
    }

    /** The transport did not take a segment. Whatever it was given at that time counts as not sent. */
    private void lose(Throwable cause) {
        if (lost || phase == Phase.ENDED) {
            return;
        }
        lost = true;
        boolean finalWords = ending;
        halt();
        for (Burst burst : underWay) {
            burst.forgetMessages();
        }
        if (open != null) {
            open.forgetMessages();
        }
        queue.dropAllBut(unreported, cause);
        reportFault(cause);
        if (finalWords) {
            loseFinalWords(cause);
        }
    }

    /** The ULP waits for its last message to be sent, which will not happen: nothing can be sent on this channel. */
    private void loseFinalWords(Throwable cause) {
        if (phase != Phase.ENDED && context.channel().isOpen()) {
            context.fireExceptionCaught(cause);
        }
    }

    private void failUnexpectedly(Throwable cause) {
        fail(
                cause,
                new ProtocolFault(
                        ProtocolError.DDP_LOCAL_CATASTROPHIC, "this side failed while it sent messages", cause));
    }

    /** Something went wrong on this side: the stream ends, for the ULP to tell the peer. */
    private void fail(Throwable cause, ProtocolFault fault) {
        if (phase == Phase.ENDED) {
            context.fireExceptionCaught(cause);
            return;
        }
        boolean finalWords = ending;
        stop(cause);
        receiver.fail(fault);
        if (finalWords) {
            loseFinalWords(cause);
        }
    }

    /** Sends nothing more but final words, and what was handed over. */
    private void stop(Throwable cause) {
        halt();
        queue.dropUnsent(cause);
    }

    /** Takes final words only. Comes before any message is dropped: who is told of that may write again. */
    private void halt() {
        if (phase == Phase.OPEN) {
            phase = Phase.FAILED;
        }
        segmenter.abandon();
    }

    /**
     * A closed channel tells its end by itself. But when a write meets the lost connection before a read does, the transport
     * closes the channel first, and only the failed message knows why.
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
                                        + "; keep its buffer unchanged until the message was sent");
    }

    private static StreamEndedException ended(String detail) {
        return new StreamEndedException(new CloseReason(EndedBy.LOCAL_APPLICATION, null, detail, null));
    }
}
