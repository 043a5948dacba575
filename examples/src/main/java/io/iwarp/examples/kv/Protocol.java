package io.iwarp.examples.kv;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.CRC32C;

/**
 * What client and server agree on: the layout of the memory that clients read, and the messages. All numbers are
 * big-endian. The page docs/kv-server.md draws it.
 */
@SuppressWarnings({"ArrayRecordComponent", "EnumOrdinal"
}) // nobody compares messages; the order of constants is their code
final class Protocol {
    static final int MAX_KEY = 1024;
    static final int MAX_VALUE = 1 << 16;

    /** The index begins with the seed of the hash. Buckets follow. */
    static final int SEED_LENGTH = 16;

    static final int SLOT_LENGTH = 32;
    static final int BUCKET_SLOTS = 8;
    static final int BUCKET_LENGTH = BUCKET_SLOTS * SLOT_LENGTH;
    /** Each slot has a counter of hits. */
    static final int COUNTER_LENGTH = Long.BYTES;

    private Protocol() {}

    /**
     * Returns the bytes of a key.
     *
     * @throws IllegalArgumentException if it is empty or too long
     */
    static byte[] key(String text) {
        return requireKey(text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] requireKey(byte[] key) {
        if (key.length == 0 || key.length > MAX_KEY) {
            throw new IllegalArgumentException("the key has " + key.length + " bytes: use 1 to " + MAX_KEY);
        }
        return key;
    }

    static byte[] requireValue(byte[] value) {
        if (value.length > MAX_VALUE) {
            throw new IllegalArgumentException("the value has " + value.length + " bytes: use at most " + MAX_VALUE);
        }
        return value;
    }

    private static int checksum(ByteBuf bytes, int index, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.nioBuffer(index, length));
        return (int) crc.getValue();
    }

    /** What was read mixes two versions: the server was writing it. Read it again. */
    static final class TornReadException extends Exception {
        private static final long serialVersionUID = 1L;

        TornReadException() {
            super("what was read changed meanwhile", null, false, false);
        }
    }

    /**
     * Where a key can be. The seed is random, so nobody can prepare keys with the same hash for a server. A client
     * knows the seed, but a search looks at two buckets only, however many keys collide.
     *
     * @param first a bucket
     * @param second another bucket, or the same
     * @param tag tells keys in a bucket apart, mostly
     */
    record Hash(long first, long second, int tag) {
        static Hash of(byte[] seed, byte[] key, long buckets) {
            try {
                MessageDigest sha = MessageDigest.getInstance("SHA-256");
                sha.update(seed);
                ByteBuffer digest = ByteBuffer.wrap(sha.digest(key));
                return new Hash(
                        Long.remainderUnsigned(digest.getLong(), buckets),
                        Long.remainderUnsigned(digest.getLong(), buckets),
                        digest.getInt());
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-256", e);
            }
        }
    }

    /**
     * A slot of the index: where the newest entry of a key is.
     *
     * @param version of the entry, at least 1, and used once; 0 if the slot is free
     * @param offset of the entry in the values
     */
    record Slot(long version, long offset, int keyLength, int valueLength, int tag) {
        static final Slot FREE = new Slot(0, 0, 0, 0, 0);

        private static final int CRC = SLOT_LENGTH - Integer.BYTES;

        boolean isFree() {
            return version == 0;
        }

        /** Returns whether the slot may hold the key. Only the entry confirms it. */
        boolean mayHold(Hash hash, byte[] key) {
            return !isFree() && tag == hash.tag() && keyLength == key.length;
        }

        int entryLength() {
            return Entry.length(keyLength, valueLength);
        }

        ByteBuf encode() {
            ByteBuf out = Unpooled.buffer(SLOT_LENGTH, SLOT_LENGTH)
                    .writeLong(version)
                    .writeLong(offset)
                    .writeInt(keyLength)
                    .writeInt(valueLength)
                    .writeInt(tag);
            return out.writeInt(checksum(out, 0, CRC));
        }

        static Slot decode(ByteBuf in, int index) throws TornReadException {
            ByteBuf fields = in.slice(index, SLOT_LENGTH);
            if (fields.getLong(0) == 0 && fields.getInt(CRC) == 0) {
                return FREE;
            }
            if (fields.getInt(CRC) != checksum(fields, 0, CRC)) {
                throw new TornReadException();
            }
            return new Slot(fields.readLong(), fields.readLong(), fields.readInt(), fields.readInt(), fields.readInt());
        }
    }

    /** The entry of a key: version, key, value, checksum. It never changes while a slot points to it. */
    static final class Entry {
        static final int MAX = length(MAX_KEY, MAX_VALUE);

        private Entry() {}

        static int length(int keyLength, int valueLength) {
            return Long.BYTES + keyLength + valueLength + Integer.BYTES;
        }

        static ByteBuf encode(long version, byte[] key, byte[] value) {
            ByteBuf out = Unpooled.buffer(length(key.length, value.length))
                    .writeLong(version)
                    .writeBytes(key)
                    .writeBytes(value);
            return out.writeInt(checksum(out, 0, out.writerIndex()));
        }

        /** Returns whether the entry at an index is that of the key. */
        static boolean isOf(byte[] key, ByteBuf in, int index, Slot slot) throws TornReadException {
            int crc = slot.entryLength() - Integer.BYTES;
            if (in.getLong(index) != slot.version() || in.getInt(index + crc) != checksum(in, index, crc)) {
                throw new TornReadException();
            }
            return in.slice(index + Long.BYTES, key.length).equals(Unpooled.wrappedBuffer(key));
        }

        static byte[] value(ByteBuf in, int index, Slot slot) {
            return ByteBufUtil.getBytes(in, index + Long.BYTES + slot.keyLength(), slot.valueLength());
        }
    }

    /** When a put is executed. */
    enum Condition {
        ALWAYS,
        /** The key has the version, or is new for version 0. */
        VERSION,
        /** The key has the expected value. */
        VALUE
    }

    /** The message of a client that wants a value stored. */
    record Put(Condition condition, long version, byte[] expected, byte[] key, byte[] value) {
        private static final int HEAD = 3 * Integer.BYTES + Long.BYTES;

        static final int MAX = HEAD + MAX_KEY + 2 * MAX_VALUE;

        Put {
            requireKey(key);
            requireValue(expected);
            requireValue(value);
        }

        ByteBuf encode() {
            return Unpooled.buffer(HEAD + key.length + expected.length + value.length)
                    .writeInt(condition.ordinal())
                    .writeInt(key.length)
                    .writeInt(expected.length)
                    .writeLong(version)
                    .writeBytes(key)
                    .writeBytes(expected)
                    .writeBytes(value);
        }

        /**
         * Reads a message.
         *
         * @throws IllegalArgumentException if it is not a put
         */
        static Put decode(ByteBuf in) {
            int rest = in.readableBytes() - HEAD;
            int condition = rest < 0 ? -1 : in.readInt();
            if (condition < 0 || condition >= Condition.values().length) {
                throw new IllegalArgumentException("a message of " + (rest + HEAD) + " bytes is not a put");
            }
            int keyLength = in.readInt();
            int expectedLength = in.readInt();
            if (keyLength < 0 || keyLength > rest || expectedLength < 0 || expectedLength > rest - keyLength) {
                throw new IllegalArgumentException("a put with " + rest + " bytes cannot have a key of " + keyLength
                        + " and an expected value of " + expectedLength);
            }
            long version = in.readLong();
            byte[] key = ByteBufUtil.getBytes(in.readSlice(keyLength));
            byte[] expected = ByteBufUtil.getBytes(in.readSlice(expectedLength));
            return new Put(Condition.values()[condition], version, expected, key, ByteBufUtil.getBytes(in));
        }
    }

    enum Outcome {
        /** The value is stored: every Read from now on finds it, or a later one. */
        DONE,
        /** The condition is not met: the text is the value that the key has. Nothing was changed. */
        DIFFERENT,
        /** There is no room: the text says why. Nothing was changed. */
        NO_ROOM
    }

    /**
     * The reply to a put.
     *
     * @param version that the key has now, 0 if there is no such key
     */
    record Reply(Outcome outcome, long version, byte[] text) {
        private static final int HEAD = Integer.BYTES + Long.BYTES;

        static final int MAX = HEAD + MAX_VALUE;

        ByteBuf encode() {
            return Unpooled.buffer(HEAD + text.length)
                    .writeInt(outcome.ordinal())
                    .writeLong(version)
                    .writeBytes(text);
        }

        static Reply decode(ByteBuf in) {
            if (in.readableBytes() < HEAD || in.getInt(in.readerIndex()) >= Outcome.values().length) {
                throw new IllegalArgumentException("this is not a reply: use the same version on both sides");
            }
            return new Reply(Outcome.values()[in.readInt()], in.readLong(), ByteBufUtil.getBytes(in));
        }
    }
}
