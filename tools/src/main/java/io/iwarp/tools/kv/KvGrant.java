package io.iwarp.tools.kv;

import io.iwarp.memory.AtomicOperation;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * What a client may reach, told in the private data of the server's acceptance: three advertised buffers of 20 bytes
 * each, for this connection only.
 *
 * @param index may be read
 * @param values may be read
 * @param cells may be changed by atomics
 */
public record KvGrant(RemoteBuffer index, RemoteBuffer values, RemoteBuffer cells) {
    /** Length in bytes. */
    public static final int ENCODED_LENGTH = 3 * RemoteBuffer.ENCODED_LENGTH;

    /** Returns the grant in a heap buffer that needs no release. */
    public ByteBuf encode() {
        ByteBuf out = Unpooled.buffer(ENCODED_LENGTH, ENCODED_LENGTH);
        index.encode(out);
        values.encode(out);
        cells.encode(out);
        return out;
    }

    /**
     * Reads a grant.
     *
     * @param in {@link #ENCODED_LENGTH} bytes; stays the caller's
     * @throws IllegalArgumentException if they cannot be a grant
     */
    public static KvGrant decode(ByteBuf in) {
        KvGrant grant = new KvGrant(RemoteBuffer.decode(in), RemoteBuffer.decode(in), RemoteBuffer.decode(in));
        long slots = grant.slots();
        if (slots < 1
                || grant.index.length() != slots * KvSlot.LENGTH
                || slots % KvLayout.BUCKET_SLOTS != 0
                || grant.cells.length() != slots * KvLayout.CELL_LENGTH) {
            throw new IllegalArgumentException(
                    "the server's index has " + grant.index.length() + " bytes and its cells " + grant.cells.length()
                            + ", which do not belong together: use the same version on both sides");
        }
        return grant;
    }

    /** Returns how many slots the index has. */
    long slots() {
        return index.length() / KvSlot.LENGTH;
    }

    /** Returns the counter of hits of a slot. */
    RemoteBuffer counter(long slot) {
        return cells.slice(slot * KvLayout.CELL_LENGTH, AtomicOperation.LENGTH);
    }

    /** Returns the word of a slot. */
    RemoteBuffer word(long slot) {
        return cells.slice(KvLayout.word(slot), AtomicOperation.LENGTH);
    }
}
