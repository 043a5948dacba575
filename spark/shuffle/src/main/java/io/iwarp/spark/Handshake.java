package io.iwarp.spark;

import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The private data of connection requests and acceptances, by which two executors know each other: of the same version,
 * of the same application, and the one that was meant.
 */
final class Handshake {
    private static final int MAGIC = 0x4957_5350;
    /** Increases with each change of what peers read: handshake, directory, slots. */
    private static final int VERSION = 1;

    private static final int HEADER = Integer.BYTES + Short.BYTES;

    private Handshake() {}

    /** Returns the private data of a request. */
    static byte[] request(String application, String executor) {
        ByteBuf out = header();
        writeText(out, application);
        writeText(out, executor);
        return bytes(out);
    }

    /** Returns why a request must be rejected, or null if it is for this executor. */
    static @Nullable String objection(byte[] request, String application, String executor) {
        ByteBuf in = Unpooled.wrappedBuffer(request);
        String wrong = objection(in);
        if (wrong != null) {
            return wrong;
        }
        try {
            String theirs = readText(in);
            if (!theirs.equals(application)) {
                return "this executor belongs to application " + application + ", not to " + theirs;
            }
            String meant = readText(in);
            return meant.equals(executor) ? null : "this is executor " + executor + ", not " + meant;
        } catch (IndexOutOfBoundsException incomplete) {
            return "the request is incomplete";
        }
    }

    /** Returns the private data of an acceptance. */
    static byte[] acceptance(RemoteBuffer directory, int slots) {
        ByteBuf out = header();
        out.writeInt(slots);
        directory.encode(out);
        return bytes(out);
    }

    /**
     * Reads the private data of an acceptance.
     *
     * @throws IllegalArgumentException if no executor of this version sent it
     */
    static RemoteDirectory directory(byte[] acceptance) {
        ByteBuf in = Unpooled.wrappedBuffer(acceptance);
        String wrong = objection(in);
        if (wrong != null) {
            throw new IllegalArgumentException(wrong);
        }
        if (in.readableBytes() != Integer.BYTES + RemoteBuffer.ENCODED_LENGTH) {
            throw new IllegalArgumentException("the acceptance has " + acceptance.length + " bytes");
        }
        int slots = in.readInt();
        RemoteBuffer memory = RemoteBuffer.decode(in);
        if (Integer.bitCount(slots) != 1 || slots < 0 || memory.length() != Directory.length(slots)) {
            throw new IllegalArgumentException("the peer's directory has " + slots + " slots in " + memory);
        }
        return new RemoteDirectory(memory, slots);
    }

    /** The directory of a peer. */
    record RemoteDirectory(RemoteBuffer memory, int slots) {
        /** Returns where the window of a map output begins, in bytes from the start of the directory. */
        long offset(MapKey key) {
            return (long) key.firstSlot(slots) * MapSlot.LENGTH;
        }
    }

    private static @Nullable String objection(ByteBuf in) {
        if (in.readableBytes() < HEADER || in.readInt() != MAGIC) {
            return "the peer is no executor with iWARP shuffle";
        }
        int version = in.readUnsignedShort();
        return version == VERSION
                ? null
                : "the peer has version " + version + " of the iWARP shuffle, this executor has version " + VERSION
                        + ": use one version of iwarp-spark everywhere";
    }

    private static ByteBuf header() {
        return Unpooled.buffer().writeInt(MAGIC).writeShort(VERSION);
    }

    private static void writeText(ByteBuf out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeShort(bytes.length).writeBytes(bytes);
    }

    private static String readText(ByteBuf in) {
        int length = in.readUnsignedShort();
        return in.readCharSequence(length, StandardCharsets.UTF_8).toString();
    }

    private static byte[] bytes(ByteBuf out) {
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }
}
