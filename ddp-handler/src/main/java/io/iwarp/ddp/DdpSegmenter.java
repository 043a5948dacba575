package io.iwarp.ddp;

import io.iwarp.memory.OctetSpan;
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
 * and only the last has the L flag, and a message without octets makes one segment.
 *
 * <p>The payload goes by reference. Only a segment that lies across two pieces of a region is copied together, into a
 * buffer of its own that lives until the next cut unless somebody retains it.
 *
 * <p>It belongs to the event loop of the stream.
 */
public final class DdpSegmenter {
    private final ByteBufAllocator allocator;
    private final int[] nextMsn = new int[DdpLayout.QUEUES];
    private @Nullable DdpMessage message;
    private @Nullable ByteBuf gathered;
    private int headerLength;
    private int msn;
    private long length;
    private long offset;

    /**
     * A segmenter whose queues all begin at MSN 1.
     *
     * @param allocator gives the buffers for segments whose payload does not lie in one piece
     */
    public DdpSegmenter(ByteBufAllocator allocator) {
        this(allocator, DdpLayout.FIRST_MSN);
    }

    /** A segmenter whose queues all begin at the given MSN. */
    DdpSegmenter(ByteBufAllocator allocator, int firstMsn) {
        this.allocator = allocator;
        Arrays.fill(nextMsn, firstMsn);
    }

    /** {@return whether a message was begun of which a segment is still to be cut} */
    public boolean busy() {
        return message != null;
    }

    /**
     * Takes the next message, and numbers it if it is untagged.
     *
     * @param next a message of at most 2^32 - 1 octets
     * @throws IllegalStateException if the one before is not finished: messages never interleave
     * @throws IllegalArgumentException if the message is too long
     */
    public void begin(DdpMessage next) {
        if (message != null) {
            throw new IllegalStateException("begin of " + next + " before the last segment of " + message);
        }
        requireLegalLength(next);
        message = next;
        length = next.payload().length();
        offset = 0;
        if (next.tagged()) {
            headerLength = DdpLayout.TAGGED_HEADER_LENGTH;
        } else {
            headerLength = DdpLayout.UNTAGGED_HEADER_LENGTH;
            msn = nextMsn[next.queueNumber()]++;
        }
    }

    /** Refuses a message of 2^32 octets or more (RFC 5041 section 5.2). */
    static void requireLegalLength(DdpMessage message) {
        if (message.payload().length() > DdpLayout.MAXIMUM_MESSAGE_LENGTH) {
            throw new IllegalArgumentException(
                    "the message has " + message.payload().length()
                            + " octets, at most " + DdpLayout.MAXIMUM_MESSAGE_LENGTH
                            + " are allowed: send it as several messages");
        }
    }

    /**
     * Cuts the next segment.
     *
     * @param ulpdu takes the segment; its payload refers to the message's buffer, which must stay alive until the
     *     ULPDU was written
     * @param mulpdu octets that the ULPDU may have at most, at least 128
     * @throws IllegalStateException if no message is in work, or if its memory is gone; nothing was cut then
     */
    public void cut(Ulpdu ulpdu, int mulpdu) {
        DdpMessage current = message;
        if (current == null) {
            throw new IllegalStateException("there is no message to cut: begin one");
        }
        int count = (int) Math.min(mulpdu - headerLength, length - offset);
        boolean last = offset + count == length;
        putPayload(ulpdu, current.payload(), count);
        ByteBuf header = ulpdu.header().clear();
        if (current.tagged()) {
            putTaggedHeader(header, current, last);
        } else {
            putUntaggedHeader(header, current, last);
        }
        offset += count;
        if (last) {
            message = null;
        }
    }

    /** Gives up the message in work, if there is one; the segments that were cut stay cut. */
    public void abandon() {
        message = null;
    }

    /** Gives back the memory that the last cut may have taken. The segmenter can go on. */
    public void release() {
        if (gathered != null) {
            gathered.release();
            gathered = null;
        }
    }

    private void putPayload(Ulpdu ulpdu, OctetSpan payload, int count) {
        release();
        if (count == 0) {
            ulpdu.clearPayload();
        } else if (payload.contiguousAt(offset) >= count) {
            ByteBuf buffer = payload.bufferAt(offset);
            if (buffer.refCnt() == 0) {
                throw new IllegalReferenceCountException(0);
            }
            ulpdu.payload(buffer, payload.indexAt(offset), count);
        } else {
            ByteBuf together = allocator.directBuffer(count, count);
            gathered = together;
            payload.get(offset, together, 0, count);
            ulpdu.payload(together, 0, count);
        }
    }

    private void putTaggedHeader(ByteBuf header, DdpMessage current, boolean last) {
        header.writeByte(DdpLayout.TAGGED_FLAG | lastFlag(last) | DdpLayout.VERSION);
        header.writeByte(current.control());
        header.writeInt(current.stag());
        header.writeLong(current.taggedOffset() + offset);
    }

    private void putUntaggedHeader(ByteBuf header, DdpMessage current, boolean last) {
        header.writeByte(lastFlag(last) | DdpLayout.VERSION);
        header.writeByte(current.control());
        header.writeInt(current.rsvdUlp());
        header.writeInt(current.queueNumber());
        header.writeInt(msn);
        header.writeInt((int) offset);
    }

    private static int lastFlag(boolean last) {
        return last ? DdpLayout.LAST_FLAG : 0;
    }
}
