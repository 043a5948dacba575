package io.iwarp.internal.mpa;

import io.iwarp.Counter;
import io.iwarp.internal.ConnectionCounters;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Turns each ULPDU into an FPDU (RFC 5044 sections 4.1 to 4.4): length, ULPDU, zero padding, CRC, and markers where the
 * peer asked for them. An FPDU without markers:
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |          ULPDU_Length         |                               |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+                               +
 * |                                                               |
 * ~                             ULPDU                             ~
 * |                                                               |
 * |                               +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                               |        PAD (0 to 3 bytes)      |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                              CRC                              |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>ULPDU_Length is in network order and counts only the bytes of the ULPDU. PAD makes the FPDU a multiple of four
 * bytes. The CRC is on the wire least significant byte first (section 4.4).
 *
 * <p>A state machine without I/O. {@link #encode} makes a whole FPDU. Without markers, a large payload need not be
 * copied: {@link #encodeHead} and {@link #encodeTrailer} make the bytes before and after it. The only state is the
 * position in the stream. A marker is made together with its FPDU, never before (section 7.1.2, rule 4).
 *
 * <p>Not safe for use by several threads: it belongs to the event loop of its stream.
 */
public final class FpduEncoder {

    /** Bytes of the ULPDU_Length field. */
    public static final int ULPDU_LENGTH_LENGTH = Short.BYTES;

    /** Bytes of the CRC field, which is there even when the CRC is off. */
    public static final int CRC_LENGTH = Integer.BYTES;

    /** An FPDU is a multiple of this many bytes. */
    public static final int ALIGNMENT = 4;

    /** The maximum number of padding bytes of an FPDU. */
    public static final int MAX_PAD_LENGTH = ALIGNMENT - 1;

    /** The largest ULPDU, in bytes, that the length field can announce. */
    public static final int MAX_ULPDU_LENGTH = 0xFFFF;

    /** The content of the CRC field when the CRC is off. */
    static final int NO_CRC = 0;

    private final boolean crc;
    private final boolean markers;
    private final ConnectionCounters counters;
    private final Crc32c checksum = new Crc32c();
    private long position;
    private @Nullable ByteBuffer payloadView;
    private long viewedAddress;

    /**
     * Creates an encoder at the start of Full Operation.
     *
     * @param parameters tell whether to compute the CRC, whose field is otherwise 0, and whether to insert markers
     * @param counters counts FPDUs, markers and bytes
     */
    public FpduEncoder(AgreedParameters parameters, ConnectionCounters counters) {
        this(parameters.crc(), parameters.sendMarkers(), counters);
    }

    FpduEncoder(boolean crc, boolean markers, ConnectionCounters counters) {
        this(crc, markers, counters, 0);
    }

    /** Creates an encoder in the middle of a stream, at a multiple of four bytes. */
    FpduEncoder(boolean crc, boolean markers, ConnectionCounters counters, long position) {
        this.crc = crc;
        this.markers = markers;
        this.counters = counters;
        this.position = position;
    }

    /**
     * Returns how many bytes of padding follow a ULPDU, 0 to 3.
     *
     * @param ulpduLength bytes of the ULPDU, 0 to 65535
     */
    public static int padLength(int ulpduLength) {
        return -(ULPDU_LENGTH_LENGTH + ulpduLength) & MAX_PAD_LENGTH;
    }

    /**
     * Returns the length in bytes of ULPDU_Length, ULPDU, PAD and CRC together, a multiple of four.
     *
     * @param ulpduLength bytes of the ULPDU, 0 to 65535
     */
    public static int fpduLength(int ulpduLength) {
        return ULPDU_LENGTH_LENGTH + ulpduLength + padLength(ulpduLength) + CRC_LENGTH;
    }

    /**
     * Returns whether markers are inserted into the FPDUs, as the peer requested. Markers require that payloads are
     * copied.
     */
    boolean markers() {
        return markers;
    }

    /** Returns the number of bytes encoded since the start of Full Operation, markers included. */
    public long position() {
        return position;
    }

    /**
     * Returns the bytes on the wire, markers included, of the FPDU that a ULPDU would make now.
     *
     * @param ulpduLength bytes of the ULPDU, 0 to 64768
     */
    int wireLength(int ulpduLength) {
        int fpduLength = fpduLength(ulpduLength);
        return markers ? MarkerLayout.wireLength(position, fpduLength) : fpduLength;
    }

    /**
     * Appends the FPDU of a ULPDU, copying the payload.
     *
     * <p>If the payload cannot be read, this throws an exception, and the buffer and this encoder do not change.
     *
     * @param ulpdu the ULPDU of at most 64768 bytes; no reference to its payload is kept
     * @param out a buffer that is not shared, enlarged if necessary; the caller keeps its reference
     */
    public void encode(Ulpdu ulpdu, ByteBuf out) {
        int start = out.writerIndex();
        long before = position;
        boolean done = false;
        try {
            out.ensureWritable(wireLength(ulpdu.length()));
            if (markers) {
                appendCut(ulpdu, out);
            } else {
                appendWhole(ulpdu, out);
            }
            done = true;
        } finally {
            if (!done) {
                out.writerIndex(start);
                position = before;
            }
        }
        appendCrc(out, start);
        count(position - before);
    }

    /**
     * Appends ULPDU_Length and the header of the ULPDU, and adds the payload to the CRC. On the wire the payload
     * follows, and then what {@link #encodeTrailer} appends.
     *
     * <p>Exceptions change nothing, as with {@link #encode}.
     *
     * @param ulpdu the ULPDU of at most 64768 bytes; no reference to its payload is kept
     * @param out a buffer that is not shared, enlarged if necessary; the caller keeps its reference
     * @throws IllegalStateException if markers are sent in this direction
     */
    public void encodeHead(Ulpdu ulpdu, ByteBuf out) {
        if (markers) {
            throw new IllegalStateException(
                    "markers are inserted into outgoing FPDUs, so the payload must be copied, not sent by reference");
        }
        int start = out.writerIndex();
        boolean done = false;
        try {
            appendLengthAndHeader(ulpdu, out);
            if (crc) {
                checksum.reset();
                checksum.update(out, start, out.writerIndex() - start);
                addToCrc(ulpdu.payload(), ulpdu.payloadIndex(), ulpdu.payloadLength());
            }
            done = true;
        } finally {
            if (!done) {
                out.writerIndex(start);
            }
        }
    }

    /**
     * Appends PAD and CRC of the FPDU begun with {@link #encodeHead}.
     *
     * @param ulpdu the same, unchanged ULPDU
     * @param out a buffer that is not shared, enlarged if necessary; the caller keeps its reference
     */
    public void encodeTrailer(Ulpdu ulpdu, ByteBuf out) {
        int pad = out.writerIndex();
        int padLength = padLength(ulpdu.length());
        out.writeZero(padLength);
        if (crc) {
            checksum.update(out, pad, padLength);
            out.writeIntLE(checksum.value());
        } else {
            out.writeInt(NO_CRC);
        }
        int length = fpduLength(ulpdu.length());
        position += length;
        count(length);
    }

    /** Clears the cached payload reference. Call after each burst. */
    void endBurst() {
        payloadView = null;
    }

    private void addToCrc(ByteBuf payload, int index, int length) {
        if (payload.hasArray()) {
            checksum.update(payload, index, length);
        } else if (payload.hasMemoryAddress()) {
            checksum.update(viewOf(payload).limit(index + length).position(index));
        } else {
            for (ByteBuffer piece : payload.nioBuffers(index, length)) {
                checksum.update(piece);
            }
        }
    }

    /**
     * Returns a view with the indexes of the buffer. Other threads may send from the same memory at the same time, so
     * {@link ByteBuf#internalNioBuffer} must not be used. The view serves all further ULPDUs of a burst from that
     * memory.
     *
     * @param payload a buffer of one piece with {@link ByteBuf#hasMemoryAddress()}; it is not retained
     */
    private ByteBuffer viewOf(ByteBuf payload) {
        // Address and size identify the memory. The ByteBuf object does not: pools reuse it for other memory.
        ByteBuffer view = payloadView;
        long address = payload.memoryAddress();
        if (view == null || address != viewedAddress || view.capacity() != payload.capacity()) {
            view = payload.nioBuffer(0, payload.capacity());
            payloadView = view;
            viewedAddress = address;
        }
        return view.clear();
    }

    private void appendWhole(Ulpdu ulpdu, ByteBuf out) {
        appendLengthAndHeader(ulpdu, out);
        append(ulpdu.payload(), ulpdu.payloadIndex(), ulpdu.payloadLength(), out);
        out.writeZero(padLength(ulpdu.length()));
        position += fpduLength(ulpdu.length());
    }

    private static void appendLengthAndHeader(Ulpdu ulpdu, ByteBuf out) {
        ByteBuf header = ulpdu.header();
        out.writeShort(ulpdu.length());
        out.writeBytes(header.array(), header.arrayOffset() + header.readerIndex(), header.readableBytes());
    }

    /** {@code writeBytes} creates two NIO views when the buffer types differ; this reuses the view of {@code out}. */
    private static void append(ByteBuf bytes, int index, int length, ByteBuf out) {
        if (out.nioBufferCount() == 1) {
            int end = out.writerIndex();
            bytes.getBytes(index, out.internalNioBuffer(end, length));
            out.writerIndex(end + length);
        } else {
            out.writeBytes(bytes, index, length);
        }
    }

    private void appendCut(Ulpdu ulpdu, ByteBuf out) {
        int markersInFpdu = MarkerLayout.countIn(position, fpduLength(ulpdu.length()));
        if (MarkerLayout.isAt(position)) {
            appendMarker(out, 0);
        }
        long fpduStart = position;
        out.writeShort(ulpdu.length());
        position += ULPDU_LENGTH_LENGTH;
        ByteBuf header = ulpdu.header();
        appendCut(header, header.readerIndex(), header.readableBytes(), fpduStart, out);
        boolean manyPieces = ulpdu.payloadLength() > MarkerLayout.INTERVAL;
        if (manyPieces && ulpdu.payload().hasMemoryAddress() && out.nioBufferCount() == 1) {
            appendContiguous(ulpdu, fpduStart, out);
        } else {
            appendCut(ulpdu.payload(), ulpdu.payloadIndex(), ulpdu.payloadLength(), fpduStart, out);
        }
        // No marker is before or inside the padding: it completes a word, and markers start at words.
        int padLength = padLength(ulpdu.length());
        out.writeZero(padLength);
        position += padLength;
        appendMarkerIfDue(fpduStart, out);
        position += CRC_LENGTH;
        counters.add(Counter.MARKERS_SENT, markersInFpdu);
    }

    private void appendCut(ByteBuf bytes, int index, int length, long fpduStart, ByteBuf out) {
        int from = index;
        int remaining = length;
        while (remaining > 0) {
            appendMarkerIfDue(fpduStart, out);
            int piece = Math.min(remaining, MarkerLayout.bytesToNext(position));
            append(bytes, from, piece, out);
            position += piece;
            from += piece;
            remaining -= piece;
        }
    }

    /** Fast path for contiguous payloads that markers cut into pieces: copies without the bounds checks of ByteBuf. */
    private void appendContiguous(Ulpdu ulpdu, long fpduStart, ByteBuf out) {
        int remaining = ulpdu.payloadLength();
        int wire = MarkerLayout.wireLength(position, remaining);
        ByteBuffer source = viewOf(ulpdu.payload());
        ByteBuffer target = out.internalNioBuffer(out.writerIndex(), wire);
        int from = ulpdu.payloadIndex();
        int to = target.position();
        while (remaining > 0) {
            if (MarkerLayout.isAt(position)) {
                target.putInt(to, (int) (position - fpduStart));
                position += MarkerLayout.LENGTH;
                to += MarkerLayout.LENGTH;
            }
            int piece = Math.min(remaining, MarkerLayout.bytesToNext(position));
            target.put(to, source, from, piece);
            position += piece;
            from += piece;
            to += piece;
            remaining -= piece;
        }
        out.writerIndex(out.writerIndex() + wire);
    }

    private void appendMarkerIfDue(long fpduStart, ByteBuf out) {
        if (MarkerLayout.isAt(position)) {
            appendMarker(out, (int) (position - fpduStart));
        }
    }

    private void appendMarker(ByteBuf out, int fpduPointer) {
        MarkerLayout.write(out, fpduPointer);
        position += MarkerLayout.LENGTH;
    }

    private void appendCrc(ByteBuf out, int start) {
        if (crc) {
            checksum.reset();
            checksum.update(out, start, out.writerIndex() - start);
            out.writeIntLE(checksum.value());
        } else {
            out.writeInt(NO_CRC);
        }
    }

    private void count(long bytes) {
        counters.add(Counter.FPDUS_SENT, 1);
        counters.add(Counter.BYTES_SENT, bytes);
    }
}
