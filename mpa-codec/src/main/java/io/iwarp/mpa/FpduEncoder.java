package io.iwarp.mpa;

import io.iwarp.Counter;
import io.iwarp.Counters;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * Turns each ULPDU into an FPDU (RFC 5044, sections 4.1 to 4.4): length, ULPDU, zero
 * padding, CRC, and markers where the peer asked for them.
 *
 * <p>A state machine without I/O. {@link #encode} makes a whole FPDU. Without markers, a large payload
 * need not be copied: {@link #encodeHead} and {@link #encodeTrailer} make the bytes before and after
 * it. The only state is the position in the stream. A marker is made together with its FPDU, never
 * before (section 7.1.2, rule 4).
 *
 * <p>Not safe for use by several threads: it belongs to the event loop of its stream.
 */
public final class FpduEncoder {

    private final boolean crc;
    private final boolean markers;
    private final Counters counters;
    private final MarkerCursor cursor;
    private final Crc32c checksum = new Crc32c();
    private final SharedView sharedPayload = new SharedView();

    /**
     * Creates an encoder at the start of Full Operation.
     *
     * @param parameters says whether the CRC is on, otherwise its field is 0, and whether the peer asked for markers
     * @param counters counts FPDUs, markers and ULPDU bytes
     */
    public FpduEncoder(MpaParameters parameters, Counters counters) {
        this(parameters.crc(), parameters.sendMarkers(), counters);
    }

    FpduEncoder(boolean crc, boolean markers, Counters counters) {
        this(crc, markers, counters, new MarkerCursor());
    }

    /** Creates an encoder in the middle of a stream. */
    FpduEncoder(boolean crc, boolean markers, Counters counters, MarkerCursor cursor) {
        this.crc = crc;
        this.markers = markers;
        this.counters = counters;
        this.cursor = cursor;
    }

    /**
     * Returns whether markers are inserted into the FPDUs. Then payloads must be copied.
     *
     * @return true if the peer asked for markers
     */
    boolean markers() {
        return markers;
    }

    /**
     * Returns the position in the stream.
     *
     * @return bytes encoded since the start of Full Operation, markers included
     */
    public long position() {
        return cursor.position();
    }

    /**
     * Returns the size of the FPDU that a ULPDU would make now.
     *
     * @param ulpduLength bytes of the ULPDU, 0..64768
     * @return bytes on the wire, markers included
     */
    int wireLength(int ulpduLength) {
        int fpduLength = FpduLayout.fpduLength(ulpduLength);
        return markers ? cursor.wireLength(fpduLength) : fpduLength;
    }

    /**
     * Appends the FPDU of a ULPDU, copying the payload.
     *
     * <p>If the payload cannot be read, this throws an exception, and the buffer and this encoder do not
     * change.
     *
     * @param ulpdu the ULPDU of at most 64768 bytes; no reference to its payload is kept
     * @param out a buffer that is not shared, enlarged if necessary; the caller keeps its reference
     */
    public void encode(Ulpdu ulpdu, ByteBuf out) {
        int start = out.writerIndex();
        long position = cursor.position();
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
                cursor.reset(position);
            }
        }
        appendCrc(out, start);
        count(ulpdu.length());
    }

    /**
     * Appends ULPDU_Length and the header of the ULPDU, and adds the payload to the CRC. On the wire the
     * payload follows, and then what {@link #encodeTrailer} appends.
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
                    "markers cut this direction's FPDUs: encode the payload instead of sending it by" + " reference");
        }
        int start = out.writerIndex();
        boolean done = false;
        try {
            appendLengthAndHeader(ulpdu, out);
            if (crc) {
                checksum.reset();
                checksum.update(out, start, out.writerIndex() - start);
                checksum.updateShared(ulpdu.payload(), ulpdu.payloadIndex(), ulpdu.payloadLength());
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
        int padLength = FpduLayout.padLength(ulpdu.length());
        out.writeZero(padLength);
        if (crc) {
            checksum.update(out, pad, padLength);
            out.writeIntLE(checksum.value());
        } else {
            out.writeInt(FpduLayout.NO_CRC);
        }
        cursor.advance(FpduLayout.fpduLength(ulpdu.length()));
        count(ulpdu.length());
    }

    /** Lets go of the payload memory seen last; to be called when a burst of ULPDUs is over. */
    void endBurst() {
        checksum.forgetShared();
        sharedPayload.forget();
    }

    private void appendWhole(Ulpdu ulpdu, ByteBuf out) {
        appendLengthAndHeader(ulpdu, out);
        append(ulpdu.payload(), ulpdu.payloadIndex(), ulpdu.payloadLength(), out);
        out.writeZero(FpduLayout.padLength(ulpdu.length()));
        cursor.advance(FpduLayout.fpduLength(ulpdu.length()));
    }

    private static void appendLengthAndHeader(Ulpdu ulpdu, ByteBuf out) {
        ByteBuf header = ulpdu.header();
        out.writeShort(ulpdu.length());
        out.writeBytes(header.array(), header.arrayOffset() + header.readerIndex(), header.readableBytes());
    }

    /**
     * Netty's own copy between two kinds of buffer makes two views each time; the view inside {@code out} is there
     * already.
     */
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
        int markersInFpdu = cursor.markersIn(FpduLayout.fpduLength(ulpdu.length()));
        if (cursor.atMarker()) {
            appendMarker(out, 0);
        }
        long fpduStart = cursor.position();
        out.writeShort(ulpdu.length());
        cursor.advance(FpduLayout.ULPDU_LENGTH_LENGTH);
        ByteBuf header = ulpdu.header();
        appendCut(header, header.readerIndex(), header.readableBytes(), fpduStart, out);
        boolean manyPieces = ulpdu.payloadLength() > MarkerLayout.INTERVAL;
        if (manyPieces && ulpdu.payload().hasMemoryAddress() && out.nioBufferCount() == 1) {
            appendCutAtOnce(ulpdu, fpduStart, out);
        } else {
            appendCut(ulpdu.payload(), ulpdu.payloadIndex(), ulpdu.payloadLength(), fpduStart, out);
        }
        // No marker is before or inside the padding: it completes a word, and markers start at words.
        int padLength = FpduLayout.padLength(ulpdu.length());
        out.writeZero(padLength);
        cursor.advance(padLength);
        appendMarkerIfDue(fpduStart, out);
        cursor.advance(FpduLayout.CRC_LENGTH);
        counters.add(Counter.MARKERS_SENT, markersInFpdu);
    }

    private void appendCut(ByteBuf bytes, int index, int length, long fpduStart, ByteBuf out) {
        int from = index;
        int left = length;
        while (left > 0) {
            appendMarkerIfDue(fpduStart, out);
            int piece = Math.min(left, cursor.toNextMarker());
            append(bytes, from, piece, out);
            cursor.advance(piece);
            from += piece;
            left -= piece;
        }
    }

    /** Does the same for a payload of many pieces, without the checks that a ByteBuf makes for each of them. */
    private void appendCutAtOnce(Ulpdu ulpdu, long fpduStart, ByteBuf out) {
        int left = ulpdu.payloadLength();
        int wire = cursor.wireLength(left);
        ByteBuffer source = sharedPayload.of(ulpdu.payload());
        ByteBuffer target = out.internalNioBuffer(out.writerIndex(), wire);
        int from = ulpdu.payloadIndex();
        int to = target.position();
        while (left > 0) {
            if (cursor.atMarker()) {
                target.putInt(to, (int) (cursor.position() - fpduStart));
                cursor.advance(MarkerLayout.LENGTH);
                to += MarkerLayout.LENGTH;
            }
            int piece = Math.min(left, cursor.toNextMarker());
            target.put(to, source, from, piece);
            cursor.advance(piece);
            from += piece;
            to += piece;
            left -= piece;
        }
        out.writerIndex(out.writerIndex() + wire);
    }

    private void appendMarkerIfDue(long fpduStart, ByteBuf out) {
        if (cursor.atMarker()) {
            appendMarker(out, (int) (cursor.position() - fpduStart));
        }
    }

    private void appendMarker(ByteBuf out, int fpduPointer) {
        MarkerLayout.write(out, fpduPointer);
        cursor.advance(MarkerLayout.LENGTH);
    }

    private void appendCrc(ByteBuf out, int start) {
        if (crc) {
            checksum.reset();
            checksum.update(out, start, out.writerIndex() - start);
            out.writeIntLE(checksum.value());
        } else {
            out.writeInt(FpduLayout.NO_CRC);
        }
    }

    private void count(int ulpduLength) {
        counters.add(Counter.FPDUS_SENT, 1);
        counters.add(Counter.ULPDU_BYTES_SENT, ulpduLength);
    }
}
