package io.iwarp.internal.mpa;

import io.iwarp.Counter;
import io.iwarp.ProtocolError;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.EventLoopBuffers;
import io.iwarp.internal.ProtocolFault;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Finds and checks the FPDUs in the bytes of the peer (RFC 5044 sections 4.1 to 4.4, 5.2 and 8).
 *
 * <p>A state machine without I/O. {@link #decode} takes the bytes from the start of an FPDU on and returns one of three
 * results:
 *
 * <ul>
 *   <li>{@link Result#INCOMPLETE}: the FPDU is incomplete; {@link #needed()} says how many bytes the next call needs.
 *       Nothing has changed.
 *   <li>{@link Result#FPDU}: the FPDU is valid, {@link #ulpdu()} contains its ULPDU, and {@link #wireLength()} bytes
 *       are consumed.
 *   <li>{@link Result#FAULT}: the FPDU is invalid; {@link #fault()} says why. It is the last result: the start of the
 *       next FPDU is unknown.
 * </ul>
 *
 * <p>The order of the checks: the FPDU is complete, its CRC is right (error 2/0/02), its markers point to its start
 * (2/0/03). The CRC covers the bytes as on the wire. Markers inside the ULPDU are removed by copying the ULPDU into a
 * buffer of this object. The received bytes are never changed, because another handler may hold a reference to them. A
 * ULPDU without markers is not copied.
 *
 * <p>Not safe for use by several threads: it belongs to the event loop of its stream.
 */
public final class FpduDecoder {

    /** The results of {@link FpduDecoder#decode}. */
    public enum Result {
        /** A valid FPDU. */
        FPDU,
        /** The start of an FPDU, or nothing. */
        INCOMPLETE,
        /** An invalid FPDU. */
        FAULT
    }

    /** Only one ULPDU with markers is in use at a time, so one buffer serves all streams of an event loop. */
    private static final EventLoopBuffers BUFFERS = new EventLoopBuffers(FpduEncoder.MAX_ULPDU_LENGTH, 1);

    private final ByteBufAllocator allocator;
    private final boolean crc;
    private final boolean markers;
    private final ConnectionCounters counters;
    private final Crc32c checksum = new Crc32c();
    private long position;
    private int needed;
    private int wireLength;
    private @Nullable ProtocolFault fault;
    private ByteBuf ulpdu = Unpooled.EMPTY_BUFFER;
    private int ulpduIndex;
    private int ulpduLength;
    /** The buffer for ULPDUs that contain markers. */
    private @Nullable ByteBuf joinedUlpdu;

    /**
     * Creates a decoder at the start of Full Operation.
     *
     * @param allocator allocates the buffer for ULPDUs that contain markers
     * @param parameters says whether the CRC is checked and whether the peer sends markers
     * @param counters counts FPDUs, markers and CRCs
     */
    public FpduDecoder(ByteBufAllocator allocator, AgreedParameters parameters, ConnectionCounters counters) {
        this(allocator, parameters.crc(), parameters.receiveMarkers(), counters);
    }

    FpduDecoder(ByteBufAllocator allocator, boolean crc, boolean markers, ConnectionCounters counters) {
        this(allocator, crc, markers, counters, 0);
    }

    /** Creates a decoder in the middle of a stream, at a multiple of four bytes. */
    FpduDecoder(ByteBufAllocator allocator, boolean crc, boolean markers, ConnectionCounters counters, long position) {
        this.allocator = allocator;
        this.crc = crc;
        this.markers = markers;
        this.counters = counters;
        this.position = position;
    }

    /**
     * Decodes the next FPDU.
     *
     * @param bytes the buffer, in one piece; only read, not retained
     * @param index the start of the FPDU, or of the marker directly before it
     * @param length the number of bytes; any number of FPDUs may follow the first
     * @return the result
     */
    public Result decode(ByteBuf bytes, int index, int length) {
        int lead = markers && MarkerLayout.isAt(position) ? MarkerLayout.LENGTH : 0;
        int head = lead + FpduEncoder.ULPDU_LENGTH_LENGTH;
        needed = head;
        if (length < needed) {
            return Result.INCOMPLETE;
        }
        int announced = bytes.getUnsignedShort(index + lead);
        if (markers && announced > Mulpdu.MAX) {
            return refuseLength(announced);
        }
        int fpduLength = FpduEncoder.fpduLength(announced);
        wireLength = markers ? MarkerLayout.wireLength(position, fpduLength) : fpduLength;
        needed = wireLength;
        if (length < needed) {
            return Result.INCOMPLETE;
        }
        if (crc && !checkCrc(bytes, index, announced)) {
            return Result.FAULT;
        }
        if (markers && !checkMarkers(bytes, index, lead, announced)) {
            return Result.FAULT;
        }
        int beforeMarker = markers ? MarkerLayout.bytesToNext(position) - head : announced;
        if (beforeMarker >= announced) {
            setUlpdu(bytes, index + head, announced);
        } else {
            setUlpdu(join(bytes, index + head, index + wireLength, beforeMarker, announced), 0, announced);
        }
        count(fpduLength);
        position += wireLength;
        return Result.FPDU;
    }

    /**
     * Returns how many bytes, counted from the start of the FPDU, the next call needs: up to the end of ULPDU_Length if
     * that is incomplete, otherwise the whole FPDU with its markers; at most {@link #maxWireLength()}.
     */
    public int needed() {
        return needed;
    }

    /**
     * Returns the buffer that contains the last ULPDU in one piece: {@code bytes}, or a buffer of this object. The
     * caller does not release or change it. It is valid until the next {@link #decode}, {@link #release()}, or the
     * release of {@code bytes}.
     */
    public ByteBuf ulpdu() {
        return ulpdu;
    }

    /** Returns the index of the last ULPDU's first byte in {@link #ulpdu()}. */
    public int ulpduIndex() {
        return ulpduIndex;
    }

    /** Returns the length of the last ULPDU in bytes, the peer's ULPDU_Length, 0 to 65535. */
    public int ulpduLength() {
        return ulpduLength;
    }

    /** Replaces the buffer of the last ULPDU with a copy that the caller has made. */
    void replaceUlpdu(ByteBuf copy) {
        setUlpdu(copy, 0, ulpduLength);
        releaseJoined();
    }

    @SuppressWarnings("ReferenceEquality") // rewriting a reference costs more than comparing it
    private void setUlpdu(ByteBuf bytes, int index, int length) {
        if (ulpdu != bytes) {
            ulpdu = bytes;
        }
        ulpduIndex = index;
        ulpduLength = length;
    }

    /** Returns the bytes of the last FPDU on the wire, markers included. */
    public int wireLength() {
        return wireLength;
    }

    /** Returns the fault after {@link Result#FAULT}, null before. */
    public @Nullable ProtocolFault fault() {
        return fault;
    }

    /** Returns the number of bytes of valid FPDUs since the start of Full Operation, markers included. */
    public long position() {
        return position;
    }

    /** Returns the maximum of {@link #needed()}: the bytes of the largest FPDU on the wire, markers included. */
    public static int maxWireLength() {
        // With markers the largest ULPDU is smaller, and its FPDU with all markers is shorter than this one.
        return FpduEncoder.fpduLength(FpduEncoder.MAX_ULPDU_LENGTH);
    }

    /** Releases the buffer for ULPDUs cut by markers, and clears the last ULPDU. Decoding may continue. */
    public void release() {
        setUlpdu(Unpooled.EMPTY_BUFFER, 0, 0);
        releaseJoined();
    }

    /** Releases the buffer for ULPDUs cut by markers, which does not contain the last one. */
    void releaseJoined() {
        if (joinedUlpdu != null) {
            joinedUlpdu.release();
            joinedUlpdu = null;
        }
    }

    private boolean checkCrc(ByteBuf bytes, int index, int ulpduLength) {
        int covered = wireLength - FpduEncoder.CRC_LENGTH;
        checksum.reset();
        checksum.update(bytes, index, covered);
        int computed = checksum.value();
        int carried = bytes.getIntLE(index + covered);
        counters.add(Counter.CRC_CHECKED, 1);
        if (computed == carried) {
            return true;
        }
        counters.add(Counter.CRC_ERRORS, 1);
        fault = new ProtocolFault(
                ProtocolError.MPA_CRC_MISMATCH,
                String.format(
                        "the CRC32C of the FPDU at stream byte %d with ULPDU_Length %d is 0x%08x, the"
                                + " FPDU carries 0x%08x",
                        position, ulpduLength, computed, carried));
        return false;
    }

    private boolean checkMarkers(ByteBuf bytes, int index, int lead, int ulpduLength) {
        int offset = lead > 0 ? 0 : MarkerLayout.bytesToNext(position);
        for (; offset < wireLength; offset += MarkerLayout.INTERVAL) {
            int expected = Math.max(0, offset - lead);
            int pointer = MarkerLayout.fpduPointer(bytes, index + offset);
            if (pointer != expected) {
                fault = new ProtocolFault(
                        ProtocolError.MPA_MARKER_MISMATCH,
                        String.format(
                                "the marker at stream byte %d has FPDUPTR %d, the FPDU with ULPDU_Length %d"
                                        + " that it belongs to needs %d",
                                position + offset, pointer, ulpduLength, expected));
                return false;
            }
        }
        return true;
    }

    private Result refuseLength(int ulpduLength) {
        fault = new ProtocolFault(
                ProtocolError.MPA_MARKER_MISMATCH,
                String.format(
                        "the FPDU at stream byte %d has ULPDU_Length %d (expected: at most %d with"
                                + " markers, because FPDUPTR has 16 bits)",
                        position, ulpduLength, Mulpdu.MAX));
        return Result.FAULT;
    }

    private ByteBuf join(ByteBuf bytes, int start, int end, int first, int ulpduLength) {
        ByteBuf whole = joinBuffer(ulpduLength);
        ByteBuffer source = bytes.internalNioBuffer(start, end - start);
        ByteBuffer target = whole.internalNioBuffer(0, ulpduLength);
        int from = source.position();
        int to = target.position();
        int piece = first;
        int remaining = ulpduLength;
        while (remaining > 0) {
            target.put(to, source, from, piece);
            from += piece + MarkerLayout.LENGTH;
            to += piece;
            remaining -= piece;
            piece = Math.min(remaining, MarkerLayout.BETWEEN);
        }
        return whole;
    }

    private ByteBuf joinBuffer(int bytes) {
        ByteBuf whole = joinedUlpdu;
        if (whole != null && whole.capacity() >= bytes) {
            return whole.clear();
        }
        releaseJoined();
        whole = BUFFERS.take(allocator, bytes);
        joinedUlpdu = whole;
        return whole;
    }

    private void count(int fpduLength) {
        counters.add(Counter.FPDUS_RECEIVED, 1);
        if (markers) {
            counters.add(Counter.MARKERS_RECEIVED, (wireLength - fpduLength) / MarkerLayout.LENGTH);
        }
    }
}
