package io.iwarp.ddp;

import io.iwarp.internal.WarmBuffers;
import io.iwarp.memory.ByteSpan;
import io.iwarp.memory.TaggedBuffer;
import io.iwarp.mpa.Ulpdu;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cuts messages into DDP segments (RFC 5041 section 5.2), one message at a time and without I/O.
 *
 * <p>{@link #begin} takes a message, then {@link #cut} fills one ULPDU after the other until the message is no longer
 * {@linkplain #busy in work}. Each segment is as large as the MULPDU of its moment allows, so a change of the MULPDU
 * concerns only what is not cut yet (section 3 rules 1 and 2). Segments come in rising order of their offsets, the last
 * and only the last has the L flag, and a message without bytes makes one segment.
 *
 * <p>A payload goes by reference, except for a segment that lies across two pieces of a region; a source is always
 * copied, and only while its STag is valid. Copies are made in a buffer that lives until the next cut unless somebody
 * retains it; while nobody does, the next copy goes there as well.
 *
 * <p>It belongs to the event loop of the stream.
 */
final class DdpSegmenter {
    /** A buffer for copies has at least this many bytes, so that small segments of any size can share it. */
    private static final int SMALLEST_COPY_CAPACITY = 4 * 1024;

    private static final int LARGEST_COPY_CAPACITY = 64 * 1024;
    /** As many as wait for the transport when the usual window is full, and what is being filled. */
    private static final WarmBuffers WARM =
            new WarmBuffers(LARGEST_COPY_CAPACITY, DdpSettings.DEFAULT_TRANSMIT_WINDOW / LARGEST_COPY_CAPACITY + 2);

    private final ByteBufAllocator allocator;
    private final int[] nextMsn = new int[DdpLayout.QUEUES];
    private @Nullable DdpMessage message;
    private @Nullable ByteBuf copy;
    private int headerLength;
    private int msn;
    private long length;
    private long offset;

    /**
     * A segmenter whose queues all begin at MSN 1.
     *
     * @param allocator gives the buffers for segments that are copied
     */
    DdpSegmenter(ByteBufAllocator allocator) {
        this(allocator, DdpLayout.FIRST_MSN);
    }

    /** A segmenter whose queues all begin at the given MSN. */
    DdpSegmenter(ByteBufAllocator allocator, int firstMsn) {
        this.allocator = allocator;
        Arrays.fill(nextMsn, firstMsn);
    }

    /** {@return whether a message was begun of which a segment is still to be cut} */
    boolean busy() {
        return message != null;
    }

    /** {@return bytes of the message in work, or of the last one, that were cut} */
    long bytesCut() {
        return offset;
    }

    /**
     * Takes the next message, and numbers it if it is untagged.
     *
     * @param next a message of at most 2^32 - 1 bytes
     * @throws IllegalStateException if the one before is not finished: messages never interleave
     * @throws IllegalArgumentException if the message is too long
     */
    void begin(DdpMessage next) {
        if (message != null) {
            throw new IllegalStateException("begin of " + next + " before the last segment of " + message);
        }
        requireLegalLength(next);
        message = next;
        length = next.messageLength();
        offset = 0;
        if (next.tagged()) {
            headerLength = DdpLayout.TAGGED_HEADER_LENGTH;
        } else {
            headerLength = DdpLayout.UNTAGGED_HEADER_LENGTH;
            msn = nextMsn[next.queueNumber()]++;
        }
    }

    /** Refuses a message of 2^32 bytes or more (RFC 5041 section 5.2). */
    static void requireLegalLength(DdpMessage message) {
        if (message.messageLength() > DdpLayout.MAXIMUM_MESSAGE_LENGTH) {
            throw new IllegalArgumentException("the message has " + message.messageLength()
                    + " bytes, at most " + DdpLayout.MAXIMUM_MESSAGE_LENGTH
                    + " are allowed: send it as several messages");
        }
    }

    /**
     * Cuts the next segment.
     *
     * @param ulpdu takes the segment; its payload refers to the message's buffer, which must stay alive until the
     *     ULPDU was written, or to a copy
     * @param mulpdu bytes that the ULPDU may have at most, at least 128
     * @return true; or false if the message's source was revoked, then nothing was cut and the message stays in work
     * @throws IllegalStateException if no message is in work, or if its memory is gone; nothing was cut then
     */
    boolean cut(Ulpdu ulpdu, int mulpdu) {
        DdpMessage current = message;
        if (current == null) {
            throw new IllegalStateException("there is no message to cut: begin one");
        }
        int count = (int) Math.min(mulpdu - headerLength, length - offset);
        boolean last = offset + count == length;
        if (!putPayload(ulpdu, current, count)) {
            return false;
        }
        ByteBuf header = ulpdu.header();
        if (current.tagged()) {
            putTaggedHeader(header, current, last);
        } else {
            putUntaggedHeader(header, current, last);
        }
        offset += count;
        if (last) {
            message = null;
        }
        return true;
    }

    /** Gives up the message in work, if there is one; the segments that were cut stay cut. */
    void abandon() {
        message = null;
    }

    /** Gives back the memory that cuts may have taken. The segmenter can go on. */
    void release() {
        if (copy != null) {
            copy.release();
            copy = null;
        }
    }

    private boolean putPayload(Ulpdu ulpdu, DdpMessage current, int count) {
        if (count == 0) {
            ulpdu.clearPayload();
            return true;
        }
        TaggedBuffer source = current.source();
        if (source == null) {
            putPayload(ulpdu, current.payload(), count);
            return true;
        }
        ByteBuf bytes = copyBuffer(count);
        if (!source.fetch(current.sourceOffset() + offset, bytes, 0, count)) {
            return false;
        }
        ulpdu.payload(bytes, 0, count);
        return true;
    }

    private void putPayload(Ulpdu ulpdu, ByteSpan payload, int count) {
        if (payload.contiguousAt(offset) >= count) {
            ByteBuf buffer = payload.bufferAt(offset);
            if (buffer.refCnt() == 0) {
                throw new IllegalReferenceCountException(0);
            }
            ulpdu.payload(buffer, payload.indexAt(offset), count);
        } else {
            ByteBuf together = copyBuffer(count);
            payload.get(offset, together, 0, count);
            ulpdu.payload(together, 0, count);
        }
    }

    /** A buffer for the bytes of one segment: the one of the last cut, if nobody but this object refers to it. */
    private ByteBuf copyBuffer(int count) {
        ByteBuf buffer = copy;
        if (buffer == null || buffer.refCnt() > 1 || buffer.capacity() < count) {
            release();
            buffer = WARM.take(allocator, Math.max(count, SMALLEST_COPY_CAPACITY));
            copy = buffer;
        }
        return buffer;
    }

    // Headers are put in as few pieces as they have, because each one costs the checks of the buffer; the second piece
    // overwrites the end of the first.

    private void putTaggedHeader(ByteBuf header, DdpMessage current, boolean last) {
        header.setLong(0, headerStart(DdpLayout.TAGGED_FLAG | lastFlag(last), current.control(), current.stag()));
        header.setLong(DdpLayout.TAGGED_OFFSET_OFFSET, current.taggedOffset() + offset);
        header.setIndex(0, DdpLayout.TAGGED_HEADER_LENGTH);
    }

    private void putUntaggedHeader(ByteBuf header, DdpMessage current, boolean last) {
        header.setLong(0, headerStart(lastFlag(last), current.control(), current.rsvdUlp()));
        header.setLong(
                DdpLayout.QUEUE_NUMBER_OFFSET,
                (long) current.queueNumber() << Integer.SIZE | Integer.toUnsignedLong(msn));
        header.setInt(DdpLayout.MESSAGE_OFFSET_OFFSET, (int) offset);
        header.setIndex(0, DdpLayout.UNTAGGED_HEADER_LENGTH);
    }

    /** {@return the bytes 0 to 7 of a header, of which only the first 6 have a meaning} */
    private static long headerStart(int flags, int control, int stagOrRsvdUlp) {
        return (long) (flags | DdpLayout.VERSION) << DdpLayout.CONTROL_SHIFT
                | (long) control << DdpLayout.RSVD_ULP_SHIFT
                | Integer.toUnsignedLong(stagOrRsvdUlp) << DdpLayout.STAG_SHIFT;
    }

    private static int lastFlag(boolean last) {
        return last ? DdpLayout.LAST_FLAG : 0;
    }
}
