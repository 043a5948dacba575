package io.iwarp.conformance.wire;

import org.jspecify.annotations.Nullable;

/**
 * What came from the peer.
 *
 * @param kind what it is
 * @param frame the start-up frame, if it is one
 * @param segment the DDP segment, if it is one
 * @param offsets where each byte of its ULPDU is in the entry of the dialogue
 * @param entry the number of the entry of the dialogue
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Arrival(
        Kind kind, @Nullable StartupFrame frame, @Nullable Segment segment, int[] offsets, int entry) {
    /** What can come. */
    public enum Kind {
        /** A start-up frame. */
        FRAME("a start-up frame"),
        /** A DDP segment. */
        SEGMENT("a segment"),
        /** An FPDU that holds no DDP segment. */
        NO_SEGMENT("an FPDU without a DDP header"),
        /** The peer closes in order. */
        FIN("the end of the connection (FIN)"),
        /** The peer resets the connection. */
        RESET("a reset (RST)"),
        /** More bytes came than any case asks for. */
        FLOOD("a flood"),
        /** Nothing came in time. */
        SILENCE("nothing");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** Returns the kind in words. */
        public String text() {
            return text;
        }
    }

    static Arrival of(Kind kind, int entry) {
        return new Arrival(kind, null, null, new int[0], entry);
    }

    /** Returns whether the connection is over. */
    public boolean ended() {
        return kind == Kind.FIN || kind == Kind.RESET;
    }

    /** Returns whether it is a segment of a Send, with or without Solicited Event. */
    public boolean isSend() {
        return is(Segment.SEND) || is(Segment.SEND_SOLICITED);
    }

    /** Returns whether it is a segment of an opcode. */
    public boolean is(int opcode) {
        return segment != null && segment.opcode() == opcode;
    }

    /** Returns what came, in words. */
    public String describe() {
        if (segment != null) {
            return segment.describe();
        }
        return frame != null ? frame.describe() : kind.text();
    }
}
