package io.iwarp.internal.mpa;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC32C over ranges of a {@link ByteBuf} (RFC 5044 section 4.4).
 *
 * <p>The polynomial, the bit order and the byte order are those of the iSCSI digests. The value goes on the wire least
 * significant byte first: 0x83992352 as {@code 52 23 99 83}.
 *
 * <p>One object serves one direction of one stream and is reused, so that nothing is allocated for each FPDU. Not safe
 * for use by several threads. No method takes over a reference.
 */
final class Crc32c {

    private final CRC32C crc = new CRC32C();

    /** Creates a calculator over no bytes. */
    Crc32c() {}

    /** Resets the CRC to that of no bytes. */
    void reset() {
        crc.reset();
    }

    /**
     * Updates the CRC with bytes of a buffer that no other thread uses.
     *
     * <p>For a buffer of one piece this allocates nothing: it uses the internal NIO view of the buffer, so no other
     * code may use the buffer at the same time.
     *
     * @param bytes the buffer, whose indices do not change
     * @param index the first byte
     * @param length the number of bytes
     */
    void update(ByteBuf bytes, int index, int length) {
        if (bytes.hasArray()) {
            crc.update(bytes.array(), bytes.arrayOffset() + index, length);
        } else if (bytes.nioBufferCount() == 1) {
            crc.update(bytes.internalNioBuffer(index, length));
        } else {
            for (ByteBuffer piece : bytes.nioBuffers(index, length)) {
                crc.update(piece);
            }
        }
    }

    /** Updates the CRC with the remaining bytes of a view, and moves its position to its limit. */
    void update(ByteBuffer bytes) {
        crc.update(bytes);
    }

    /**
     * Returns the CRC of all bytes since the last reset.
     *
     * @return the 32-bit value; write it with {@link ByteBuf#writeIntLE}
     */
    int value() {
        return (int) crc.getValue();
    }
}
