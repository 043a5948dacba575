package io.iwarp.conformance.wire;

import java.util.List;

/** What all that a peer sends has to obey. Each rule has a case of its own; the other cases look past it. */
public enum Rule {
    /** PAD. */
    PAD_IS_ZERO("PAD is zero", "MPA-11"),
    /** CRC. */
    CRC_IS_RIGHT("the CRC of each FPDU is right", "MPA-36", "MPA-38", "MPA-39"),
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
    FIRST_MO_IS_ZERO("the MO of a message's first segment is 0", "DDP-22"),
    /** The MO of further segments. */
    MO_ADVANCES("the MO of a segment is its place in the message", "DDP-28"),
    /** The TO of further segments. */
    TO_ADVANCES("the TO of a segment is the start plus its place in the message", "DDP-29", "RDMAP-32"),
    /** The STag of further segments. */
    STAG_STAYS("all segments of a message have the same STag", "DDP-18"),
    /** Segments of other messages in between. */
    MESSAGES_ARE_NOT_MIXED("the segments of two messages are not mixed", "DDP-33"),
    /** RV. */
    RDMAP_VERSION_IS_ONE("RV is 1", "RDMAP-7"),
    /** The reserved bits of RDMAP. */
    RDMAP_RESERVED_IS_ZERO("the reserved bits of RDMAP are zero", "RDMAP-8"),
    /** The field Invalidate STag. */
    INVALIDATE_STAG_IS_ZERO("the field Invalidate STag is zero where nothing is invalidated", "RDMAP-5"),
    /** T and QN. */
    OPCODE_IS_IN_ITS_PLACE("each opcode has its T bit and its queue", "RDMAP-2", "RDMAP-6"),
    /** The length of messages that are one header. */
    HEADER_MESSAGE_LENGTH("a Read Request has 28 bytes, and is one segment", "RDMAP-18", "RDMAP-9"),
    /** The reserved bits of a Terminate. */
    TERMINATE_RESERVED_IS_ZERO("the 13 reserved bits of a Terminate are zero", "RDMAP-49"),
    /** The length of a Terminate. */
    TERMINATE_HAS_WHAT_ITS_BITS_SAY("a Terminate carries the headers that M, D and R announce", "RDMAP-51"),
    /** What follows a Terminate. */
    NOTHING_FOLLOWS_TERMINATE("nothing follows a Terminate", "RDMAP-45"),
    /** Who closes a stream, closes it between FPDUs. */
    FIN_IS_BETWEEN_FPDUS("a connection ends between two FPDUs", "MPA-81", "DDP-47");

    private final String text;

    @SuppressWarnings("ImmutableEnumChecker") // it is made by List.of
    private final List<String> requirements;

    Rule(String text, String... requirements) {
        this.text = text;
        this.requirements = List.of(requirements);
    }

    /** {@return the rule in words} */
    public String text() {
        return text;
    }

    /** {@return the ids of the requirements it comes from} */
    public List<String> requirements() {
        return requirements;
    }
}
