package io.iwarp.rdmap;

/**
 * The RDMAP control byte, which is the first byte of DDP's RsvdULP field, and the queue numbers of RDMAP
 * (<a href="https://www.rfc-editor.org/rfc/rfc5040#section-4.1">RFC 5040 section 4.1</a>).
 *
 * <pre>
 *   0   1   2   3   4   5   6   7
 * +---+---+---+---+---+---+---+---+
 * |  RV   | Rsvd  |    Opcode     |
 * +---+---+---+---+---+---+---+---+
 * </pre>
 *
 * <p>Reserved bits are sent as zero and ignored on receive.
 */
final class RdmapLayout {
    /** RV (RDMAP version) of the IETF protocol suite. */
    static final int VERSION = 1;

    /** Untagged queue of Sends and Immediate Data. */
    static final int SEND_QUEUE = 0;

    /** Untagged queue of Read Requests and Atomic Requests. */
    static final int REQUEST_QUEUE = 1;

    /** Untagged queue of the Terminate message. */
    static final int TERMINATE_QUEUE = 2;

    /** Untagged queue of Atomic Responses (RFC 7306 section 4.1). */
    static final int ATOMIC_RESPONSE_QUEUE = 3;

    /** Offset of the 64 bits in an Immediate Data message (RFC 7306 section 6.2). */
    static final int IMMEDIATE_DATA = 0;

    /** Length of an Immediate Data message in bytes. */
    static final int IMMEDIATE_LENGTH = 8;

    private static final int VERSION_SHIFT = 6;
    private static final int OPCODE_MASK = 0x0f;

    private RdmapLayout() {}

    static int control(int opcode) {
        return VERSION << VERSION_SHIFT | opcode;
    }

    static int version(int control) {
        return control >>> VERSION_SHIFT & 0x03;
    }

    static int opcode(int control) {
        return control & OPCODE_MASK;
    }
}
