package io.iwarp.ddp;

import io.iwarp.internal.memory.ByteSpan;
import io.iwarp.internal.memory.TaggedBuffer;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCounted;
import io.netty.util.concurrent.Promise;
import org.jspecify.annotations.Nullable;

/**
 * One outgoing DDP message: its destination and its bytes.
 *
 * <p>Fill it with {@link #tagged} or {@link #untagged}, set its bytes, and write it to the channel. Do not change it
 * until {@link DdpUlp#onSent} reports it or the stream ends. After that the object can be reused. It belongs to the
 * event loop of the stream. Its bytes come from one of two places:
 *
 * <ul>
 *   <li>The {@link #payload}, for what this side chooses to send. It is sent by reference: until {@code onSent} its
 *       bytes must not change, and its buffer or region must stay alive. DDP does not retain it. A region that peers
 *       may change is copied segment by segment.
 *   <li>A {@link #source}, for memory that the peer reads by an STag. Each segment is copied when it is cut, because
 *       the memory can be revoked and the application may write to it at any time.
 * </ul>
 *
 * <p>A message has at most 2^32 - 1 bytes. A message of 0 bytes is one segment (RFC 5041 section 5.2).
 */
public class DdpMessage extends AbstractReferenceCounted {
    /** Maximum length of a message in bytes: less than 2^32 (RFC 5041 section 5.2). */
    public static final long MAX_LENGTH = 0xFFFF_FFFFL;

    /** The {@link #wireEnd} of a message whose last segment was not written. */
    public static final long NOT_WRITTEN = Long.MAX_VALUE;

    private static final int BYTE_MASK = 0xFF;

    private @Nullable Object owner;
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
    private boolean terminal;
    private boolean isInFlight;
    private long wireEnd = NOT_WRITTEN;
    private @Nullable Promise<Void> promise;

    /** Creates an untagged message of 0 bytes for queue 0. */
    public DdpMessage() {}

    /**
     * Checks the length of a message.
     *
     * @param name what has these bytes, for the message of the exception
     * @throws IllegalArgumentException if the length exceeds {@link #MAX_LENGTH}
     */
    public static void requireLength(String name, long bytes) {
        if (bytes > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    name + " has " + bytes + " bytes, and a message has at most " + MAX_LENGTH + ": post slices of it");
        }
    }

    /**
     * Sets the object of the ULP to which this message belongs, such as a request; DDP does not use it. Returns this
     * message.
     */
    public final DdpMessage owner(@Nullable Object newOwner) {
        owner = newOwner;
        return this;
    }

    /** Returns the object of the ULP to which this message belongs, or null. */
    public final @Nullable Object owner() {
        return owner;
    }

    /**
     * Makes this a tagged message: the peer places it into the buffer of an STag. The message is no longer
     * {@link #terminal}. Payload and source do not change.
     *
     * @param rsvdUlp RsvdULP, passed to the peer's ULP unchanged: 0 to 255, the control byte of RDMAP
     * @param destination the STag that the peer advertised, any 32-bit value
     * @param offset the tagged offset of the first byte, any unsigned 64-bit value; it wraps to 0 after 2^64 - 1
     * @return this message
     * @throws IllegalStateException if the message is in flight
     */
    public final DdpMessage tagged(int rsvdUlp, int destination, long offset) {
        setKind(true, rsvdUlp);
        stag = destination;
        taggedOffset = offset;
        return this;
    }

    /**
     * Makes this an untagged message: the peer places it into the next buffer of a queue. The message is no longer
     * {@link #terminal}. Payload and source do not change.
     *
     * @param rsvdUlpFirst the first byte of RsvdULP, passed to the peer's ULP unchanged: 0 to 255, the control byte of
     *     RDMAP
     * @param rsvdUlpRest the other four bytes of RsvdULP, any 32-bit value
     * @param queue the queue number, 0 to 3
     * @return this message
     * @throws IllegalStateException if the message is in flight
     */
    public final DdpMessage untagged(int rsvdUlpFirst, int rsvdUlpRest, int queue) {
        if (queue < 0 || queue >= DdpSegment.QUEUES) {
            throw new IllegalArgumentException(
                    "queue number " + Integer.toUnsignedString(queue) + " is outside 0.." + (DdpSegment.QUEUES - 1));
        }
        setKind(false, rsvdUlpFirst);
        rsvdUlp = rsvdUlpRest;
        queueNumber = queue;
        return this;
    }

    private void setKind(boolean isTagged, int controlByte) {
        requireNotInFlight();
        if ((controlByte & ~BYTE_MASK) != 0) {
            throw new IllegalArgumentException("control byte " + controlByte + " is outside 0..255");
        }
        tagged = isTagged;
        control = controlByte;
        terminal = false;
        wireEnd = NOT_WRITTEN;
    }

    private void requireNotInFlight() {
        if (isInFlight) {
            throw new IllegalStateException("the message is in flight: wait for onSent before using it again");
        }
    }

    /**
     * Sets the memory to send, which the peer reads by an STag. It is copied segment by segment, as the transport takes
     * them, and only while the STag is valid: after a revocation has returned, no byte is read.
     * {@link DdpUlp#onSourceRevoked} reports a message that is cut short by a revocation. While there is a source, the
     * payload is ignored.
     *
     * @param buffer the memory to read, whose access was checked; null to send the payload, as a new message does
     * @param offset the tagged offset of the first byte in the buffer, unsigned
     * @param length the number of bytes, 0 to 2^32 - 1; with 0 nothing is read, even if the buffer is invalid
     * @return this message
     * @throws IllegalStateException if the message is in flight
     */
    public final DdpMessage source(@Nullable TaggedBuffer buffer, long offset, long length) {
        requireNotInFlight();
        if (length < 0 || length > (buffer == null ? 0 : MAX_LENGTH)) {
            throw new IllegalArgumentException("a source of " + length + " bytes in " + buffer + " (expected: 0 to "
                    + MAX_LENGTH + " bytes, 0 without a buffer)");
        }
        source = buffer;
        sourceOffset = offset;
        sourceLength = length;
        return this;
    }

    /**
     * Sets whether this message ends the sending side of the stream. Everything written before it that is not on the
     * wire yet fails, even the rest of a message that was sent in part. The terminal message is sent next, and nothing
     * is sent after it. Incoming segments are discarded as soon as it is written. RDMAP's Terminate is such a message:
     * RFC 5041 section 7.1 allows one more message after an error.
     *
     * @return this message
     */
    public final DdpMessage terminal(boolean ends) {
        terminal = ends;
        return this;
    }

    /** Returns the bytes to send if there is no {@link #source}; wrap a buffer or region with it. */
    public final ByteSpan payload() {
        return payload;
    }

    /** Returns the number of bytes of the message. */
    public final long messageLength() {
        return source == null ? payload.length() : sourceLength;
    }

    /** Returns the memory to read the bytes from; null if they are the payload. */
    final @Nullable TaggedBuffer source() {
        return source;
    }

    /** Returns the tagged offset of the first byte in the {@link #source()}. */
    final long sourceOffset() {
        return sourceOffset;
    }

    /** Returns whether this message ends the sending side of the stream. */
    public final boolean terminal() {
        return terminal;
    }

    /** Returns whether the message goes to a tagged buffer. */
    public final boolean tagged() {
        return tagged;
    }

    /** Returns RsvdULP or its first byte, 0 to 255. */
    public final int control() {
        return control;
    }

    /** Returns the STag of a tagged message. */
    public final int stag() {
        return stag;
    }

    /** Returns the tagged offset of the first byte of a tagged message, unsigned. */
    public final long taggedOffset() {
        return taggedOffset;
    }

    /** Returns the last four bytes of RsvdULP of an untagged message. */
    public final int rsvdUlp() {
        return rsvdUlp;
    }

    /** Returns the queue number of an untagged message, 0 to 3. */
    public final int queueNumber() {
        return queueNumber;
    }

    /**
     * Returns the position on the wire after the last byte of the message, or {@link #NOT_WRITTEN}. When the transport
     * has taken that many bytes, the peer may have the whole message, though {@link DdpUlp#onSent} has not reported it.
     * The message is not read after that. The value is kept until the object is used for another message.
     */
    public final long wireEnd() {
        return wireEnd;
    }

    /** The last segment was written. */
    final void setWireEnd(long position) {
        wireEnd = position;
    }

    /** Returns whether the message is in flight: written, and neither sent nor failed. */
    final boolean isInFlight() {
        return isInFlight;
    }

    /** The message was written. The promise, if any, completes when it is sent or fails. */
    final void submit(@Nullable Promise<Void> waiting) {
        isInFlight = true;
        wireEnd = NOT_WRITTEN;
        promise = waiting;
    }

    /** The message was sent and may be used again. */
    final void complete() {
        Promise<Void> waiting = promise;
        isInFlight = false;
        promise = null;
        if (waiting != null) {
            waiting.trySuccess(null);
        }
    }

    /** The message was not sent, or only in part, and may be used again. */
    final void fail(Throwable cause) {
        Promise<Void> waiting = promise;
        isInFlight = false;
        promise = null;
        if (waiting != null) {
            waiting.tryFailure(cause);
        }
    }

    /** Returns the header fields, without the bytes of the payload. */
    @Override
    public String toString() {
        String where = tagged
                ? String.format("STag 0x%08x, TO 0x%x", stag, taggedOffset)
                : String.format("QN %d, RsvdULP rest 0x%x", queueNumber, rsvdUlp);
        return String.format(
                "DdpMessage[%s, control 0x%02x, %d bytes%s]",
                where, control, messageLength(), terminal ? ", terminal" : "");
    }

    /** Returns this message: Netty touches each message of a pipeline. */
    @Override
    public final ReferenceCounted touch(Object hint) {
        return this;
    }

    /**
     * Sets the reference count to 1 instead of freeing the message, because its owner reuses it. It is
     * reference-counted only because {@code ReferenceCountUtil} then finds the interface at the first lookup.
     */
    @Override
    protected final void deallocate() {
        setRefCnt(1);
    }
}
