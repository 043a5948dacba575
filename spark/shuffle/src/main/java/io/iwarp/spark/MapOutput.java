package io.iwarp.spark;

import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;

/** A map output of a peer, as its slot and index describe it. Immutable. */
final class MapOutput {
    /** Stands for a map output that the peer does not publish. */
    static final MapOutput UNPUBLISHED = new MapOutput(new RemoteBuffer(0, 0, 0), new long[0]);

    private static final int OBJECTS = 128;

    private final RemoteBuffer data;
    /** Where each partition begins in the data, and where the last one ends. */
    private final long[] offsets;

    private MapOutput(RemoteBuffer data, long[] offsets) {
        this.data = data;
        this.offsets = offsets;
    }

    /**
     * Checks the index that was read.
     *
     * @throws ShuffleDataException if it is not the index of this data
     */
    static MapOutput of(MapSlot slot, ByteBuf index) {
        int length = index.readableBytes();
        if (MapSlot.checksum(index, index.readerIndex(), length) != slot.indexChecksum()) {
            throw new ShuffleDataException("the index of map output " + slot.key() + " has a wrong checksum");
        }
        long[] offsets = new long[length / Long.BYTES];
        long last = 0;
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = index.getLong(index.readerIndex() + i * Long.BYTES);
            if (offsets[i] < last || offsets[i] > slot.data().length()) {
                throw new ShuffleDataException(
                        "the index of map output " + slot.key() + " has offset " + offsets[i] + " of partition " + i
                                + " after " + last + ", in " + slot.data().length() + " bytes");
            }
            last = offsets[i];
        }
        return new MapOutput(slot.data(), offsets);
    }

    /** Returns the peer's memory. */
    RemoteBuffer data() {
        return data;
    }

    boolean isPublished() {
        return offsets.length > 0;
    }

    /** Returns an estimate of the bytes that this takes on the heap. */
    int weight() {
        return OBJECTS + offsets.length * Long.BYTES;
    }

    /**
     * Returns where these blocks begin.
     *
     * @throws ShuffleDataException if the map output has fewer partitions
     */
    long offset(BlockRange blocks) {
        if (blocks.end() >= offsets.length) {
            throw new ShuffleDataException(
                    blocks.blockId() + " is not among the " + (offsets.length - 1) + " partitions of the map output");
        }
        return offsets[blocks.start()];
    }

    /** Returns the number of bytes of these blocks. */
    long length(BlockRange blocks) {
        long start = offset(blocks);
        return offsets[blocks.end()] - start;
    }

    @Override
    public String toString() {
        return "MapOutput[" + data + ", " + (offsets.length - 1) + " partitions]";
    }
}
