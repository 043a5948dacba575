package io.iwarp;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Every error number of the iWARP protocols, as layer, error type and error code: the one registry of RFC 6580 section
 * 3 with the additions of RFC 6581 section 8. A Terminate message carries these three numbers (RFC 5040 section 4.8).
 *
 * <p>{@link #toString} gives the numbers as the RFCs write them, for example {@code 0x1/0x1/0x00}, with the name. Later
 * versions may add constants.
 */
public enum ProtocolError {
    /** Local Catastrophic Error. RFC 5040 section 4.8; any code is allowed and none has a meaning. */
    RDMAP_LOCAL_CATASTROPHIC(
            ErrorLayer.RDMAP,
            0,
            0x00,
            "Local Catastrophic Error",
            "the side that reports this cannot continue, for example without memory, or without "
                    + "a response within responseTimeout; read the log of the side that reports it"),
    /** Invalid Steering Tag. RFC 5040 section 4.8. */
    RDMAP_INVALID_STAG(
            ErrorLayer.RDMAP,
            1,
            0x00,
            "Remote Protection Error / Invalid Steering Tag",
            "a request named an STag that does not exist or was revoked; if it was not revoked on purpose, advertise "
                    + "the region again, and keep it open until the peer has finished with it"),
    /** Base or bounds violation. RFC 5040 section 4.8. */
    RDMAP_BASE_OR_BOUNDS(
            ErrorLayer.RDMAP,
            1,
            0x01,
            "Remote Protection Error / Base or bounds violation",
            "a request exceeded the bounds of its STag; take parts of the advertised buffer with "
                    + "RemoteBuffer.slice"),
    /** Access rights violation. RFC 5040 section 4.8. */
    RDMAP_ACCESS_RIGHTS(
            ErrorLayer.RDMAP,
            1,
            0x02,
            "Remote Protection Error / Access rights violation",
            "an STag does not grant the right for a request; register the region with REMOTE_READ "
                    + "for Reads, REMOTE_ATOMIC for atomics"),
    /** Steering Tag not associated with RDMAP Stream. RFC 5040 section 4.8. */
    RDMAP_STAG_NOT_ASSOCIATED(
            ErrorLayer.RDMAP,
            1,
            0x03,
            "Remote Protection Error / Steering Tag not associated with RDMAP Stream",
            "a request named an STag of another protection domain or stream; advertise a region "
                    + "of the domain of this stream, not one tied to another stream"),
    /** Tagged Offset wrap. RFC 5040 section 4.8. */
    RDMAP_TO_WRAP(
            ErrorLayer.RDMAP,
            1,
            0x04,
            "Remote Protection Error / Tagged Offset wrap",
            "tagged offset plus length of a request exceeded 2^64; take parts of the advertised "
                    + "buffer with RemoteBuffer.slice"),
    /**
     * Steering Tag cannot be invalidated. RFC 5040 section 4.8, which lists it under two error types: this one is for
     * an STag that exists.
     */
    RDMAP_STAG_NOT_INVALIDATED(
            ErrorLayer.RDMAP,
            1,
            0x09,
            "Remote Protection Error / Steering Tag cannot be invalidated",
            "a Send with Invalidate named an STag that is not tied to this stream; register the "
                    + "region with QueuePair.region, or bind a window with QueuePair.window"),
    /** Unspecified Error. RFC 5040 section 4.8. */
    RDMAP_PROTECTION_UNSPECIFIED(
            ErrorLayer.RDMAP,
            1,
            0xFF,
            "Remote Protection Error / Unspecified Error",
            "a memory access was refused for a reason without a number; read the log of the side that reports it"),
    /** Invalid RDMAP version. RFC 5040 section 4.8. */
    RDMAP_INVALID_VERSION(
            ErrorLayer.RDMAP,
            2,
            0x05,
            "Remote Operation Error / Invalid RDMAP version",
            "the RDMAP version of a message is not 1; both sides must speak RFC 5040, not the "
                    + "RDMA Consortium's version 0"),
    /** Unexpected OpCode. RFC 5040 section 4.8. */
    RDMAP_UNEXPECTED_OPCODE(
            ErrorLayer.RDMAP,
            2,
            0x06,
            "Remote Operation Error / Unexpected OpCode",
            "the opcode of a message is unknown, on the wrong queue, or responds to no request; "
                    + "atomics and Immediate Data need the setting extensions, or RFC 7306, on both sides"),
    /** Catastrophic error, localized to RDMAP Stream. RFC 5040 section 4.8, RFC 7306 section 8.2. */
    RDMAP_STREAM_CATASTROPHIC(
            ErrorLayer.RDMAP,
            2,
            0x07,
            "Remote Operation Error / Catastrophic error, localized to RDMAP Stream",
            "a request could not be executed, and this stream cannot continue; the address of an "
                    + "atomic must be a multiple of 8"),
    /** Catastrophic error, global. RFC 5040 section 4.8. */
    RDMAP_GLOBAL_CATASTROPHIC(
            ErrorLayer.RDMAP,
            2,
            0x08,
            "Remote Operation Error / Catastrophic error, global",
            "a failure concerns more than this stream, for example a reset of hardware; connect again"),
    /**
     * Steering Tag cannot be Invalidated. RFC 5040 section 4.8, which lists it under two error types: this one is for
     * an STag that does not exist.
     */
    RDMAP_UNKNOWN_STAG_NOT_INVALIDATED(
            ErrorLayer.RDMAP,
            2,
            0x09,
            "Remote Operation Error / Steering Tag cannot be Invalidated",
            "a Send with Invalidate named an STag that does not exist; name an STag "
                    + "that the peer advertised, and only once"),
    /** Unspecified Error. RFC 5040 section 4.8. */
    RDMAP_OPERATION_UNSPECIFIED(
            ErrorLayer.RDMAP,
            2,
            0xFF,
            "Remote Operation Error / Unspecified Error",
            "a message is malformed, for example a Read Response shorter than requested; compare "
                    + "the wire logs of both sides"),
    /** Local Catastrophic. RFC 5041 section 7.2. */
    DDP_LOCAL_CATASTROPHIC(
            ErrorLayer.DDP,
            0,
            0x00,
            "Local Catastrophic",
            "the DDP layer of the side that reports this failed; read the log there, and do not "
                    + "change or release posted buffers before their completion"),
    /** Invalid Steering Tag. RFC 5041 section 7.2. */
    DDP_TAGGED_INVALID_STAG(
            ErrorLayer.DDP,
            1,
            0x00,
            "Tagged Buffer Error / Invalid Steering Tag",
            "a tagged segment named an STag that does not exist, was revoked, or does not grant writing; if it was "
                    + "not revoked on purpose, advertise a region with REMOTE_WRITE, and keep it open until the "
                    + "peer has finished with it"),
    /** Base or bounds violation. RFC 5041 section 7.2. */
    DDP_TAGGED_BASE_OR_BOUNDS(
            ErrorLayer.DDP,
            1,
            0x01,
            "Tagged Buffer Error / Base or bounds violation",
            "a tagged segment exceeded the bounds of its STag; take parts of the advertised "
                    + "buffer with RemoteBuffer.slice"),
    /** Steering Tag not associated with DDP Stream. RFC 5041 section 7.2. */
    DDP_TAGGED_STAG_NOT_ASSOCIATED(
            ErrorLayer.DDP,
            1,
            0x02,
            "Tagged Buffer Error / Steering Tag not associated with DDP Stream",
            "a tagged segment named an STag of another protection domain or stream; advertise a "
                    + "region of the domain of this stream, not one tied to another stream"),
    /** Tagged Offset wrap. RFC 5041 section 7.2. */
    DDP_TAGGED_TO_WRAP(
            ErrorLayer.DDP,
            1,
            0x03,
            "Tagged Buffer Error / Tagged Offset wrap",
            "tagged offset plus length of a segment exceeded 2^64; take parts of the advertised "
                    + "buffer with RemoteBuffer.slice"),
    /** Invalid DDP version. RFC 5041 section 7.2. */
    DDP_TAGGED_INVALID_VERSION(
            ErrorLayer.DDP,
            1,
            0x04,
            "Tagged Buffer Error / Invalid DDP version",
            "the DDP version of a tagged segment is not 1; check with a capture whether the "
                    + "stream before it is intact"),
    /** Invalid Queue Number. RFC 5041 section 7.2. */
    DDP_UNTAGGED_INVALID_QN(
            ErrorLayer.DDP,
            2,
            0x01,
            "Untagged Buffer Error / Invalid Queue Number",
            "an untagged segment named a queue that does not exist; RDMAP uses the queues 0 to 3"),
    /** Invalid Message Sequence Number - no buffer available. RFC 5041 section 7.2. */
    DDP_UNTAGGED_NO_BUFFER(
            ErrorLayer.DDP,
            2,
            0x02,
            "Untagged Buffer Error / Invalid Message Sequence Number - no buffer available",
            "a Send found no receive, or a Read exceeded the IRD; post more receives before the "
                    + "peer sends, or lower the reader's ord"),
    /** Invalid Message Sequence Number - Message Sequence Number range is not valid. RFC 5041 section 7.2. */
    DDP_UNTAGGED_MSN_OUT_OF_RANGE(
            ErrorLayer.DDP,
            2,
            0x03,
            "Untagged Buffer Error / Invalid Message Sequence Number - Message Sequence Number range is not valid",
            "a message number was delivered already, or is too far ahead; post more receives, or look for "
                    + "a peer that counts incorrectly"),
    /** Invalid Message Offset. RFC 5041 section 7.2. */
    DDP_UNTAGGED_INVALID_MO(
            ErrorLayer.DDP,
            2,
            0x04,
            "Untagged Buffer Error / Invalid Message Offset",
            "a segment starts after the end of its receive; post larger receives, or send shorter messages"),
    /** DDP Message too long for available buffer. RFC 5041 section 7.2. */
    DDP_UNTAGGED_MESSAGE_TOO_LONG(
            ErrorLayer.DDP,
            2,
            0x05,
            "Untagged Buffer Error / DDP Message too long for available buffer",
            "a message is longer than its receive; post larger receives, which are used in order and not by size"),
    /** Invalid DDP version. RFC 5041 section 7.2. */
    DDP_UNTAGGED_INVALID_VERSION(
            ErrorLayer.DDP,
            2,
            0x06,
            "Untagged Buffer Error / Invalid DDP version",
            "the DDP version of an untagged segment is not 1; check with a capture whether the "
                    + "stream before it is intact"),
    /** TCP connection closed, terminated, or lost. RFC 5044 section 8. */
    MPA_CONNECTION_LOST(
            ErrorLayer.MPA,
            0,
            0x01,
            "MPA Error / TCP connection closed, terminated, or lost",
            "TCP was closed or lost unexpectedly; read the peer's log, check the network, then connect again"),
    /** MPA CRC Error. RFC 5044 section 8. */
    MPA_CRC_MISMATCH(
            ErrorLayer.MPA,
            0,
            0x02,
            "MPA Error / MPA CRC Error",
            "the CRC32C of an FPDU does not match, because bytes changed on the way or one side "
                    + "computes it incorrectly; compare captures of both sides"),
    /** MPA Marker and ULPDU Length field mismatch. RFC 5044 section 8. */
    MPA_MARKER_MISMATCH(
            ErrorLayer.MPA,
            0,
            0x03,
            "MPA Error / MPA Marker and ULPDU Length field mismatch",
            "a marker does not point to the start of its FPDU, because the sides disagree on the "
                    + "position in the stream; turn CRC on"),
    /** Invalid MPA Request Frame or MPA Response Frame. RFC 5044 section 8. */
    MPA_INVALID_STARTUP_FRAME(
            ErrorLayer.MPA,
            0,
            0x04,
            "MPA Error / Invalid MPA Request Frame or MPA Response Frame",
            "the first bytes are not the MPA frame that was expected; check that the peer speaks "
                    + "MPA, and that exactly one side is the initiator"),
    /** Local catastrophic error. RFC 6581 section 8. */
    MPA_LOCAL_CATASTROPHIC(
            ErrorLayer.MPA,
            0,
            0x05,
            "MPA Error / Local catastrophic error",
            "the side that reports this failed during the set-up, for example because its "
                    + "transport has no segment size; read the log of the side that reports it"),
    /** Insufficient IRD resources. RFC 6581 section 8. */
    MPA_INSUFFICIENT_IRD(
            ErrorLayer.MPA,
            0,
            0x06,
            "MPA Error / Insufficient IRD resources",
            "one side accepts fewer Reads at a time than the other needs; raise ird on one side, "
                    + "or lower ord on the other"),
    /** No matching RTR option. RFC 6581 section 8. */
    MPA_NO_MATCHING_RTR(
            ErrorLayer.MPA,
            0,
            0x07,
            "MPA Error / No matching RTR option",
            "the sides have no kind of ready-to-receive message in common; allow one more kind in readyToReceive");

    private static final int LAYERS = 3;
    private static final int TYPES = 16;
    private static final int CODES = 256;
    private static final @Nullable ProtocolError[] BY_NUMBER = index(values());

    private final ErrorLayer layer;
    private final int type;
    private final int code;
    private final String rfcName;
    private final String explanation;

    ProtocolError(ErrorLayer layer, int type, int code, String rfcName, String explanation) {
        this.layer = layer;
        this.type = type;
        this.code = code;
        this.rfcName = rfcName;
        this.explanation = explanation;
    }

    /** Returns the layer whose registry has this error. */
    public ErrorLayer layer() {
        return layer;
    }

    /** Returns the 4-bit Error Type, 0 to 15. */
    public int type() {
        return type;
    }

    /** Returns the 8-bit Error Code, 0 to 255. */
    public int code() {
        return code;
    }

    /** Returns the name in the registry of RFC 6580 section 3: error type, and error code if it has one. */
    public String rfcName() {
        return rfcName;
    }

    /** Returns a sentence for people: what the peer or the caller did, and after a semicolon what to do about it. */
    public String explanation() {
        return explanation;
    }

    /**
     * Returns the error with these numbers. The code of an RDMAP Local Catastrophic Error has no meaning: any code
     * finds it.
     *
     * @param layer the Layer field of a Terminate, 0 to 15
     * @param type the Error Type field, 0 to 15
     * @param code the Error Code field, 0 to 255
     * @return the error, or null if the numbers are not assigned
     */
    public static @Nullable ProtocolError find(int layer, int type, int code) {
        if (layer == ErrorLayer.RDMAP.number() && type == RDMAP_LOCAL_CATASTROPHIC.type) {
            return RDMAP_LOCAL_CATASTROPHIC;
        }
        if (layer < 0 || layer >= LAYERS || type < 0 || type >= TYPES || code < 0 || code >= CODES) {
            return null;
        }
        return BY_NUMBER[slot(layer, type, code)];
    }

    /** Returns the numbers as layer/type/code, and the registered name. */
    @Override
    public String toString() {
        return numbers() + " " + rfcName;
    }

    /** Returns the numbers as layer/type/code, for example {@code 0x1/0x1/0x00}. */
    public String numbers() {
        return String.format(Locale.ROOT, "0x%x/0x%x/0x%02x", layer.number(), type, code);
    }

    private static int slot(int layer, int type, int code) {
        return (layer * TYPES + type) * CODES + code;
    }

    /** Fails if two errors have the same numbers, because they could not be distinguished on the wire. */
    private static @Nullable ProtocolError[] index(ProtocolError[] errors) {
        @Nullable ProtocolError[] table = new @Nullable ProtocolError[LAYERS * TYPES * CODES];
        for (ProtocolError error : errors) {
            int slot = slot(error.layer.number(), error.type, error.code);
            ProtocolError other = table[slot];
            if (other != null) {
                throw new IllegalStateException(error.name() + " and " + other.name() + " have the same numbers");
            }
            table[slot] = error;
        }
        return table;
    }
}
