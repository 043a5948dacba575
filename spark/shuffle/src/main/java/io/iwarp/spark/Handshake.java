package io.iwarp.spark;

import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The private data of connection requests and acceptances. A request proves that it comes from an executor of the same
 * application and is meant for this one: it carries a code of the executor's id (HMAC-SHA-256) under a random secret of
 * the application, which the driver hands out. Without TLS, whoever can listen to the network can repeat it.
 */
final class Handshake {
    /** The reason of each rejection on the wire. The log of the executor that rejects has the details. */
    static final String REJECTED = "this executor does not take the connection";

    private static final int MAGIC = 0x4957_5350;
    /** Increases with each change of what peers read: handshake, directory, slots. */
    private static final int VERSION = 2;

    private static final int HEADER = Integer.BYTES + Short.BYTES;
    private static final int SECRET_LENGTH = 32;
    private static final String CODE = "HmacSHA256";

    private final SecretKeySpec secret;

    /** @param secret from {@link #newSecret} */
    Handshake(String secret) {
        this.secret = new SecretKeySpec(Base64.getDecoder().decode(secret), CODE);
    }

    /** Returns a random secret of an application, as text. */
    static String newSecret() {
        byte[] bytes = new byte[SECRET_LENGTH];
        new SecureRandom().nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** Returns the private data of a request to an executor. */
    byte[] request(String executor) {
        return bytes(header().writeBytes(code(executor)));
    }

    /** Returns why a request must be rejected, or null if it is for this executor. Contains no text of the peer. */
    @Nullable
    String objection(byte[] request, String executor) {
        ByteBuf in = Unpooled.wrappedBuffer(request);
        String wrong = objection(in);
        if (wrong != null) {
            return wrong;
        }
        // The comparison takes the same time whatever the peer sent.
        return MessageDigest.isEqual(ByteBufUtil.getBytes(in), code(executor))
                ? null
                : "the request does not prove that it comes from this application and is meant for executor "
                        + executor;
    }

    private byte[] code(String executor) {
        try {
            Mac mac = Mac.getInstance(CODE);
            mac.init(secret);
            return mac.doFinal(executor.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("each JDK has " + CODE, e);
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

    private static byte[] bytes(ByteBuf out) {
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }
}
