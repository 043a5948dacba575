package io.iwarp.conformance.wire;

import java.util.Arrays;
import java.util.Locale;

/**
 * A DDP segment with its RDMAP control byte (RFC 5041 section 4, RFC 5040 section 4), right or wrong. A fresh one is
 * right; the methods that are named like fields change it.
 */
public final class Segment {
    /** Bytes of the header of a tagged segment. */
    public static final int TAGGED_HEADER = 14;
    /** Bytes of the header of an untagged segment. */
    public static final int UNTAGGED_HEADER = 18;
    /** The opcode of an RDMA Write. */
    public static final int WRITE = 0;
    /** The opcode of an RDMA Read Request. */
    public static final int READ_REQUEST = 1;
    /** The opcode of an RDMA Read Response. */
    public static final int READ_RESPONSE = 2;
    /** The opcode of a Send. */
    public static final int SEND = 3;
    /** The opcode of a Send with Invalidate. */
    public static final int SEND_INVALIDATE = 4;
    /** The opcode of a Send with Solicited Event. */
    public static final int SEND_SOLICITED = 5;
    /** The opcode of a Send with Solicited Event and Invalidate. */
    public static final int SEND_SOLICITED_INVALIDATE = 6;
    /** The opcode of a Terminate. */
    public static final int TERMINATE = 7;
    /** The opcode of Immediate Data. */
    public static final int IMMEDIATE = 8;
    /** The opcode of Immediate Data with Solicited Event. */
    public static final int IMMEDIATE_SOLICITED = 9;
    /** The opcode of an Atomic Request. */
    public static final int ATOMIC_REQUEST = 10;
    /** The opcode of an Atomic Response. */
    public static final int ATOMIC_RESPONSE = 11;

    private static final String[] NAMES = {
        "RDMA Write",
        "Read Request",
        "Read Response",
        "Send",
        "Send with Invalidate",
        "Send with SE",
        "Send with SE and Invalidate",
        "Terminate",
        "Immediate Data",
        "Immediate Data with SE",
        "Atomic Request",
        "Atomic Response",
        "opcode C",
        "opcode D",
        "opcode E",
        "opcode F",
    };

    private final boolean tagged;
    private final int opcode;
    private boolean last = true;
    private int ddpReserved;
    private int ddpVersion = 1;
    private int rdmapVersion = 1;
    private int rdmapReserved;
    private long stag;
    private long offset;
    private long queue;
    private long msn;
    private long messageOffset;
    private byte[] payload;

    private Segment(boolean tagged, int opcode, byte[] payload) {
        this.tagged = tagged;
        this.opcode = opcode;
        this.payload = payload;
    }

    /** Returns a tagged segment of any opcode. */
    public static Segment tagged(int opcode, long stag, long offset, byte[] payload) {
        return new Segment(true, opcode, payload).stag(stag).offset(offset);
    }

    /** Returns an untagged segment of any opcode. */
    public static Segment untagged(int opcode, long queue, long msn, byte[] payload) {
        return new Segment(false, opcode, payload).queue(queue).msn(msn);
    }

    /** Returns a Send. */
    public static Segment send(long msn, byte[] payload) {
        return untagged(SEND, 0, msn, payload);
    }

    /** Returns a Read Request. */
    public static Segment readRequest(long msn, ReadRequest request) {
        return untagged(READ_REQUEST, 1, msn, request.encode());
    }

    /** Returns a Terminate. */
    public static Segment terminate(byte[] payload) {
        return untagged(TERMINATE, 2, 1, payload);
    }

    /** Returns the segment in a ULPDU, which has at least a whole header: see {@link #fits}. */
    public static Segment decode(byte[] ulpdu) {
        int ddp = Bytes.u8(ulpdu, 0);
        int rdmap = Bytes.u8(ulpdu, 1);
        boolean tagged = (ddp & 0x80) != 0;
        int header = tagged ? TAGGED_HEADER : UNTAGGED_HEADER;
        Segment segment = new Segment(tagged, rdmap & 0x0F, Arrays.copyOfRange(ulpdu, header, ulpdu.length));
        segment.last = (ddp & 0x40) != 0;
        segment.ddpReserved = ddp >> 2 & 0x0F;
        segment.ddpVersion = ddp & 0x03;
        segment.rdmapVersion = rdmap >> 6;
        segment.rdmapReserved = rdmap >> 4 & 0x03;
        segment.stag = Bytes.u32(ulpdu, 2);
        if (tagged) {
            segment.offset = Bytes.u64(ulpdu, 6);
        } else {
            segment.queue = Bytes.u32(ulpdu, 6);
            segment.msn = Bytes.u32(ulpdu, 10);
            segment.messageOffset = Bytes.u32(ulpdu, 14);
        }
        return segment;
    }

    /** Returns whether a ULPDU is long enough for its header. */
    public static boolean fits(byte[] ulpdu) {
        return ulpdu.length >= 2 && ulpdu.length >= ((ulpdu[0] & 0x80) != 0 ? TAGGED_HEADER : UNTAGGED_HEADER);
    }

    /** Returns the ULPDU. */
    public byte[] encode() {
        byte[] control = {
            (byte) ((tagged ? 0x80 : 0) | (last ? 0x40 : 0) | ddpReserved << 2 | ddpVersion),
            (byte) (rdmapVersion << 6 | rdmapReserved << 4 | opcode)
        };
        return tagged
                ? Bytes.join(control, Bytes.u32(stag), Bytes.u64(offset), payload)
                : Bytes.join(
                        control, Bytes.u32(stag), Bytes.u32(queue), Bytes.u32(msn), Bytes.u32(messageOffset), payload);
    }

    /** Sets the bit L. */
    public Segment last(boolean value) {
        last = value;
        return this;
    }

    /** Sets the four reserved bits of DDP. */
    public Segment ddpReserved(int value) {
        ddpReserved = value;
        return this;
    }

    /** Sets DV. */
    public Segment ddpVersion(int value) {
        ddpVersion = value;
        return this;
    }

    /** Sets RV. */
    public Segment rdmapVersion(int value) {
        rdmapVersion = value;
        return this;
    }

    /** Sets the two reserved bits of RDMAP. */
    public Segment rdmapReserved(int value) {
        rdmapReserved = value;
        return this;
    }

    /** Sets the STag; of an untagged segment the field Invalidate STag. */
    public Segment stag(long value) {
        stag = value & 0xFFFF_FFFFL;
        return this;
    }

    /** Sets the tagged offset. */
    public Segment offset(long value) {
        offset = value;
        return this;
    }

    /** Sets QN. */
    public Segment queue(long value) {
        queue = value;
        return this;
    }

    /** Sets MSN. */
    public Segment msn(long value) {
        msn = value;
        return this;
    }

    /** Sets MO. */
    public Segment messageOffset(long value) {
        messageOffset = value;
        return this;
    }

    /** Sets what follows the DDP header. */
    public Segment payload(byte[] value) {
        payload = value;
        return this;
    }

    /** Returns the bit T. */
    public boolean tagged() {
        return tagged;
    }

    /** Returns the bit L. */
    public boolean last() {
        return last;
    }

    /** Returns the opcode. */
    public int opcode() {
        return opcode;
    }

    /** Returns DV. */
    public int ddpVersion() {
        return ddpVersion;
    }

    /** Returns RV. */
    public int rdmapVersion() {
        return rdmapVersion;
    }

    /** Returns the four reserved bits of DDP. */
    public int ddpReserved() {
        return ddpReserved;
    }

    /** Returns the two reserved bits of RDMAP. */
    public int rdmapReserved() {
        return rdmapReserved;
    }

    /** Returns the STag, or the field Invalidate STag. */
    public long stag() {
        return stag;
    }

    /** Returns the tagged offset. */
    public long offset() {
        return offset;
    }

    /** Returns QN. */
    public long queue() {
        return queue;
    }

    /** Returns MSN. */
    public long msn() {
        return msn;
    }

    /** Returns MO. */
    public long messageOffset() {
        return messageOffset;
    }

    /** Returns what follows the DDP header. */
    public byte[] payload() {
        return payload;
    }

    /** Returns the name of an opcode. */
    public static String name(int opcode) {
        return NAMES[opcode];
    }

    /** Returns the segment in one line. */
    public String describe() {
        String place = tagged
                ? String.format(Locale.ROOT, "tagged, STag %08x, TO %x", stag, offset)
                : String.format(Locale.ROOT, "QN %d, MSN %d, MO %d", queue, msn, messageOffset)
                        + (stag == 0 ? "" : String.format(Locale.ROOT, ", Invalidate STag %08x", stag));
        String versions = ddpVersion == 1 && rdmapVersion == 1 ? "" : ", DV " + ddpVersion + ", RV " + rdmapVersion;
        String text =
                NAMES[opcode] + ", " + place + (last ? "" : ", L=0") + versions + ", " + payload.length + " bytes";
        if (opcode == READ_REQUEST && payload.length >= ReadRequest.LENGTH) {
            return text + ": " + ReadRequest.decode(payload).describe();
        }
        return opcode == TERMINATE && payload.length >= Integer.BYTES
                ? text + ": " + TerminateMessage.decode(payload).describe()
                : text;
    }
}
