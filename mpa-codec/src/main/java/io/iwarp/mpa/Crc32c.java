package io.iwarp.mpa;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC32C over ranges of a {@link ByteBuf} (RFC 5044, section 4.4).
 *
 * <p>The polynomial, the bit order and the byte order are those of the iSCSI digests. The value
 * goes on the wire least significant byte first: 0x83992352 as {@code 52 23 99 83}.
 *
 * <p>One object serves one direction of one stream and is reused, so that nothing is allocated for
 * each FPDU. Not safe for use by several threads. No method takes over a reference.
 */
final class Crc32c {

    private final CRC32C crc = new CRC32C();
    private final SharedView shared = new SharedView();

    /** Creates a calculator that has seen no byte. */
    Crc32c() {}

    /** Forgets all bytes seen so far. */
    void reset() {
        crc.reset();
    }

    /**
     * Takes in bytes of a buffer that no other thread works on.
     *
     * <p>For a buffer of one piece this allocates nothing: it uses the buffer's internal view, which
     * is why the buffer must not be in use elsewhere at the same time.
     *
     * @param bytes the buffer; its indices stay as they are
     * @param index the first byte
     * @param length the number of bytes
     */
    void update(ByteBuf bytes, int index, int length) {
        if (bytes.hasArray()) {
            crc.update(bytes.array(), bytes.arrayOffset() + index, length);
        } else if (bytes.nioBufferCount() == 1) {
            crc.update(bytes.internalNioBuffer(index, length));
        } else {
            updatePieces(bytes, index, length);
        }
    }

    /**
     * Takes in bytes of a buffer that other threads may read at the same time, such as registered
     * memory from which several streams send.
     *
     * <p>A view of the buffer is made at the first call and kept for the next ones on the same
     * memory, until {@link #forgetShared()}.
     *
     * @param bytes the buffer; its indices stay as they are
     * @param index the first byte
     * @param length the number of bytes
     */
    void updateShared(ByteBuf bytes, int index, int length) {
        if (bytes.hasArray()) {
            crc.update(bytes.array(), bytes.arrayOffset() + index, length);
        } else if (bytes.hasMemoryAddress()) {
            crc.update(shared.of(bytes).limit(index + length).position(index));
        } else {
            updatePieces(bytes, index, length);
        }
    }

    /** Lets go of the view made by {@link #updateShared}, so that the memory behind it can go. */
    void forgetShared() {
        shared.forget();
    }

    /**
     * Returns the CRC of all bytes since the last reset.
     *
     * @return the 32-bit value; {@link ByteBuf#writeIntLE} brings it on the wire
     */
    int value() {
        return (int) crc.getValue();
    }

    private void updatePieces(ByteBuf bytes, int index, int length) {
        for (ByteBuffer piece : bytes.nioBuffers(index, length)) {
            crc.update(piece);
        }
    }
}
