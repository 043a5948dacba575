package io.iwarp.rdmap;

/**
 * The headers of Atomic Request and Atomic Response (<a href="https://www.rfc-editor.org/rfc/rfc7306#section-5.2">RFC
 * 7306 section 5.2</a>).
 *
 * <pre>
 *  Atomic Request                                    Atomic Response
 *     +--------------------------------+--------+       +-----------------------------------------+
 *  0  |  reserved (28 bits)            |AOpCode |    0  |      Original Request Identifier        |
 *     +--------------------------------+--------+       +-----------------------------------------+
 *  4  |           Request Identifier            |    4  |                                         |
 *     +-----------------------------------------+       +      Original Remote Data Value         +
 *  8  |               Remote STag               |    8  |                                         |
 *     +-----------------------------------------+       +-----------------------------------------+
 * 12  |       Remote Tagged Offset (64)         |
 *     +-----------------------------------------+
 * 20  |         Add or Swap Data (64)           |
 *     +-----------------------------------------+
 * 28  |         Add or Swap Mask (64)           |
 *     +-----------------------------------------+
 * 36  |           Compare Data (64)             |
 *     +-----------------------------------------+
 * 44  |           Compare Mask (64)             |
 *     +-----------------------------------------+
 * </pre>
 *
 * <p>The text of the RFC gives the response header 32 bytes, but its figure and fields have 12. This class uses 12.
 */
final class AtomicLayout {
    static final int REQUEST_LENGTH = 52;
    static final int OPERATION = 0;
    /** The AOpCode in the first word of a request. The other bits are reserved. */
    static final int OPERATION_MASK = 0x0f;

    static final int REQUEST_IDENTIFIER = 4;
    static final int STAG = 8;
    static final int TAGGED_OFFSET = 12;
    static final int ADD_OR_SWAP = 20;
    static final int ADD_OR_SWAP_MASK = 28;
    static final int COMPARE = 36;
    static final int COMPARE_MASK = 44;

    static final int RESPONSE_LENGTH = 12;
    static final int ORIGINAL_IDENTIFIER = 0;
    static final int ORIGINAL_VALUE = 4;

    /** AOpCode of FetchAdd. */
    static final int FETCH_ADD = 0;

    /** AOpCode of CmpSwap. */
    static final int COMPARE_SWAP = 2;

    /** Length of the target in bytes. */
    static final int OPERAND_LENGTH = 8;

    private AtomicLayout() {}
}
