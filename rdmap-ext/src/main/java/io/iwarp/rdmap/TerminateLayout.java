package io.iwarp.rdmap;

import io.iwarp.ddp.DdpSegment;

/**
 * The Terminate header (<a href="https://www.rfc-editor.org/rfc/rfc5040#section-4.8">RFC 5040 section 4.8</a>).
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-------+-------+---------------+-+-+-+-------------------------+
 * | Layer | EType |  Error Code   |M|D|R|        Reserved         |
 * +-------+-------+---------------+-+-+-+-------------------------+
 * |  DDP Segment Length (if M)    |                               |
 * +-------------------------------+                               +
 * |              Terminated DDP Header (if D): 14 or 18 bytes    |
 * +---------------------------------------------------------------+
 * |              Terminated RDMA Header (if R): 28 bytes         |
 * +---------------------------------------------------------------+
 * </pre>
 */
final class TerminateLayout {
    static final int CONTROL = 0;
    static final int CONTROL_LENGTH = 4;

    /** Offset of the DDP Segment Length, if present. */
    static final int SEGMENT_LENGTH = 4;

    static final int SEGMENT_LENGTH_LENGTH = 2;
    static final int RDMA_HEADER_LENGTH = 28;

    /** The longest Terminate header: an untagged DDP header and a Read Request header. */
    static final int MAX_LENGTH =
            CONTROL_LENGTH + SEGMENT_LENGTH_LENGTH + DdpSegment.UNTAGGED_HEADER_LENGTH + RDMA_HEADER_LENGTH;

    static final int SEGMENT_LENGTH_PRESENT = 0x8000;
    static final int DDP_HEADER_PRESENT = 0x4000;
    static final int RDMA_HEADER_PRESENT = 0x2000;

    /**
     * M, D and R as siw writes them on little-endian machines. Its control word has the nibbles of the first byte
     * swapped and these bits at the other end of the third byte. In the RFC, these bits are zero.
     */
    static final int SWAPPED_HEADER_BITS = 0x0700;

    private static final int LAYER_SHIFT = 28;
    private static final int TYPE_SHIFT = 24;
    private static final int CODE_SHIFT = 16;
    private static final int NIBBLE_MASK = 0x0f;
    private static final int CODE_MASK = 0xff;

    private TerminateLayout() {}

    static int control(int layer, int type, int code) {
        return layer << LAYER_SHIFT | type << TYPE_SHIFT | code << CODE_SHIFT;
    }

    static int layer(int control) {
        return control >>> LAYER_SHIFT & NIBBLE_MASK;
    }

    static int type(int control) {
        return control >>> TYPE_SHIFT & NIBBLE_MASK;
    }

    static int code(int control) {
        return control >>> CODE_SHIFT & CODE_MASK;
    }

    /** Returns the offset of the DDP header: after the segment length, if present. */
    static int ddpHeader(boolean segmentLengthPresent) {
        return segmentLengthPresent ? SEGMENT_LENGTH + SEGMENT_LENGTH_LENGTH : CONTROL_LENGTH;
    }
}
