package io.iwarp.rdmap;

import static io.iwarp.rdmap.TerminateLayout.CONTROL_LENGTH;
import static io.iwarp.rdmap.TerminateLayout.DDP_HEADER_PRESENT;
import static io.iwarp.rdmap.TerminateLayout.RDMA_HEADER_PRESENT;
import static io.iwarp.rdmap.TerminateLayout.SEGMENT_LENGTH_PRESENT;
import static io.iwarp.rdmap.TerminateLayout.SWAPPED_HEADER_BITS;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ErrorLayer;
import io.iwarp.ProtocolError;
import io.iwarp.ddp.DdpSegment;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The content of a Terminate message: the error that ends the stream, and the segment at fault (<a
 * href="https://www.rfc-editor.org/rfc/rfc5040#section-4.8">RFC 5040 section 4.8</a>).
 *
 * @param layer the layer that found the error: 0 RDMAP, 1 DDP, 2 the layer below
 * @param type the error type of that layer, 0 to 15
 * @param code the error code, 0 to 255
 * @param segmentLength the length in bytes of the DDP segment at fault (M), or -1 if it is not given
 * @param ddpHeader the DDP header of that segment (D), or empty
 * @param rdmaHeader the Read Request header in it (R), or empty
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and private to this package
record Terminate(int layer, int type, int code, int segmentLength, byte[] ddpHeader, byte[] rdmaHeader) {
    static final byte[] NOTHING = {};
    private static final int NO_SEGMENT_LENGTH = -1;

    /** The error type that Chelsio and Intel hardware use with the layer below; the RFC has 0. */
    private static final int HARDWARE_LLP_TYPE = 3;

    /** Returns a Terminate without a segment. */
    static Terminate of(ProtocolError error) {
        return new Terminate(error.layer().number(), error.type(), error.code(), NO_SEGMENT_LENGTH, NOTHING, NOTHING);
    }

    /**
     * Returns a Terminate about a received segment, with its length, and its DDP header if that is complete. Errors of
     * the layer below and local catastrophic errors carry no segment (RFC 5040 figure 10).
     *
     * @param readRequest the header of the Read Request in the segment, or {@link #NOTHING}
     */
    static Terminate of(ProtocolError error, @Nullable DdpSegment segment, byte[] readRequest) {
        if (segment == null || error.layer() == ErrorLayer.MPA || error == ProtocolError.RDMAP_LOCAL_CATASTROPHIC) {
            return of(error);
        }
        byte[] header = NOTHING;
        if (segment.headerComplete()) {
            header = new byte[segment.headerLength()];
            segment.buffer().getBytes(segment.headerIndex(), header);
        }
        return of(error, segment.ulpduLength(), header, header.length == 0 ? NOTHING : readRequest);
    }

    /** Returns a Terminate about a segment of the given length and headers. A header may be {@link #NOTHING}. */
    static Terminate of(ProtocolError error, int segmentLength, byte[] ddpHeader, byte[] rdmaHeader) {
        return new Terminate(error.layer().number(), error.type(), error.code(), segmentLength, ddpHeader, rdmaHeader);
    }

    /**
     * Returns whether a Terminate quotes the header of the Read Request in a segment. It does for protection errors of
     * a Read Request only (RFC 5040 figure 10).
     */
    static boolean quotesReadRequest(ProtocolError error, @Nullable DdpSegment segment) {
        boolean protection =
                error.layer() == ErrorLayer.RDMAP && error.type() == ProtocolError.RDMAP_INVALID_STAG.type();
        return protection && segment != null && Opcode.of(segment.control()) == Opcode.READ_REQUEST;
    }

    /** Returns whether a segment belongs to a Terminate. A Terminate is never sent in response to a Terminate. */
    static boolean isIn(@Nullable DdpSegment segment) {
        return segment != null
                && segment.headerComplete()
                && Opcode.of(segment.control()) == Opcode.TERMINATE
                && Opcode.TERMINATE.isOnItsQueue(segment);
    }

    /**
     * Returns the close reason of a stream that the peer terminated.
     *
     * @param received the received Terminate, or null if it cannot be decoded
     */
    static CloseReason reason(@Nullable Terminate received) {
        if (received == null) {
            return CloseReason.of(EndedBy.PEER_TERMINATE, "no reason given");
        }
        ProtocolError error = received.error();
        String unknown = error == null ? "with " + received.numbers() + ", which no RFC assigns" : "";
        return new CloseReason(EndedBy.PEER_TERMINATE, error, unknown, null);
    }

    /** Returns the number of bytes that {@link #encode} writes. */
    int length() {
        return ddpHeaderIndex() + ddpHeader.length + rdmaHeader.length;
    }

    private int ddpHeaderIndex() {
        return TerminateLayout.ddpHeader(segmentLength != NO_SEGMENT_LENGTH);
    }

    /** Writes {@link #length()} bytes. Absent headers are omitted and their bits are clear. */
    void encode(ByteBuf out) {
        int start = out.writerIndex();
        out.writeZero(length());
        int word = TerminateLayout.control(layer, type, code);
        if (segmentLength != NO_SEGMENT_LENGTH) {
            word |= SEGMENT_LENGTH_PRESENT;
            out.setShort(start + TerminateLayout.SEGMENT_LENGTH, segmentLength);
        }
        if (ddpHeader.length > 0) {
            word |= DDP_HEADER_PRESENT;
            out.setBytes(start + ddpHeaderIndex(), ddpHeader);
        }
        if (rdmaHeader.length > 0) {
            word |= RDMA_HEADER_PRESENT;
            out.setBytes(start + ddpHeaderIndex() + ddpHeader.length, rdmaHeader);
        }
        out.setInt(start + TerminateLayout.CONTROL, word);
    }

    /**
     * Decodes a Terminate header according to its M, D and R bits. Bytes after it are ignored. A header that its bit
     * announces but the message does not contain counts as absent: the stream ends in any case, and the error is known.
     *
     * <p>On little-endian machines, the kernel's siw sends the control word with the nibbles of the first byte swapped.
     * Both forms are accepted.
     *
     * @param in its readable bytes are the message; its indexes do not change
     * @return the content, or null if the message is shorter than the four bytes of the control word
     */
    static @Nullable Terminate decode(ByteBuf in) {
        if (in.readableBytes() < CONTROL_LENGTH) {
            return null;
        }
        int word = in.getInt(in.readerIndex() + TerminateLayout.CONTROL);
        int layer = TerminateLayout.layer(word);
        int type = TerminateLayout.type(word);
        int code = TerminateLayout.code(word);
        if (isSwapped(word, layer, type, code)) {
            return decodeHeaders(in, type, layer, code, swapHeaderBits(word));
        }
        int rfcType = layer == ErrorLayer.MPA.number() && type == HARDWARE_LLP_TYPE ? 0 : type;
        return decodeHeaders(in, layer, rfcType, code, word);
    }

    private static boolean isSwapped(int word, int layer, int type, int code) {
        if ((word & SWAPPED_HEADER_BITS) != 0) {
            return true;
        }
        boolean hasHeaders = (word & (SEGMENT_LENGTH_PRESENT | DDP_HEADER_PRESENT | RDMA_HEADER_PRESENT)) != 0;
        return !hasHeaders
                && ProtocolError.find(layer, type, code) == null
                && ProtocolError.find(type, layer, code) != null;
    }

    private static int swapHeaderBits(int word) {
        int bits = (word & SWAPPED_HEADER_BITS) >>> 8;
        return ((bits & 1) != 0 ? SEGMENT_LENGTH_PRESENT : 0)
                | ((bits & 2) != 0 ? DDP_HEADER_PRESENT : 0)
                | ((bits & 4) != 0 ? RDMA_HEADER_PRESENT : 0);
    }

    private static Terminate decodeHeaders(ByteBuf in, int layer, int type, int code, int bits) {
        int segmentLength = NO_SEGMENT_LENGTH;
        byte[] ddpHeader = NOTHING;
        byte[] rdmaHeader = NOTHING;
        boolean ddpHeaderPromised = (bits & DDP_HEADER_PRESENT) != 0;
        boolean lengthPromised = (bits & SEGMENT_LENGTH_PRESENT) != 0 || ddpHeaderPromised;
        int index = in.readerIndex() + TerminateLayout.ddpHeader(lengthPromised);
        if (lengthPromised && index <= in.writerIndex()) {
            segmentLength = in.getUnsignedShort(in.readerIndex() + TerminateLayout.SEGMENT_LENGTH);
        }
        if (ddpHeaderPromised && index < in.writerIndex()) {
            boolean tagged = (in.getUnsignedByte(index) & DdpSegment.TAGGED_FLAG) != 0;
            ddpHeader = copy(in, index, tagged ? DdpSegment.TAGGED_HEADER_LENGTH : DdpSegment.UNTAGGED_HEADER_LENGTH);
        }
        if ((bits & RDMA_HEADER_PRESENT) != 0) {
            rdmaHeader = copy(in, index + ddpHeader.length, TerminateLayout.RDMA_HEADER_LENGTH);
        }
        return new Terminate(layer, type, code, segmentLength, ddpHeader, rdmaHeader);
    }

    private static byte[] copy(ByteBuf in, int index, int length) {
        if (in.writerIndex() - index < length) {
            return NOTHING;
        }
        byte[] bytes = new byte[length];
        in.getBytes(index, bytes);
        return bytes;
    }

    /** Returns the error, or null if no RFC assigns its numbers. */
    @Nullable
    ProtocolError error() {
        return ProtocolError.find(layer, type, code);
    }

    /** Returns the layer, type and code as text. */
    String numbers() {
        return String.format("%d/%d/%02x", layer, type, code);
    }
}
