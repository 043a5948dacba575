package io.iwarp.tools.rdma;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * What is in the memory that rping's client has read and written: {@code rdma-ping-3: DEFGH...} up to the last byte,
 * which is zero. The letters begin one further with each ping.
 */
final class RpingText {
    private static final char FIRST_LETTER = 'A';
    private static final char LAST_LETTER = 'z';
    private static final int LETTERS = LAST_LETTER - FIRST_LETTER + 1;

    private RpingText() {}

    /**
     * Fills all of a buffer, from index 0 to its capacity.
     *
     * @param ping the number of the ping, from 0 on
     */
    static void fill(ByteBuf buffer, long ping) {
        byte[] title = ("rdma-ping-" + ping + ": ").getBytes(StandardCharsets.US_ASCII);
        buffer.clear().writeBytes(title, 0, Math.min(title.length, buffer.capacity()));
        for (long letter = ping; buffer.isWritable(); letter++) {
            buffer.writeByte(FIRST_LETTER + (int) (letter % LETTERS));
        }
        buffer.setByte(buffer.capacity() - 1, 0);
    }

    /** Returns the length of the text in bytes, including the zero at its end, as the server sends it back. */
    static int length(ByteBuf buffer) {
        int zero = buffer.indexOf(buffer.readerIndex(), buffer.writerIndex(), (byte) 0);
        return zero < 0 ? buffer.readableBytes() : zero + 1 - buffer.readerIndex();
    }

    /** Returns the text for the terminal, without the zero at its end. */
    static String shown(ByteBuf buffer) {
        return buffer.toString(buffer.readerIndex(), Math.max(0, length(buffer) - 1), StandardCharsets.US_ASCII);
    }
}
