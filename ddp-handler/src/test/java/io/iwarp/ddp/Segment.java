package io.iwarp.ddp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A segment that a scripted peer sends. What is not said is legal: DDP version 1, reserved bits zero, last of its
 * message, message offset 0, no payload, and a Write or a Send by its control byte.
 */
final class Segment {
    private static final int WRITE = 0x40;
    private static final int SEND = 0x43;

    private final boolean tagged;
    private int first = DdpLayout.LAST_FLAG | DdpLayout.VERSION;
    private int control;
    private int rsvdUlp;
    private int stag;
    private long taggedOffset;
    private int queueNumber;
    private int msn;
    private int messageOffset;
    private byte[] payload = {};

    private Segment(boolean tagged, int control) {
        this.tagged = tagged;
        this.control = control;
    }

    static Segment tagged(int stag, long taggedOffset) {
        Segment segment = new Segment(true, WRITE);
        segment.first |= DdpLayout.TAGGED_FLAG;
        segment.stag = stag;
        segment.taggedOffset = taggedOffset;
        return segment;
    }

    static Segment untagged(int queueNumber, int msn) {
        Segment segment = new Segment(false, SEND);
        segment.queueNumber = queueNumber;
        segment.msn = msn;
        return segment;
    }

    Segment notLast() {
        first &= ~DdpLayout.LAST_FLAG;
        return this;
    }

    Segment version(int version) {
        first = (first & ~DdpLayout.VERSION_MASK) | version;
        return this;
    }

    Segment reservedBits() {
        first |= DdpLayout.RESERVED_MASK;
        return this;
    }

    Segment control(int oneByte) {
        control = oneByte;
        return this;
    }

    Segment rsvdUlp(int rest) {
        rsvdUlp = rest;
        return this;
    }

    Segment messageOffset(long offset) {
        messageOffset = (int) offset;
        return this;
    }

    Segment payload(byte... bytes) {
        payload = bytes;
        return this;
    }

    Segment payload(String text) {
        return payload(text.getBytes(StandardCharsets.US_ASCII));
    }

    byte[] bytes() {
        int headerLength = tagged ? DdpLayout.TAGGED_HEADER_LENGTH : DdpLayout.UNTAGGED_HEADER_LENGTH;
        ByteBuffer ulpdu = ByteBuffer.allocate(headerLength + payload.length);
        ulpdu.put((byte) first).put((byte) control);
        if (tagged) {
            ulpdu.putInt(stag).putLong(taggedOffset);
        } else {
            ulpdu.putInt(rsvdUlp).putInt(queueNumber).putInt(msn).putInt(messageOffset);
        }
        return ulpdu.put(payload).array();
    }
}
