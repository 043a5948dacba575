package io.iwarp.ddp;

import io.iwarp.internal.memory.ByteSpan;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * One buffer of an {@link UntaggedQueue}: room for one message, and the results of its reception.
 *
 * <p>The ULP wraps memory with the {@link #sink} and keeps it alive until the buffer is delivered or the stream ends.
 * Before delivery the content is undefined. The object can be used again after {@link #reset}. It belongs to the event
 * loop of the stream.
 */
public class UntaggedBuffer {
    private final ByteSpan sink = new ByteSpan();
    /** Null until a message of several segments arrives. */
    private @Nullable Coverage coverage;
    /** Whether a segment of the message has arrived. */
    private boolean isStarted;

    private boolean complete;
    private int control;
    private int rsvdUlp;
    private int msn;
    private int queueNumber;
    /** When the message started, by the clock of {@link IncompleteMessages}, if it was not complete at once. */
    long startNanos;

    private long messageLength;
    private int lastSegmentLength;
    // The header of the last segment. Its message offset follows from the lengths.
    private int lastControlField;
    private int lastRsvdUlp;

    /** Creates a buffer of 0 bytes, not used by any message. */
    public UntaggedBuffer() {}

    /** Returns the destination of the message unless {@link #sinkFor} chooses another. */
    public final ByteSpan sink() {
        return sink;
    }

    /**
     * Returns the maximum length of the message that has started, in bytes. A subclass decides by {@link #control} and
     * {@link #rsvdUlp}.
     */
    protected long capacity() {
        return sink.length();
    }

    /**
     * Returns the destination of a segment, which passed all checks. All segments of a message have one destination. A
     * subclass can place internal messages of the ULP elsewhere than in the application's buffer, or take memory as it
     * is needed. It decides by {@link #control} and {@link #rsvdUlp} of the message, because a faulty peer may send
     * another RsvdULP in a later segment.
     *
     * @param segment valid during the call; it ends within the {@link #capacity}
     * @return a span with at least the bytes up to the end of the segment, or null if there is no memory for it now:
     *     then {@link UntaggedQueue#awaitBuffer} is called
     */
    protected @Nullable ByteSpan sinkFor(DdpSegment segment) {
        return sink;
    }

    /**
     * Returns whether segments of the message that leave a gap are an error. The default is false: segments may arrive
     * in any order. A subclass that allocates memory as it is needed returns true, so that no segment needs memory for
     * more bytes than have arrived.
     */
    protected boolean ascendingOnly() {
        return false;
    }

    /**
     * Returns the first byte of RsvdULP, 0 to 255.
     *
     * <p>It comes from the first segment that arrived. RFC 5041 section 4.3 allows any segment, and does not require a
     * comparison.
     */
    public final int control() {
        return control;
    }

    /** Returns the last four bytes of RsvdULP, of the same segment as {@link #control}. */
    public final int rsvdUlp() {
        return rsvdUlp;
    }

    /** Returns the message sequence number of the message, an unsigned 32-bit value. */
    public final int msn() {
        return msn;
    }

    /** Returns the length of the message, 0 to 2^32 - 1 bytes; known once the message {@link #isComplete}. */
    public final long messageLength() {
        return messageLength;
    }

    /** Returns whether a segment of a message was placed. */
    public final boolean hasStarted() {
        return isStarted;
    }

    /** Returns whether the last segment of the message was placed, and with it each byte. */
    public final boolean isComplete() {
        return complete;
    }

    /**
     * Returns the length of the segment that completed the message, header and payload, in bytes: the DDP Segment
     * Length of a Terminate message.
     *
     * @throws IllegalStateException if the message is not {@link #isComplete}
     */
    public final int lastSegmentLength() {
        requireComplete();
        return lastSegmentLength;
    }

    /**
     * Writes the header of the segment that completed the message into a buffer, exactly as received. With
     * {@link #lastSegmentLength} it identifies the segment that an error refers to, until {@link #reset}.
     *
     * @param header has room for {@link DdpSegment#UNTAGGED_HEADER_LENGTH} bytes, which are its only ones afterwards
     * @throws IllegalStateException if the message is not {@link #isComplete}
     */
    public final void lastHeader(ByteBuf header) {
        requireComplete();
        long offset = messageLength - (lastSegmentLength - DdpSegment.UNTAGGED_HEADER_LENGTH);
        DdpSegment.putUntagged(header, lastControlField, lastRsvdUlp, queueNumber, msn, offset);
    }

    private void requireComplete() {
        if (!complete) {
            throw new IllegalStateException(
                    "the last segment of the message has not arrived: check isComplete() first");
        }
    }

    /** Prepares the buffer for another message. Call it before a queue offers the buffer again. */
    public final void reset() {
        isStarted = false;
        complete = false;
        control = 0;
        rsvdUlp = 0;
        msn = 0;
        messageLength = 0;
        if (coverage != null) {
            coverage.clear();
        }
    }

    /** Returns which bytes of an incomplete message have arrived. */
    protected final Coverage coverage() {
        Coverage existing = coverage;
        if (existing == null) {
            existing = new Coverage();
            coverage = existing;
        }
        return existing;
    }

    /** A segment of the message has arrived. The first one determines control byte, RsvdULP, MSN and queue number. */
    final void start(DdpSegment segment) {
        if (!isStarted) {
            isStarted = true;
            control = segment.control();
            rsvdUlp = segment.rsvdUlp();
            msn = segment.msn();
            queueNumber = segment.queueNumber();
        }
    }

    /** A segment of the message was placed. */
    final void placed(DdpSegment segment) {
        if (!segment.isWholeMessage()) {
            coverage().add(segment.messageOffset(), segment.payloadLength());
        }
        if (segment.last()) {
            finish(segment);
        }
    }

    private void finish(DdpSegment last) {
        complete = true;
        messageLength = last.messageOffset() + last.payloadLength();
        lastSegmentLength = last.ulpduLength();
        lastControlField = last.controls();
        lastRsvdUlp = last.rsvdUlp();
    }

    /** Returns queue number and MSN of the message that has started. */
    final String describeMessage() {
        return describeMessage(msn, queueNumber);
    }

    static String describeMessage(int msn, int queueNumber) {
        return "message " + Integer.toUnsignedString(msn) + " on queue " + queueNumber;
    }

    /** Returns state and size, without the bytes. */
    @Override
    public String toString() {
        String state = complete ? messageLength + " bytes" : isStarted ? "incomplete" : "empty";
        return "UntaggedBuffer[" + state + ", room for " + sink.length() + " bytes]";
    }
}
