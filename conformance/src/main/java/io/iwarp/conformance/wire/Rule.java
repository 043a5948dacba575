package io.iwarp.conformance.wire;

import java.util.List;

/**
 * The rules that each message of a peer has to follow, in any case. A rule has a case of its own, which fails if a
 * message broke the rule.
 */
public enum Rule {
    /** PAD. */
    PAD_IS_ZERO("PAD is zero", "MPA-11"),
    /** CRC. */
    CRC_IS_RIGHT("the CRC of each FPDU is right", "MPA-32", "MPA-36", "MPA-38", "MPA-39", "MPA-9", "MPA-10"),
    /** ULPDU_Length. */
    LENGTH_IS_ALLOWED("no ULPDU is longer than 64768 bytes", "MPA-4"),
    /** A marker where none belongs to an FPDU. */
    FIRST_MARKER_IS_ZERO("a marker in front of an FPDU is 00 00 00 00", "MPA-18", "MPA-21"),
    /** FPDUPTR. */
    MARKER_POINTS_BACK("FPDUPTR is the distance to ULPDU_Length", "MPA-17", "MPA-20", "MPA-22"),
    /** The reserved half of a marker. */
    MARKER_RESERVED_IS_ZERO("the reserved half of a marker is zero", "MPA-14"),
    /** DV. */
    DDP_VERSION_IS_ONE("DV is 1", "DDP-15"),
    /** The reserved bits of DDP. */
    DDP_RESERVED_IS_ZERO("the reserved bits of DDP are zero", "DDP-14"),
    /** Segments shorter than a header. */
    HEADER_IS_WHOLE("a segment has a whole DDP header", "DDP-23"),
    /** MSN. */
    MSN_COUNTS("the MSN of each queue starts at 1 and counts messages", "DDP-21"),
    /** The MO of a first segment. */
    FIRST_MO_IS_ZERO("the MO of a message's first segment is 0", "DDP-22", "DDP-13"),
    /** The MO of further segments. */
    MO_ADVANCES("the MO of a segment is its place in the message", "DDP-28"),
    /** The TO of further segments. */
    TO_ADVANCES("the TO of a segment is the start plus its place in the message", "DDP-29", "DDP-34", "RDMAP-32"),
    /** The STag of further segments. */
    STAG_STAYS("all segments of a message have the same STag", "DDP-18"),
    /** Segments of other messages in between. */
    MESSAGES_ARE_NOT_MIXED("the segments of two messages are not mixed", "DDP-33", "RDMAP-13"),
    /** RV. */
    RDMAP_VERSION_IS_ONE("RV is 1", "RDMAP-7", "MPA-8"),
    /** The reserved bits of RDMAP. */
    RDMAP_RESERVED_IS_ZERO("the reserved bits of RDMAP are zero", "RDMAP-8"),
    /** The field Invalidate STag. */
    INVALIDATE_STAG_IS_ZERO("the field Invalidate STag is zero where nothing is invalidated", "RDMAP-5"),
    /** T and QN. */
    OPCODE_IS_IN_ITS_PLACE(
            "each opcode has its T bit and its queue",
            "RDMAP-1",
            "RDMAP-2",
            "RDMAP-3",
            "RDMAP-6",
            "RDMAP-11",
            "DDP-11",
            "DDP-20"),
    /** The length of messages that are one header. */
    HEADER_MESSAGE_LENGTH(
            "a message that is a header has its length, and is one segment",
            "RDMAP-9",
            "RDMAP-18",
            "RDMAP-42",
            "EXT-18",
            "EXT-29"),
    /** The reserved bits of a Terminate. */
    TERMINATE_RESERVED_IS_ZERO("the 13 reserved bits of a Terminate are zero", "RDMAP-49"),
    /** The length of a Terminate. */
    TERMINATE_HAS_WHAT_ITS_BITS_SAY("a Terminate carries the headers that M, D and R announce", "RDMAP-51"),
    /** What a Terminate says. */
    TERMINATE_ERROR_IS_REGISTERED("layer, type and code of a Terminate are registered", "RDMAP-48", "DDP-68"),
    /** The headers in a Terminate. */
    TERMINATE_QUOTES_WHAT_WAS_SENT(
            "a Terminate quotes length and headers of a segment that was sent", "RDMAP-48", "RDMAP-51", "RDMAP-52"),
    /** Which headers a Terminate has. */
    TERMINATE_BITS_FIT_ITS_ERROR("the bits M, D and R of a Terminate are those of its error", "RDMAP-50", "EXT-32"),
    /** Read Responses and Atomic Responses. */
    RESPONSES_ANSWER_REQUESTS(
            "each response is the one to the oldest request that is not answered, and as long as asked",
            "RDMAP-23",
            "RDMAP-29",
            "RDMAP-32",
            "RDMAP-69",
            "EXT-12",
            "EXT-23"),
    /** How many Reads the peer has under way. */
    READS_STAY_WITHIN_IRD("the peer has no more Reads under way than the set-up allows", "RDMAP-73", "SETUP-11"),
    /** The first FPDU of a responder. */
    RESPONDER_WAITS("a server sends no FPDU before it has validated one", "MPA-72"),
    /** What follows a Terminate. */
    NOTHING_FOLLOWS_TERMINATE("nothing follows a Terminate", "RDMAP-45"),
    /** Who closes a stream, closes it between FPDUs. */
    FIN_IS_BETWEEN_FPDUS("a connection ends between two FPDUs", "MPA-1", "MPA-81", "DDP-47");

    private final String text;

    @SuppressWarnings("ImmutableEnumChecker") // it is made by List.of
    private final List<String> requirements;

    Rule(String text, String... requirements) {
        this.text = text;
        this.requirements = List.of(requirements);
    }

    /** Returns the rule in words. */
    public String text() {
        return text;
    }

    /** Returns the ids of the requirements it comes from. */
    public List<String> requirements() {
        return requirements;
    }
}
