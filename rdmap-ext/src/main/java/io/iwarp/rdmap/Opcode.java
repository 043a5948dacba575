package io.iwarp.rdmap;

import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.UntaggedBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The RDMAP message types and how each travels: tagged, or untagged on one queue (<a
 * href="https://www.rfc-editor.org/rfc/rfc5040#section-4.3">RFC 5040 section 4.3</a>, figure 4; <a
 * href="https://www.rfc-editor.org/rfc/rfc7306#section-4.1">RFC 7306 section 4.1</a>). The type is in the RDMAP control
 * byte, the first byte of DDP's RsvdULP field (RFC 5040 section 4.1):
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
public enum Opcode {
    /** RDMA Write: payload goes into a tagged buffer of the peer. */
    RDMA_WRITE(0x0, Opcode.TAGGED),
    /** RDMA Read Request. */
    READ_REQUEST(0x1, Opcode.REQUEST_QUEUE),
    /** RDMA Read Response: payload goes into the tagged buffer that the Read Request named. */
    READ_RESPONSE(0x2, Opcode.TAGGED),
    /** Send: a message that consumes one receive of the peer. */
    SEND(0x3, Opcode.SEND_QUEUE),
    /** Send with Invalidate: also invalidates an STag of the peer. */
    SEND_WITH_INVALIDATE(0x4, Opcode.SEND_QUEUE),
    /** Send with Solicited Event: requests an event at the peer. */
    SEND_WITH_SOLICITED_EVENT(0x5, Opcode.SEND_QUEUE),
    /** Send with Solicited Event and Invalidate. */
    SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE(0x6, Opcode.SEND_QUEUE),
    /** Terminate: the last message of a stream, with the error that ends it. */
    TERMINATE(0x7, Opcode.TERMINATE_QUEUE),
    /** Immediate Data (RFC 7306 section 6). */
    IMMEDIATE_DATA(0x8, Opcode.SEND_QUEUE),
    /** Immediate Data with Solicited Event. */
    IMMEDIATE_DATA_WITH_SOLICITED_EVENT(0x9, Opcode.SEND_QUEUE),
    /** Atomic Request (RFC 7306 section 5). */
    ATOMIC_REQUEST(0xa, Opcode.REQUEST_QUEUE),
    /** Atomic Response. */
    ATOMIC_RESPONSE(0xb, Opcode.ATOMIC_RESPONSE_QUEUE);

    /** RV (RDMAP version) of the IETF protocol suite. */
    static final int VERSION = 1;
    /** Length of an Immediate Data message in bytes (RFC 7306 section 6.2). */
    static final int IMMEDIATE_LENGTH = 8;

    private static final int TAGGED = -1;
    private static final int SEND_QUEUE = 0;
    private static final int REQUEST_QUEUE = 1;
    private static final int TERMINATE_QUEUE = 2;
    /** RFC 7306 section 4.1. */
    private static final int ATOMIC_RESPONSE_QUEUE = 3;

    private static final int VERSION_SHIFT = 6;
    private static final int CODE_MASK = 0x0f;
    private static final @Nullable Opcode[] BY_CODE = new Opcode[16];

    static {
        for (Opcode opcode : values()) {
            BY_CODE[opcode.code] = opcode;
        }
    }

    private final int code;
    private final int queue;

    Opcode(int code, int queue) {
        this.code = code;
        this.queue = queue;
    }

    /** Returns the four-bit value on the wire. */
    public int code() {
        return code;
    }

    /** Returns whether the message is a DDP tagged message. */
    public boolean tagged() {
        return queue == TAGGED;
    }

    /** Returns whether the message is an extension of RFC 7306. */
    boolean extension() {
        return code >= IMMEDIATE_DATA.code;
    }

    /** Returns whether this is Immediate Data, with or without a solicited event. */
    public boolean immediate() {
        return this == IMMEDIATE_DATA || this == IMMEDIATE_DATA_WITH_SOLICITED_EVENT;
    }

    /** Returns whether the message requests an event at its receiver. */
    public boolean solicited() {
        return this == SEND_WITH_SOLICITED_EVENT
                || this == SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE
                || this == IMMEDIATE_DATA_WITH_SOLICITED_EVENT;
    }

    /** Returns whether the message invalidates an STag of its receiver. */
    public boolean invalidates() {
        return this == SEND_WITH_INVALIDATE || this == SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE;
    }

    /** Returns whether a segment is tagged, or on the untagged queue, as this message type requires. */
    boolean isOnItsQueue(DdpSegment segment) {
        return segment.tagged() ? tagged() : isSentOn(segment.queueNumber());
    }

    /** Returns whether messages of this type are untagged and travel on the given queue. */
    boolean isSentOn(int queueNumber) {
        return queue == queueNumber;
    }

    /** Returns the untagged queue number. Valid for untagged messages only. */
    int queue() {
        return queue;
    }

    /** Returns the RDMAP control byte of this message type, version 1. */
    public int control() {
        return VERSION << VERSION_SHIFT | code;
    }

    /** Returns the message type that a control byte names, or null if it is not assigned. */
    static @Nullable Opcode of(int control) {
        return BY_CODE[codeOf(control)];
    }

    /** Returns the message type of a delivered message. */
    public static Opcode of(UntaggedBuffer delivered) {
        Opcode opcode = of(delivered.control());
        if (opcode == null) {
            throw new IllegalArgumentException("not a delivered message: control byte " + delivered.control());
        }
        return opcode;
    }

    /** Returns whether a control byte announces Immediate Data. */
    public static boolean isImmediate(int control) {
        Opcode opcode = of(control);
        return opcode != null && opcode.immediate();
    }

    /** Returns the four-bit opcode of a control byte, assigned or not. */
    static int codeOf(int control) {
        return control & CODE_MASK;
    }

    /** Returns the RDMAP version of a control byte. */
    static int versionOf(int control) {
        return control >>> VERSION_SHIFT & 0x03;
    }
}
