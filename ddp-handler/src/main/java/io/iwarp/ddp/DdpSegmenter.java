package io.iwarp.ddp;

import io.iwarp.internal.EventLoopBuffers;
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
 * <p>{@link #begin} takes a message. Then {@link #cut} fills one ULPDU after the other until the segmenter is no longer
 * {@linkplain #busy busy}. Each segment is as large as the current MULPDU allows. A change of the MULPDU applies to segments
 * that are cut later (section 3 rules 1 and 2). Segments have rising offsets. Only the last one has the L flag. A message of
 * 0 bytes makes one segment.
 *
 * <p>A payload is sent by reference, except for a segment that spans two pieces of a region, and for a region that peers may
 * change: bytes that change between the computation of the CRC and the transport's copy would end the stream. A source is
 * always copied, and only while its STag is valid. A copy is valid until the next cut unless somebody retains its buffer. If
 * nobody does, the buffer is reused for the next copy.
 *
 * <p>It belongs to the event loop of the stream.
 */
final class DdpSegmenter {
    /** Minimum capacity of a buffer for copies, so that small segments of any size can share it. */
    private static final int MIN_COPY_CAPACITY = 4 * 1024;

    private static final int MAX_COPY_CAPACITY = 64 * 1024;
    /** Enough buffers for a full default window, and for the segment that is being filled. */
    private static final EventLoopBuffers WARM =
            new EventLoopBuffers(MAX_COPY_CAPACITY, DdpSettings.DEFAULT_TRANSMIT_WINDOW / MAX_COPY_CAPACITY + 2);

    private final ByteBufAllocator allocator;
    private final int[] nextMsn = new int[DdpLayout.QUEUES];
    private @Nullable DdpMessage message;
    private @Nullable ByteBuf copy;
    private int headerLength;
    private int msn;
    private long length;
    private long offset;

    /**
     * Creates a segmenter whose queues all begin at MSN 1.
     *
     * @param allocator allocates the buffers for segments that are copied
     */
    DdpSegmenter(ByteBufAllocator allocator) {
        this(allocator, DdpLayout.FIRST_MSN);
    }

    /** Creates a segmenter whose queues all begin at the given MSN. */
    DdpSegmenter(ByteBufAllocator allocator, int firstMsn) {
        this.allocator = allocator;
        Arrays.fill(nextMsn, firstMsn);
    }

    /** Returns whether a segment of the current message is still to be cut. */
    boolean busy() {
        return message != null;
    }

    /** Returns how many bytes of the current message, or of the last one, were cut. */
    long bytesCut() {
        return offset;
    }

    /**
     * Takes the next message, and numbers it if it is untagged.
     *
     * @param next a message of at most 2^32 - 1 bytes
     * @throws IllegalStateException if the previous message is not finished: messages never interleave
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
        if (message.messageLength() > DdpLayout.MAX_MESSAGE_LENGTH) {
            throw new IllegalArgumentException("the message has " + message.messageLength()
                    + " bytes, at most " + DdpLayout.MAX_MESSAGE_LENGTH
                    + " are allowed: send it as several messages");
        }
    }

    /**
     * Cuts the next segment.
     *
     * @param ulpdu takes the segment; its payload refers to a copy, or to the message's buffer, which must stay alive
     *     until the ULPDU was written
     * @param mulpdu the maximum length of the ULPDU in bytes, at least 128
     * @return false if the source of the message was revoked: then nothing was cut, and the message stays current
     * @throws IllegalStateException if there is no current message, or if its memory was released; then nothing was cut
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
            current.handOver();
            message = null;
        }
        return true;
    }

    /** Abandons the current message, if any. The segments already cut stay valid. */
    void abandon() {
        message = null;
    }

    /** Releases the memory that cuts may have taken. The segmenter can be used further. */
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
        if (payload.contiguousAt(offset) >= count && !payload.peersMayChange()) {
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

    /** Returns a buffer for the bytes of one segment: that of the last cut, if nobody else refers to it. */
    private ByteBuf copyBuffer(int count) {
        ByteBuf buffer = copy;
        if (buffer == null || buffer.refCnt() > 1 || buffer.capacity() < count) {
            release();
            buffer = WARM.take(allocator, Math.max(count, MIN_COPY_CAPACITY));
            copy = buffer;
        }
        return buffer;
    }

    // Headers are written in few pieces, because each access to a buffer is checked. The second piece overwrites the
    // end of the first.

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

    /** Returns the bytes 0 to 7 of a header; only the first 6 are used. */
    private static long headerStart(int flags, int control, int stagOrRsvdUlp) {
        return (long) (flags | DdpLayout.VERSION) << DdpLayout.CONTROL_SHIFT
                | (long) control << DdpLayout.RSVD_ULP_SHIFT
                | Integer.toUnsignedLong(stagOrRsvdUlp) << DdpLayout.STAG_SHIFT;
    }

    private static int lastFlag(boolean last) {
        return last ? DdpLayout.LAST_FLAG : 0;
    }
}
