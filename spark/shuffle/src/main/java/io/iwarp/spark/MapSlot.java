package io.iwarp.spark;

import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;

/**
 * The description of one map output: the memory of its data and of its index. A slot of a directory holds it,
 * big-endian:
 *
 * <pre>
 *     0  magic 0x49575350      4  shuffle id        8  map id (8 bytes)
 *    16  data, as a RemoteBuffer (20 bytes)
 *    36  index, as a RemoteBuffer (20 bytes)
 *    56  CRC32C of the index   60  CRC32C of bytes 0 to 59
 * </pre>
 *
 * <p>A free slot begins with 0. A reader may see a slot that is being changed; its CRC is wrong then.
 */
record MapSlot(MapKey key, RemoteBuffer data, RemoteBuffer index, int indexChecksum) {
    static final int LENGTH = 64;

    private static final int MAGIC = 0x4957_5350;
    private static final int CHECKED = LENGTH - Integer.BYTES;
    private static final int KEY = Integer.BYTES;

    /** The state of the bytes of a slot. */
    enum State {
        FREE,
        VALID,
        /** Being changed, or corrupted. */
        BROKEN
    }

    /** Writes the slot at the writer index. */
    void encode(ByteBuf out) {
        int start = out.writerIndex();
        out.writeInt(MAGIC);
        out.writeInt(key.shuffleId());
        out.writeLong(key.mapId());
        data.encode(out);
        index.encode(out);
        out.writeInt(indexChecksum);
        out.writeInt(checksum(out, start, CHECKED));
    }

    static State state(ByteBuf in, int start) {
        int magic = in.getInt(start);
        if (magic == 0) {
            return State.FREE;
        }
        return magic == MAGIC && in.getInt(start + CHECKED) == checksum(in, start, CHECKED)
                ? State.VALID
                : State.BROKEN;
    }

    /** Returns whether a valid slot is of this map output. */
    static boolean isOf(MapKey key, ByteBuf in, int start) {
        return in.getInt(start + KEY) == key.shuffleId() && in.getLong(start + KEY + Integer.BYTES) == key.mapId();
    }

    /**
     * Reads a valid slot.
     *
     * @throws IllegalArgumentException if it describes memory that cannot exist
     */
    static MapSlot decode(ByteBuf in, int start) {
        ByteBuf bytes = in.slice(start, LENGTH);
        bytes.skipBytes(Integer.BYTES);
        MapKey key = new MapKey(bytes.readInt(), bytes.readLong());
        return new MapSlot(key, RemoteBuffer.decode(bytes), RemoteBuffer.decode(bytes), bytes.readInt());
    }

    static int checksum(ByteBuf in, int start, int length) {
        CRC32C crc = new CRC32C();
        crc.update(in.nioBuffer(start, length));
        return (int) crc.getValue();
    }
}
