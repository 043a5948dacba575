package io.iwarp.ddp;

import io.iwarp.memory.OctetSpan;

/**
 * One buffer of an {@link UntaggedQueue}: room for one message, and what DDP found out about that message.
 *
 * <p>The ULP wraps memory with the {@link #sink} and keeps it alive until the buffer was delivered or the stream ended.
 * What is placed before delivery may change and has no meaning yet. The object can be used again after {@link #reset}.
 * It belongs to the event loop of the stream.
 */
public class UntaggedBuffer {
    private final OctetSpan sink = new OctetSpan();
    private boolean begun;
    private boolean complete;
    private int control;
    private int rsvdUlp;
    private int msn;
    private long messageLength;

    /** A buffer without room, not used by any message. */
    public UntaggedBuffer() {}

    /** {@return where the message goes; its length is the room for the message in octets} */
    public final OctetSpan sink() {
        return sink;
    }

    /**
     * {@return the first octet of RsvdULP, 0..255}
     *
     * <p>It is that of the first segment seen; RFC 5041 section 4.3 allows any one, and does not ask to compare them.
     */
    public final int control() {
        return control;
    }

    /** {@return the last four octets of RsvdULP, of the same segment as {@link #control}} */
    public final int rsvdUlp() {
        return rsvdUlp;
    }

    /** {@return the message sequence number of the message, an unsigned 32-bit value} */
    public final int msn() {
        return msn;
    }

    /** {@return length of the message, 0..2^32-1 octets; known once {@link #complete}} */
    public final long messageLength() {
        return messageLength;
    }

    /** {@return whether the last segment of the message was placed} */
    public final boolean complete() {
        return complete;
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

    /** A segment of the message was placed; the first one says what is reported. */
    final void note(DdpSegment segment) {
        if (!begun) {
            begun = true;
            control = segment.control();
            rsvdUlp = segment.rsvdUlp();
            msn = segment.msn();
        }
    }

    /** The last segment of the message was placed. */
    final void finish(long length) {
        complete = true;
        messageLength = length;
    }

    /** State and size; the octets themselves do not appear. */
    @Override
    public String toString() {
        String state = complete ? messageLength + " octets" : begun ? "incomplete" : "empty";
        return "UntaggedBuffer[" + state + ", room for " + sink.length() + " octets]";
    }
}
