package io.iwarp.simulation;

import io.iwarp.memory.MemoryRegion;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** A call that posts something, and what came of it. */
final class Post {
    enum Kind {
        SEND,
        IMMEDIATE,
        WRITE,
        WRITE_WITH_IMMEDIATE,
        READ,
        FETCH_ADD,
        COMPARE_SWAP,
        /** A Write from and to memory that both sides write to. What is there is not known. */
        SHARED_WRITE,
        RECEIVE;

        /** Returns whether the peer's application gets a completion of its own. */
        boolean message() {
            return this == SEND || this == IMMEDIATE || this == WRITE_WITH_IMMEDIATE;
        }

        boolean hasResponse() {
            return this == READ || this == FETCH_ADD || this == COMPARE_SWAP;
        }

        boolean write() {
            return this == WRITE || this == WRITE_WITH_IMMEDIATE;
        }
    }

    final int id;
    final Kind kind;
    final @Nullable Context poster;
    int length;
    int offset;
    long operand;
    long expected;

    @Nullable
    ByteBuf buffer;

    @Nullable
    MemoryRegion region;

    boolean beforeClose;
    /** It has a future, and no place among the completions. */
    boolean future;

    boolean returned;
    boolean refused;
    boolean completed;
    boolean successful;
    long original;

    Post(int id, Kind kind, @Nullable Context poster) {
        this.id = id;
        this.kind = kind;
        this.poster = poster;
    }

    void letGo() {
        ByteBuf held = buffer;
        if (held != null) {
            buffer = null;
            held.release();
        }
    }

    @Override
    public String toString() {
        return kind + " " + id + " (" + length + " bytes" + (refused ? ", refused" : returned ? "" : ", not returned")
                + (completed ? successful ? ", done" : ", flushed" : "") + ")";
    }
}
