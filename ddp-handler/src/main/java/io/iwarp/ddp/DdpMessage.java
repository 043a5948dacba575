package io.iwarp.ddp;

import io.iwarp.memory.ByteSpan;
import io.iwarp.memory.TaggedBuffer;
import io.netty.util.concurrent.Promise;
import org.jspecify.annotations.Nullable;

/**
 * One outgoing DDP message: where it goes and the bytes to send.
 *
 * <p>Fill it with {@link #tagged} or {@link #untagged} and say where its bytes are, and write it to the channel. From
 * then until {@link DdpUlp#onSent} names it, or the stream ends, the message may not change. Afterwards the object can be
 * used again. It belongs to the event loop of the stream. There are two places where its bytes can be:
 *
 * <ul>
 *   <li>The {@link #payload}, for what this side chose to send. It goes by reference: until {@code onSent} its bytes
 *       may not change, and its buffer or region must stay alive; DDP takes no reference.
 *   <li>A {@link #source}, for what the peer asked to read by an STag. Such memory can be revoked at any moment, and the
 *       application may write to it at any moment, so it is read when segments are cut, each as a copy.
 * </ul>
 *
 * <p>A message of 0 bytes is exactly one segment; at most 2^32 - 1 bytes are allowed (RFC 5041
 * section 5.2).
 */
public class DdpMessage {
    private static final int BYTE_MASK = 0xFF;

    private final ByteSpan payload = new ByteSpan();
    private @Nullable TaggedBuffer source;
    private long sourceOffset;
    private long sourceLength;
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

    /** An untagged message without bytes for queue 0. */
    public DdpMessage() {}

    /**
     * Makes this a tagged message: the peer places it into the buffer that an STag names. The message is no longer
     * {@link #finalWords}; payload and source stay as they are.
     *
     * @param rsvdUlp RsvdULP, passed to the peer's ULP unchanged: 0..255, the control byte of RDMAP
     * @param destination the STag that the peer advertised, any 32-bit value
     * @param offset the tagged offset of the first byte, any unsigned 64-bit value; it wraps to 0 behind 2^64 - 1
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
     * {@link #finalWords}; payload and source stay as they are.
     *
     * @param rsvdUlpFirst the first byte of RsvdULP, passed to the peer's ULP unchanged: 0..255, the control byte of
     *     RDMAP
     * @param rsvdUlpRest the other four bytes of RsvdULP, any 32-bit value
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

    private void describe(boolean isTagged, int controlByte) {
        requireNotUnderWay();
        if ((controlByte & ~BYTE_MASK) != 0) {
            throw new IllegalArgumentException("control byte " + controlByte + " is outside 0..255");
        }
        tagged = isTagged;
        control = controlByte;
        finalWords = false;
        handedOver = false;
    }

    private void requireNotUnderWay() {
        if (submitted) {
            throw new IllegalStateException("the message is on its way: wait for onSent before using it again");
        }
    }

    /**
     * Says that the bytes are those that a peer asked to read by an STag. They are copied out segment by segment, as
     * the transport takes them, and only while the STag is valid: once a revocation has returned, none is read.
     * {@link DdpUlp#onSourceRevoked} tells when the message is cut short by that. While there is a source the payload is
     * not looked at.
     *
     * @param buffer the memory to read, whose access was checked; or null for none: the bytes are those of the payload,
     *     as they are for a new message
     * @param offset the tagged offset of the first byte in the buffer, unsigned
     * @param length the number of bytes, 0..2^32-1; with 0 nothing is read, whether the buffer is valid or not
     * @return this message
     * @throws IllegalStateException if the message was written and is not sent yet
     */
    public final DdpMessage source(@Nullable TaggedBuffer buffer, long offset, long length) {
        requireNotUnderWay();
        if (length < 0 || length > (buffer == null ? 0 : DdpLayout.MAXIMUM_MESSAGE_LENGTH)) {
            throw new IllegalArgumentException("a source of " + length + " bytes in " + buffer + ": allowed are 0.."
                    + DdpLayout.MAXIMUM_MESSAGE_LENGTH + ", and only 0 without a buffer");
        }
        source = buffer;
        sourceOffset = offset;
        sourceLength = length;
        return this;
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

    /** {@return the bytes to send unless there is a {@link #source}; wrap a buffer or region with it} */
    public final ByteSpan payload() {
        return payload;
    }

    /** {@return bytes of the message, those of its source or payload} */
    public final long messageLength() {
        return source == null ? payload.length() : sourceLength;
    }

    /** {@return the memory to read the bytes from; null if they are the payload} */
    final @Nullable TaggedBuffer source() {
        return source;
    }

    /** {@return the tagged offset of the first byte in the {@link #source()}} */
    final long sourceOffset() {
        return sourceOffset;
    }

    /** {@return whether this message ends the sending side of the stream} */
    public final boolean finalWords() {
        return finalWords;
    }

    /** {@return whether the message goes to a tagged buffer} */
    public final boolean tagged() {
        return tagged;
    }

    /** {@return RsvdULP or its first byte, 0..255} */
    public final int control() {
        return control;
    }

    /** {@return the STag; of meaning for a tagged message only} */
    public final int stag() {
        return stag;
    }

    /** {@return the tagged offset of the first byte, unsigned; of meaning for a tagged message only} */
    public final long taggedOffset() {
        return taggedOffset;
    }

    /** {@return the last four bytes of RsvdULP; of meaning for an untagged message only} */
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

    /** The header fields for people; the payload's bytes do not appear. */
    @Override
    public String toString() {
        String where = tagged
                ? String.format("STag 0x%08x, TO 0x%x", stag, taggedOffset)
                : String.format("QN %d, RsvdULP rest 0x%x", queueNumber, rsvdUlp);
        return String.format(
                "DdpMessage[%s, control 0x%02x, %d bytes%s]",
                where, control, messageLength(), finalWords ? ", final words" : "");
    }
}
