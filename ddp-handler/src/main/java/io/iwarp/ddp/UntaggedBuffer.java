package io.iwarp.ddp;

import io.iwarp.memory.ByteSpan;
import io.netty.buffer.ByteBuf;

/**
 * One buffer of an {@link UntaggedQueue}: room for one message, and what DDP found out about that message.
 *
 * <p>The ULP wraps memory with the {@link #sink} and keeps it alive until the buffer was delivered or the stream ended.
 * What is placed before delivery may change and has no meaning yet. The object can be used again after {@link #reset}.
 * It belongs to the event loop of the stream.
 */
public class UntaggedBuffer {
    private final ByteSpan sink = new ByteSpan();
    /** Where the message goes that has begun. */
    private ByteSpan chosen = sink;
    /** A segment of the message has come. */
    private boolean begun;

    private boolean complete;
    private int control;
    private int rsvdUlp;
    private int msn;
    private long messageLength;
    private int lastSegmentLength;
    // The header of the last segment, as DdpSegment holds it; the message offset follows from the lengths.
    private long headerStart;
    private long headerMiddle;

    /** A buffer without room, not used by any message. */
    public UntaggedBuffer() {}

    /** {@return where the message goes unless {@link #sinkFor} says otherwise; its length is the room in bytes} */
    public final ByteSpan sink() {
        return sink;
    }

    /**
     * {@return where the message of a segment goes; its length is the room for the message in bytes}
     *
     * <p>A subclass can keep messages of the ULP's own out of the application's buffer. DDP asks once for each message,
     * with the first of its segments that comes: the one whose {@link #control} and {@link #rsvdUlp} are reported. All
     * segments of the message go there, whatever a faulty peer writes into the RsvdULP of the others.
     *
     * @param segment passed {@link DdpUlp#examine}; valid during the call
     */
    protected ByteSpan sinkFor(DdpSegment segment) {
        return sink;
    }

    /**
     * {@return the first byte of RsvdULP, 0..255}
     *
     * <p>It is that of the first segment seen; RFC 5041 section 4.3 allows any one, and does not ask to compare them.
     */
    public final int control() {
        return control;
    }

    /** {@return the last four bytes of RsvdULP, of the same segment as {@link #control}} */
    public final int rsvdUlp() {
        return rsvdUlp;
    }

    /** {@return the message sequence number of the message, an unsigned 32-bit value} */
    public final int msn() {
        return msn;
    }

    /** {@return length of the message, 0..2^32-1 bytes; known once {@link #complete}} */
    public final long messageLength() {
        return messageLength;
    }

    /** {@return whether the last segment of the message was placed} */
    public final boolean complete() {
        return complete;
    }

    /**
     * {@return bytes of the segment that completed the message, header and payload: the DDP Segment Length of a
     * Terminate message}
     *
     * @throws IllegalStateException if the message is not {@link #complete}
     */
    public final int lastSegmentLength() {
        requireComplete();
        return lastSegmentLength;
    }

    /**
     * Writes the header of the segment that completed the message, exactly as it came. Together with
     * {@link #lastSegmentLength} it says, until {@link #reset}, which segment an error is about.
     *
     * @param out takes {@link DdpLayout#UNTAGGED_HEADER_LENGTH} bytes at its writer index
     * @throws IllegalStateException if the message is not {@link #complete}
     */
    public final void lastHeader(ByteBuf out) {
        requireComplete();
        out.writeLong(headerStart)
                .writeShort((int) (headerMiddle >>> Integer.SIZE))
                .writeInt((int) headerMiddle)
                .writeInt((int) (messageLength - (lastSegmentLength - DdpLayout.UNTAGGED_HEADER_LENGTH)));
    }

    private void requireComplete() {
        if (!complete) {
            throw new IllegalStateException("the last segment of the message has not come: ask complete() first");
        }
    }

    /** Makes the buffer ready for another message. Call it before the buffer is offered by a queue again. */
    public final void reset() {
        begun = false;
        complete = false;
        control = 0;
        rsvdUlp = 0;
        msn = 0;
        messageLength = 0;
    }

    /** {@return where this segment goes} */
    final ByteSpan target(DdpSegment segment) {
        return begun ? chosen : sinkFor(segment);
    }

    /** A segment of the message was placed; the first one says where the others go and what is reported. */
    final void note(DdpSegment segment, ByteSpan target) {
        if (!begun) {
            begun = true;
            if (chosen != target) {
                chosen = target;
            }
            control = segment.control();
            rsvdUlp = segment.rsvdUlp();
            msn = segment.msn();
        }
    }

    /** The last segment of the message was placed. */
    final void finish(DdpSegment last) {
        complete = true;
        messageLength = last.messageOffset() + last.payloadLength();
        lastSegmentLength = last.ulpduLength();
        headerStart = last.headerStart();
        headerMiddle = last.headerMiddle();
    }

    /** State and size; the bytes themselves do not appear. */
    @Override
    public String toString() {
        String state = complete ? messageLength + " bytes" : begun ? "incomplete" : "empty";
        return "UntaggedBuffer[" + state + ", room for " + sink.length() + " bytes]";
    }
}
