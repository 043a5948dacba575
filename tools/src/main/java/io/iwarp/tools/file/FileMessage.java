package io.iwarp.tools.file;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.PlainText;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;

/**
 * The messages of {@link FilePut}, {@link FileGet} and {@link FileServe}. Each message is one Send: a byte for the
 * kind, then the fields in order. Numbers are big-endian. A text or hash extends to the end of the message.
 *
 * <pre>
 *   client                                    server
 *     | ---- Offer: name and size -------------&gt; |
 *     | &lt;--- Grant: memory to write into -------- |   (or Refused, here and at any time later)
 *     | ==== RDMA Write of piece 0 ============&gt; |
 *     | ---- Piece 0 --------------------------&gt; |   stored from memory to disk, while
 *     | ==== RDMA Write of piece 1 ============&gt; |   the next piece arrives in another slot
 *     | ---- Piece 1 --------------------------&gt; |
 *     | &lt;--- Credit: slot of piece 0 is free ---- |
 *     |                    ...                   |
 *     | ---- Done: SHA-256 --------------------&gt; |
 *     | &lt;--- Stored: SHA-256 -------------------- |
 * </pre>
 *
 * <p>Piece n goes to the beginning of slot n mod the number of slots.
 *
 * <p>{@link FileGet} begins with another message:
 *
 * <pre>
 *   client                                    server
 *     | ---- Fetch: name --------------------&gt; |
 *     | &lt;--- Found: size ---------------------- |   (or Refused, here and at any time later)
 *     | &lt;--- Served: memory with piece 0 ------ |   while the client reads it, the server
 *     | ==== RDMA Reads of piece 0 ===========&gt; |   reads the next one from its disk
 *     | &lt;--- Served: memory with piece 1 ------ |
 *     | ---- Taken: piece 0 ------------------&gt; |   a Send with Invalidate of that memory's STag
 *     |                    ...                  |
 *     | &lt;--- Done: SHA-256 -------------------- |
 *     | ---- Stored: SHA-256 -----------------&gt; |
 * </pre>
 */
sealed interface FileMessage {
    /** Bytes of a SHA-256. */
    int HASH_LENGTH = 32;

    /** The size in an {@link Offer} of a file that is read to its end. */
    long UNKNOWN_SIZE = -1;

    /** The name in a {@link Fetch} of the list of files: a line for each, its size and its name. */
    String LIST = ".";

    /** Appends the byte that says which message it is, and the fields. */
    void encode(ByteBuf out);

    /** Returns the message in a heap buffer that needs no release. */
    default ByteBuf encode() {
        ByteBuf out = Unpooled.buffer();
        encode(out);
        return out;
    }

    /**
     * Client: requests to write a file.
     *
     * @param size its bytes, or {@link #UNKNOWN_SIZE}: then {@link Done} may follow any piece
     * @param name its name, without a directory
     */
    record Offer(long size, String name) implements FileMessage {
        static final byte KIND = 1;

        @Override
        public void encode(ByteBuf out) {
            out.writeByte(KIND).writeLong(size).writeCharSequence(name, StandardCharsets.UTF_8);
        }
    }

    /**
     * Server: grants memory to write to.
     *
     * @param slotLength the greatest length of a piece in bytes, at least 1
     * @param memory one or more slots
     */
    record Grant(int slotLength, RemoteBuffer memory) implements FileMessage {
        static final byte KIND = 2;

        @Override
        public void encode(ByteBuf out) {
            memory.encode(out.writeByte(KIND).writeInt(slotLength));
        }

        /** Returns the number of slots, as far as they can be counted in an int. */
        int slots() {
            return (int) Math.min(memory.length() / slotLength, Integer.MAX_VALUE);
        }
    }

    /**
     * Client: a piece is in its slot.
     *
     * @param number 0 for the first piece of the file
     * @param length its bytes
     */
    record Piece(long number, int length) implements FileMessage {
        static final byte KIND = 3;

        @Override
        public void encode(ByteBuf out) {
            out.writeByte(KIND).writeLong(number).writeInt(length);
        }
    }

    /**
     * Server: a piece is stored and its slot may be written again.
     *
     * @param number of the piece
     */
    record Credit(long number) implements FileMessage {
        static final byte KIND = 4;

        @Override
        public void encode(ByteBuf out) {
            out.writeByte(KIND).writeLong(number);
        }
    }

    /**
     * Sender of the file: all pieces were sent.
     *
     * @param hash SHA-256 of what was read from it, in hexadecimal
     */
    record Done(String hash) implements FileMessage {
        static final byte KIND = 5;

        @Override
        public void encode(ByteBuf out) {
            out.writeByte(KIND).writeBytes(ByteBufUtil.decodeHexDump(hash));
        }
    }

    /**
     * Receiver of the file: the file is stored under its name.
     *
     * @param hash SHA-256 of what was stored, in hexadecimal
     */
    record Stored(String hash) implements FileMessage {
        static final byte KIND = 6;

        @Override
        public void encode(ByteBuf out) {
            out.writeByte(KIND).writeBytes(ByteBufUtil.decodeHexDump(hash));
        }
    }

    /**
     * Server: refuses. Nothing of the file is kept.
     *
     * @param reason a sentence for the client's user, as {@link PlainText} because it may name what the client sent,
     *     cut off so that it fits into a message
     */
    record Refused(String reason) implements FileMessage {
        static final byte KIND = 7;

        private static final int MAX_REASON = 300;

        /** Escapes the reason, and cuts it off. */
        public Refused {
            reason = PlainText.of(reason);
            reason = reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason;
        }

        @Override
        public void encode(ByteBuf out) {
            ByteBufUtil.writeUtf8(out.writeByte(KIND), reason);
        }
    }

    /**
     * Client: requests to read a file.
     *
     * @param name its name, without a directory, or {@link #LIST}
     */
    record Fetch(String name) implements FileMessage {
        static final byte KIND = 8;

        @Override
        public void encode(ByteBuf out) {
            ByteBufUtil.writeUtf8(out.writeByte(KIND), name);
        }
    }

    /**
     * Server: accepts the request to read.
     *
     * @param size the file's bytes
     */
    record Found(long size) implements FileMessage {
        static final byte KIND = 9;

        @Override
        public void encode(ByteBuf out) {
            out.writeByte(KIND).writeLong(size);
        }
    }

    /**
     * Server: grants memory to read.
     *
     * @param number 0 for the first piece of the file
     * @param memory all of the piece, under an STag of its own
     */
    record Served(long number, RemoteBuffer memory) implements FileMessage {
        static final byte KIND = 10;

        @Override
        public void encode(ByteBuf out) {
            memory.encode(out.writeByte(KIND).writeLong(number));
        }
    }

    /**
     * Client: has read a piece. The message invalidates the STag of the piece.
     *
     * @param number of the piece
     */
    record Taken(long number) implements FileMessage {
        static final byte KIND = 11;

        @Override
        public void encode(ByteBuf out) {
            out.writeByte(KIND).writeLong(number);
        }
    }

    /**
     * Reads a message.
     *
     * @throws ProtocolException if it is not a valid message
     */
    static FileMessage decode(ByteBuf in) throws ProtocolException {
        try {
            return decodeFields(in.readByte(), in);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw malformed("a message of it cannot be read: " + e.getMessage());
        }
    }

    private static FileMessage decodeFields(byte kind, ByteBuf in) throws ProtocolException {
        FileMessage message = switch (kind) {
            case Offer.KIND -> new Offer(in.readLong(), readText(in));
            case Grant.KIND -> new Grant(in.readInt(), RemoteBuffer.decode(in));
            case Piece.KIND -> new Piece(in.readLong(), in.readInt());
            case Credit.KIND -> new Credit(in.readLong());
            case Done.KIND -> new Done(readHash(in));
            case Stored.KIND -> new Stored(readHash(in));
            case Refused.KIND -> new Refused(readText(in));
            case Fetch.KIND -> new Fetch(readText(in));
            case Found.KIND -> new Found(in.readLong());
            case Served.KIND -> new Served(in.readLong(), RemoteBuffer.decode(in));
            case Taken.KIND -> new Taken(in.readLong());
            default -> throw malformed("its message begins with " + kind + ", which is not a kind of message");
        };
        if (in.isReadable()) {
            throw malformed("its message has " + in.readableBytes() + " bytes too many");
        }
        return message;
    }

    private static String readText(ByteBuf in) {
        return in.readCharSequence(in.readableBytes(), StandardCharsets.UTF_8).toString();
    }

    private static String readHash(ByteBuf in) {
        String hash = ByteBufUtil.hexDump(in, in.readerIndex(), HASH_LENGTH);
        in.skipBytes(HASH_LENGTH);
        return hash;
    }

    private static ProtocolException malformed(String complaint) {
        return new ProtocolException("the other side does not keep to the protocol: " + complaint);
    }
}
