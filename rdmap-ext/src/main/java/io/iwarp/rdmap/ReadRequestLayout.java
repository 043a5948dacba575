package io.iwarp.rdmap;

/**
 * The header of a Read Request (<a href="https://www.rfc-editor.org/rfc/rfc5040#section-4.4">RFC 5040 section 4.4</a>).
 *
 * <pre>
 *      0                   1                   2                   3
 *      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  0  |                     Data Sink STag (SinkSTag)                 |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  4  |                                                               |
 *     +                  Data Sink Tagged Offset (SinkTO)             +
 *  8  |                                                               |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * 12  |                  RDMA Read Message Size (RDMARDSZ)            |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * 16  |                     Data Source STag (SrcSTag)                |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * 20  |                                                               |
 *     +                  Data Source Tagged Offset (SrcTO)            +
 * 24  |                                                               |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
final class ReadRequestLayout {
    static final int LENGTH = 28;
    static final int SINK_STAG = 0;
    static final int SINK_TAGGED_OFFSET = 4;
    static final int MESSAGE_SIZE = 12;
    static final int SOURCE_STAG = 16;
    static final int SOURCE_TAGGED_OFFSET = 20;

    private ReadRequestLayout() {}
}
