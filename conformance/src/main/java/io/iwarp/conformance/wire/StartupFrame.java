package io.iwarp.conformance.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * An MPA Request or Reply (RFC 5044 section 7.1.1), right or wrong.
 *
 * @param key 16 bytes
 * @param flags the byte after the key
 * @param revision the byte after the flags
 * @param length what the field PD_Length says
 * @param privateData what follows, the four bytes of the enhanced set-up included
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record StartupFrame(byte[] key, int flags, int revision, int length, byte[] privateData) {
    /** Bytes before the private data. */
    public static final int HEADER = 20;
    /** Bytes of the key. */
    public static final int KEY = 16;
    /** The flag M: the sender wants markers in what it receives. */
    public static final int MARKERS = 0x80;
    /** The flag C: the sender wants CRCs. */
    public static final int CRC = 0x40;
    /** The flag R: the request is rejected. */
    public static final int REJECTED = 0x20;
    /** The flag S: four bytes of enhanced set-up stand before the private data. */
    public static final int ENHANCED = 0x10;
    /** The most private data that a frame may carry. */
    public static final int MAX_PRIVATE_DATA = 512;

    private static final byte[] REQUEST_KEY = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY_KEY = "MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII);

    /** Returns a Request. */
    public static StartupFrame request(int flags, int revision, byte[] privateData) {
        return new StartupFrame(REQUEST_KEY.clone(), flags, revision, privateData.length, privateData);
    }

    /** Returns a Reply. */
    public static StartupFrame reply(int flags, int revision, byte[] privateData) {
        return new StartupFrame(REPLY_KEY.clone(), flags, revision, privateData.length, privateData);
    }

    /** Returns the bytes of the enhanced set-up: each word has two flags and 14 bits of depth. */
    public static byte[] depths(int ird, int ord) {
        return Bytes.join(Bytes.u16(ird), Bytes.u16(ord));
    }

    /** Returns the frame that begins here; its private data is what is there. */
    public static StartupFrame decode(byte[] bytes) {
        return new StartupFrame(
                Arrays.copyOf(bytes, KEY),
                Bytes.u8(bytes, KEY),
                Bytes.u8(bytes, KEY + 1),
                Bytes.u16(bytes, KEY + 2),
                Arrays.copyOfRange(bytes, HEADER, bytes.length));
    }

    /** Returns the frame as bytes. */
    public byte[] encode() {
        return Bytes.join(key, new byte[] {(byte) flags, (byte) revision}, Bytes.u16(length), privateData);
    }

    /** Returns the same frame with other flags. */
    public StartupFrame withFlags(int other) {
        return new StartupFrame(key, other, revision, length, privateData);
    }

    /** Returns the same frame with another revision. */
    public StartupFrame withRevision(int other) {
        return new StartupFrame(key, flags, other, length, privateData);
    }

    /** Returns the same frame with another PD_Length, but the same private data. */
    public StartupFrame withLength(int other) {
        return new StartupFrame(key, flags, revision, other, privateData);
    }

    /** Returns the same frame with another key. */
    public StartupFrame withKey(byte[] other) {
        return new StartupFrame(other, flags, revision, length, privateData);
    }

    /** Returns whether a flag is set. */
    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** Returns whether four bytes of enhanced set-up are there. */
    public boolean enhanced() {
        return revision >= 2 && has(ENHANCED) && privateData.length >= Integer.BYTES;
    }

    /** Returns the word with A, B and the IRD. */
    public int irdWord() {
        return Bytes.u16(privateData, 0);
    }

    /** Returns the word with C, D and the ORD. */
    public int ordWord() {
        return Bytes.u16(privateData, Short.BYTES);
    }

    /** Returns whether the key is that of a Request. */
    public boolean isRequest() {
        return Arrays.equals(key, REQUEST_KEY);
    }

    /** Returns whether the key is that of a Reply. */
    public boolean isReply() {
        return Arrays.equals(key, REPLY_KEY);
    }

    /** Returns the frame in one line. */
    public String describe() {
        String name = isRequest() ? "MPA Request" : isReply() ? "MPA Reply" : "start-up frame with another key";
        StringBuilder text = new StringBuilder(name)
                .append(", M=")
                .append(bit(MARKERS))
                .append(" C=")
                .append(bit(CRC))
                .append(" R=")
                .append(bit(REJECTED))
                .append(" S=")
                .append(bit(ENHANCED))
                .append(", revision ")
                .append(revision)
                .append(", PD_Length ")
                .append(length);
        if (enhanced()) {
            text.append(String.format(
                    Locale.ROOT,
                    ", A=%d B=%d IRD %d C=%d D=%d ORD %d",
                    irdWord() >> 15,
                    irdWord() >> 14 & 1,
                    irdWord() & 0x3FFF,
                    ordWord() >> 15,
                    ordWord() >> 14 & 1,
                    ordWord() & 0x3FFF));
        }
        return text.toString();
    }

    private int bit(int flag) {
        return has(flag) ? 1 : 0;
    }
}
