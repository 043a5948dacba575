package io.iwarp.ddp;

import io.iwarp.memory.OctetSpan;
import io.netty.util.concurrent.Promise;
import org.jspecify.annotations.Nullable;

/**
 * One outgoing DDP message: where it goes and the octets to send.
 *
 * <p>Fill it with {@link #tagged} or {@link #untagged} and the {@link #payload}, and write it to the channel. From then
 * until {@link DdpUlp#onSent} names it, or the stream ends, neither the message nor the octets of its payload may
 * change, and the payload's buffer or region must stay alive; DDP takes no reference. Afterwards the object can be used
 * again. It belongs to the event loop of the stream.
 *
 * <p>A payload of 0 octets makes a message of exactly one segment; at most 2^32 - 1 octets are allowed (RFC 5041
 * section 5.2).
 */
public class DdpMessage {
    private static final int OCTET_MASK = 0xFF;

    private final OctetSpan payload = new OctetSpan();
    private boolean tagged;
    private int control;
    private int stag;
    private long taggedOffset;
    private int rsvdUlp;
    private int queueNumber;
    private boolean finalWords;
    private boolean submitted;
    private boolean handedOver;
    private @Nullable Promise<Void> promise;

    /** An untagged message without octets for queue 0. */
    public DdpMessage() {}

    /**
     * Makes this a tagged message: the peer places it into the buffer that an STag names. The message is no longer
     * {@link #finalWords}; the payload stays as it is.
     *
     * @param rsvdUlp RsvdULP, passed to the peer's ULP unchanged: 0..255, the control octet of RDMAP
     * @param destination the STag that the peer advertised, any 32-bit value
     * @param offset the tagged offset of the first octet, any unsigned 64-bit value; it wraps to 0 behind 2^64 - 1
     * @return this message
     * @throws IllegalStateException if the message was written and is not sent yet
     */
    public final DdpMessage tagged(int rsvdUlp, int destination, long offset) {
        describe(true, rsvdUlp);
        stag = destination;
        taggedOffset = offset;
        return this;
    }

    /**
     * Makes this an untagged message: the peer places it into the next buffer of a queue. The message is no longer
     * {@link #finalWords}; the payload stays as it is.
     *
     * @param rsvdUlpFirst the first octet of RsvdULP, passed to the peer's ULP unchanged: 0..255, the control octet of
     *     RDMAP
     * @param rsvdUlpRest the other four octets of RsvdULP, any 32-bit value
     * @param queue the queue number, 0..3
     * @return this message
     * @throws IllegalStateException if the message was written and is not sent yet
     */
    public final DdpMessage untagged(int rsvdUlpFirst, int rsvdUlpRest, int queue) {
        if (queue < 0 || queue >= DdpLayout.QUEUES) {
            throw new IllegalArgumentException(
                    "queue number " + Integer.toUnsignedString(queue) + " is outside 0.." + (DdpLayout.QUEUES - 1));
        }
        describe(false, rsvdUlpFirst);
        rsvdUlp = rsvdUlpRest;
        queueNumber = queue;
        return this;
    }

    private void describe(boolean isTagged, int controlOctet) {
        if (submitted) {
            throw new IllegalStateException("the message is on its way: wait for onSent before using it again");
        }
        if ((controlOctet & ~OCTET_MASK) != 0) {
            throw new IllegalArgumentException("control octet " + controlOctet + " is outside 0..255");
        }
        tagged = isTagged;
        control = controlOctet;
        finalWords = false;
        handedOver = false;
    }

    /**
     * Says whether this message ends the sending side of the stream. Everything written before it that is not on the
     * wire yet is dropped, even the rest of a message whose first segments are; it goes next, and nothing goes after
     * it. Incoming segments are dropped from the moment it is written. RDMAP's Terminate is such a message (RFC 5041
     * section 7.1 allows one more message after an error).
     *
     * @return this message
     */
    public final DdpMessage finalWords(boolean ends) {
        finalWords = ends;
        return this;
    }

    /** {@return the octets to send; wrap a buffer or region with it} */
    public final OctetSpan payload() {
        return payload;
    }

    /** {@return whether this message ends the sending side of the stream} */
    public final boolean finalWords() {
        return finalWords;
    }

    /** {@return whether the message goes to a tagged buffer} */
    public final boolean tagged() {
        return tagged;
    }

    /** {@return RsvdULP or its first octet, 0..255} */
    public final int control() {
        return control;
    }

    /** {@return the STag; of meaning for a tagged message only} */
    public final int stag() {
        return stag;
    }

    /** {@return the tagged offset of the first octet, unsigned; of meaning for a tagged message only} */
    public final long taggedOffset() {
        return taggedOffset;
    }

    /** {@return the last four octets of RsvdULP; of meaning for an untagged message only} */
    public final int rsvdUlp() {
        return rsvdUlp;
    }

    /** {@return the queue number, 0..3; of meaning for an untagged message only} */
    public final int queueNumber() {
        return queueNumber;
    }

    /**
     * {@return whether all segments of the message were cut and written to the layer below}
     *
     * <p>That is before {@link DdpUlp#onSent}, and no more of the message is read from then on. It stays true until the
     * object is used for another message.
     */
    public final boolean handedOver() {
        return handedOver;
    }

    /** The last segment was cut. */
    final void handOver() {
        handedOver = true;
    }

    /** {@return whether the message was written and neither sent nor dropped since} */
    final boolean submitted() {
        return submitted;
    }

    /** The message was written; the promise, if there is one, waits for it to be sent or dropped. */
    final void submit(@Nullable Promise<Void> waiting) {
        submitted = true;
        handedOver = false;
        promise = waiting;
    }

    /** The message may be used again. */
    final void sent() {
        Promise<Void> waiting = promise;
        submitted = false;
        promise = null;
        if (waiting != null) {
            waiting.trySuccess(null);
        }
    }

    /** The message may be used again; it was not, or not wholly, sent. */
    final void drop(Throwable cause) {
        Promise<Void> waiting = promise;
        submitted = false;
        promise = null;
        if (waiting != null) {
            waiting.tryFailure(cause);
        }
    }

    /** The header fields for people; the payload's octets do not appear. */
    @Override
    public String toString() {
        String where = tagged
                ? String.format("STag 0x%08x, TO 0x%x", stag, taggedOffset)
                : String.format("QN %d, RsvdULP rest 0x%x", queueNumber, rsvdUlp);
        return String.format(
                "DdpMessage[%s, control 0x%02x, %d octets%s]",
                where, control, payload.length(), finalWords ? ", final words" : "");
    }
}
