package io.iwarp.conformance.wire;

import java.util.Arrays;
import java.util.Locale;

/**
 * What a Terminate says (RFC 5040 section 4.8).
 *
 * @param layer 0 RDMAP, 1 DDP, 2 MPA
 * @param type within the layer
 * @param code within the type
 * @param bits M 4, D 2, R 1
 * @param reserved the 13 bits after them
 * @param rest what follows the control word
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record TerminateMessage(int layer, int type, int code, int bits, int reserved, byte[] rest) {
    /** The segment length is there. */
    public static final int M = 4;
    /** The DDP header is there. */
    public static final int D = 2;
    /** The header of the Read Request is there. */
    public static final int R = 1;

    /** Returns the message in a payload of at least four bytes. */
    public static TerminateMessage decode(byte[] payload) {
        int first = Bytes.u8(payload, 0);
        int word = Bytes.u16(payload, 2);
        return new TerminateMessage(
                first >> 4,
                first & 0x0F,
                Bytes.u8(payload, 1),
                word >> 13,
                word & 0x1FFF,
                Arrays.copyOfRange(payload, Integer.BYTES, payload.length));
    }

    /** Returns the message as bytes. */
    public byte[] encode() {
        return Bytes.join(new byte[] {(byte) (layer << 4 | type), (byte) code}, Bytes.u16(bits << 13 | reserved), rest);
    }

    /** Returns a message that carries no header. */
    public static TerminateMessage bare(int layer, int type, int code) {
        return new TerminateMessage(layer, type, code, 0, 0, Bytes.NONE);
    }

    /** Returns whether a bit is set. */
    public boolean has(int bit) {
        return (bits & bit) != 0;
    }

    /** Returns layer, type and code, for example 1/2/05. */
    public String error() {
        return String.format(Locale.ROOT, "%d/%d/%02X", layer, type, code);
    }

    /** Returns the message in some words. */
    public String describe() {
        return error() + " M=" + (bits >> 2) + " D=" + (bits >> 1 & 1) + " R=" + (bits & 1);
    }
}
