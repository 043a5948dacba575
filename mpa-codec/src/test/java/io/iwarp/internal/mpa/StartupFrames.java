package io.iwarp.internal.mpa;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Start-up frames written down byte by byte, legal and not, without the code under test. */
final class StartupFrames {

    static final byte[] NO_PRIVATE_DATA = {};

    private static final String REQUEST_KEY = "4d504120494420526571204672616d65";
    private static final String REPLY_KEY = "4d504120494420526570204672616d65";

    private StartupFrames() {}

    /** A Request Frame with these four bytes after the key, and this private data. */
    static byte[] request(String flagsRevisionLength, byte... privateData) {
        return concat(HexFormat.of().parseHex(REQUEST_KEY + flagsRevisionLength), privateData);
    }

    /** A Reply Frame with these four bytes after the key, and this private data. */
    static byte[] reply(String flagsRevisionLength, byte... privateData) {
        return concat(HexFormat.of().parseHex(REPLY_KEY + flagsRevisionLength), privateData);
    }

    /**
     * A Request Frame of revision 2 that asks for CRC, with S set, this set-up data and this private data of the ULP.
     */
    static byte[] enhancedRequest(String setup, byte... privateData) {
        return concat(request(enhancedHeader("50", privateData)), hex(setup), privateData);
    }

    /** The accepting Reply Frame of that kind. */
    static byte[] enhancedReply(String setup, byte... privateData) {
        return concat(reply(enhancedHeader("50", privateData)), hex(setup), privateData);
    }

    /** The rejecting Reply Frame of that kind. */
    static byte[] enhancedRejection(String setup, byte... privateData) {
        return concat(reply(enhancedHeader("70", privateData)), hex(setup), privateData);
    }

    private static String enhancedHeader(String flags, byte[] privateData) {
        return String.format("%s02%04x", flags, 4 + privateData.length);
    }

    static byte[] hex(String bytes) {
        return HexFormat.of().parseHex(bytes);
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    static byte[] encoded(MpaFrame frame) {
        ByteBuf out = Unpooled.buffer();
        frame.encode(out);
        return ByteBufUtil.getBytes(out);
    }
}
