package io.iwarp.conformance.model;

import io.iwarp.conformance.judge.Role;

/** A rule that the model peer breaks, and the cases that have to find it: a pattern of their ids. */
enum Fault {
    // The Request, as a server sees it.
    KEY_BYTE_UNCHECKED(Role.SERVER, "mpa.request.key.7"),
    REVISION_UNCHECKED(Role.SERVER, "mpa.request.revision.3"),
    RESERVED_FLAG_REFUSED(Role.SERVER, "mpa.request.reserved.1.*"),
    REJECTED_BIT_REFUSED(Role.SERVER, "mpa.request.rejected.*"),
    RESERVED_FLAGS_ECHOED(Role.SERVER, "mpa.reply.reserved.1"),
    PRIVATE_DATA_LIMITED(Role.SERVER, "mpa.request.private.*"),
    PRIVATE_DATA_UNLIMITED(Role.SERVER, "mpa.request.private.513"),
    ENHANCED_SHORT_TAKEN(Role.SERVER, "mpa.request.enhanced.short.*"),
    SPEAKS_FIRST(Role.SERVER, "mpa.reply.only-after-request"),
    SENDS_BEHIND_REPLY(Role.SERVER, "mpa.reply.nothing-behind"),
    ORD_TOO_HIGH(Role.SERVER, "setup.request.ird.0"),
    IRD_AGREED_UNASKED(Role.SERVER, "setup.request.ord.16383"),
    ORD_AGREED_UNASKED(Role.SERVER, "setup.request.ird.16383"),
    NO_KIND_OFFERED(Role.SERVER, "setup.request.peer-to-peer.b"),
    PEER_TO_PEER_UNASKED(Role.SERVER, "setup.request.client-server.*"),
    ENHANCED_UNASKED(Role.SERVER, "mpa.request.revision.2.plain"),

    // The Reply, as a client sees it, and its own Request.
    REPLY_KEY_BYTE_UNCHECKED(Role.CLIENT, "mpa.reply.key.9"),
    REPLY_REVISION_UNCHECKED(Role.CLIENT, "mpa.reply.revision.3"),
    DOES_NOT_WAIT_FOR_REPLY(Role.CLIENT, "mpa.request.waits"),
    REQUEST_WITH_REJECTED_BIT(Role.CLIENT, "mpa.request.rejected"),
    REQUEST_WITH_RESERVED_FLAGS(Role.CLIENT, "mpa.request.reserved"),
    KINDS_WITHOUT_PEER_TO_PEER(Role.CLIENT, "setup.request.kinds"),
    REPLY_REFUSED_BY_TERMINATE(Role.CLIENT, "mpa.reply.*"),
    GOES_ON_AFTER_REJECTION(Role.CLIENT, "mpa.reply.rejected.*"),
    REPLY_PRIVATE_DATA_UNLIMITED(Role.CLIENT, "mpa.reply.private.513"),

    // FPDUs that come.
    CRC_BYTE_UNCHECKED(Role.SERVER, "mpa.crc.*"),
    ACTS_AFTER_ERROR(Role.SERVER, "mpa.crc.nothing-after"),
    PADDING_CHECKED(Role.SERVER, "mpa.padding.*"),
    SHORT_ULPDU_IGNORED(Role.SERVER, "mpa.length.tagged.5"),
    CUT_LOSES_BYTES(Role.SERVER, "mpa.cut.*"),
    MARKER_RESERVED_CHECKED(Role.SERVER, "mpa.marker.ignored.*.reserved"),
    MARKER_LOW_BITS_CHECKED(Role.SERVER, "mpa.marker.ignored.*.low.*"),
    MARKER_POINTER_UNCHECKED(Role.SERVER, "mpa.marker.wrong.*"),

    // What is sent.
    MARKER_RESERVED_SET(Role.SERVER, "rule.marker-reserved-is-zero"),
    MARKER_POINTER_WRONG(Role.SERVER, "rule.marker-points-back"),
    FIRST_MARKER_WRONG(Role.SERVER, "rule.first-marker-is-zero"),
    PADDING_NOT_ZERO(Role.SERVER, "rule.pad-is-zero"),
    CRC_LEFT_OUT(Role.SERVER, "rule.crc-is-right"),
    CRC_WRONG(Role.SERVER, "rule.crc-is-right"),
    DDP_RESERVED_SET(Role.SERVER, "rule.ddp-reserved-is-zero"),
    RDMAP_RESERVED_SET(Role.SERVER, "rule.rdmap-reserved-is-zero"),
    DDP_VERSION_ZERO(Role.SERVER, "rule.ddp-version-is-one"),
    RDMAP_VERSION_ZERO(Role.SERVER, "rule.rdmap-version-is-one"),
    MSN_FROM_ZERO(Role.SERVER, "rule.msn-counts"),
    MO_NOT_ZERO(Role.SERVER, "rule.first-mo-is-zero"),
    INVALIDATE_STAG_SET(Role.SERVER, "rule.invalidate-stag-is-zero"),
    SEND_ON_WRONG_QUEUE(Role.SERVER, "rule.opcode-is-in-its-place"),
    TO_STANDS_STILL(Role.SERVER, "rule.to-advances"),
    STAG_CHANGES(Role.SERVER, "rule.stag-stays"),
    MESSAGES_MIXED(Role.SERVER, "rule.messages-are-not-mixed"),
    READ_REQUEST_TOO_LONG(Role.SERVER, "rule.header-message-length"),
    ENDS_INSIDE_FPDU(Role.SERVER, "rule.fin-is-between-fpdus"),
    TERMINATE_RESERVED_SET(Role.SERVER, "rule.terminate-reserved-is-zero"),
    TERMINATE_WITHOUT_HEADERS(Role.SERVER, "rule.terminate-has-what-its-bits-say"),
    SENDS_AFTER_TERMINATE(Role.SERVER, "rule.nothing-follows-terminate"),
    TERMINATE_WITHOUT_M(Role.SERVER, "rdmap.terminate.bits.*"),
    TERMINATE_LENGTH_OF_PAYLOAD(Role.SERVER, "rdmap.terminate.quote.*"),
    TERMINATE_QUOTES_OTHER_HEADER(Role.SERVER, "rdmap.terminate.quote.*"),

    // Segments that come.
    QUEUE_4_TAKEN(Role.SERVER, "ddp.queue.4"),
    MSN_ZERO_TAKEN(Role.SERVER, "ddp.msn.send.0"),
    OLD_MSN_TAKEN(Role.SERVER, "ddp.msn.send.again"),
    MO_UNCHECKED(Role.SERVER, "ddp.mo.ffffffff"),
    TOO_LONG_IS_NO_BUFFER(Role.SERVER, "ddp.too-long.*"),
    VERSION_CODE_WRONG(Role.SERVER, "ddp.version.send.*"),
    VERSION_3_TAKEN(Role.SERVER, "ddp.version.write.empty.3"),
    DDP_RESERVED_CHECKED(Role.SERVER, "ddp.reserved.*"),
    RDMAP_RESERVED_CHECKED(Role.SERVER, "rdmap.reserved.*"),
    INVALIDATE_STAG_CHECKED(Role.SERVER, "rdmap.invalidate.ignored.*"),
    OPCODE_12_TAKEN(Role.SERVER, "rdmap.opcode.12.queue-0"),
    UNTAGGED_WRITE_TAKEN(Role.SERVER, "rdmap.opcode.0.queue-0"),
    RDMAP_VERSION_3_TAKEN(Role.SERVER, "rdmap.version.*.3"),
    EMPTY_WRITE_CHECKED(Role.SERVER, "ddp.write.empty.ffffffff.*"),
    WRITE_TO_STAG_1_TAKEN(Role.SERVER, "ddp.stag.write.1"),
    WRITE_BOUND_OFF_BY_ONE(Role.CLIENT, "ddp.write.*"),
    READ_BOUND_OFF_BY_ONE(Role.CLIENT, "rdmap.read.behind.*"),
    READ_BRINGS_OTHER_BYTES(Role.CLIENT, "rdmap.read.inside.3.5"),
    EMPTY_READ_CHECKED(Role.SERVER, "rdmap.read.empty.*.ffffffff"),
    READ_SINK_NOT_ECHOED(Role.SERVER, "rdmap.read.empty.deadbeef.*"),
    EMPTY_READ_BRINGS_BYTES(Role.SERVER, "rdmap.read.empty.1.*"),
    READ_ERROR_OF_DDP(Role.SERVER, "rdmap.read.*"),
    LONG_READ_REQUEST_TAKEN(Role.SERVER, "rdmap.read.long.29"),
    TERMINATE_ANSWERED(Role.SERVER, "rdmap.terminate.received.code.f.f.ff"),
    TERMINATE_IGNORED(Role.SERVER, "rdmap.terminate.received.reserved"),
    FIN_IGNORED(Role.SERVER, "teardown.fin.set-up"),
    RESET_IGNORED(Role.CLIENT, "teardown.reset.*"),
    RESPONSE_STAG_UNCHECKED(Role.SERVER, "ddp.flip.stag.response.*"),
    SECOND_RESPONSE_TAKEN(Role.SERVER, "rdmap.response.twice"),
    EMPTY_SEGMENT_LOST(Role.SERVER, "ddp.segments.send.0"),
    SOLICITED_REFUSED(Role.SERVER, "*.solicited*"),
    IMMEDIATE_SILENTLY_DROPPED(Role.SERVER, "rdmap.opcode.9.queue-1");

    private final Role role;
    private final String owner;

    Fault(Role role, String owner) {
        this.role = role;
        this.owner = owner;
    }

    /** Returns the role in which it is planted. */
    Role role() {
        return role;
    }

    /** Returns the pattern of the cases that own it. */
    String owner() {
        return owner;
    }

    /** Returns whether it shows only if neither side asks for CRCs, but in some cases the suite does. */
    boolean needsNoCrc() {
        return this == CRC_LEFT_OUT;
    }

    /** Returns whether it shows only if both sides want markers. */
    boolean needsMarkers() {
        return name().startsWith("MARKER") || this == FIRST_MARKER_WRONG;
    }
}
