package io.iwarp.spark;

import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Two executors prove to each other that they know the secret of the application, in the private data of connection
 * set-up. This takes two connections, so that a peer without the secret never has a stream, on which it could guess
 * STags:
 *
 * <pre>
 *     initiator                                                   acceptor
 *     request:  HELLO                                         ──►
 *                                                             ◄── rejection:  CHALLENGE, a nonce
 *     request:  PROOF, both nonces, code 1, the initiator's id ──►
 *                                                             ◄── acceptance: the directory, code 2
 * </pre>
 *
 * <p>Code 1 is an HMAC-SHA-256 of the sender's role and the nonces and executor ids of both sides. Code 2 is one of the
 * same, with the other role, and of the directory. So a message cannot be replayed, reflected, or used at another
 * executor.
 *
 * <p>Without TLS this protects the set-up alone: an attacker who can change packets can take over the stream
 * afterwards.
 */
final class Handshake {
    /** The reason of most rejections on the wire. The log of the executor that rejects has the details. */
    static final String REJECTED = "this executor rejects the connection";

    private static final int MAGIC = 0x4957_5350;
    /** Increases with each change of what peers read: handshake, directory, slots. */
    private static final int VERSION = 3;

    private static final int HEADER = Integer.BYTES + Short.BYTES + Byte.BYTES;
    private static final int NONCE = 32;
    private static final int DIRECTORY = Integer.BYTES + RemoteBuffer.ENCODED_LENGTH;
    private static final byte[] NO_DIRECTORY = {};

    // Kinds of messages.
    private static final byte HELLO = 0;
    private static final byte CHALLENGE = 1;
    private static final byte PROOF = 2;
    private static final byte ACCEPTANCE = 3;

    // Roles.
    private static final byte INITIATOR = 0;
    private static final byte ACCEPTOR = 1;

    private final Hmac secret;
    private final String executor;
    private final Challenges challenges;

    /**
     * @param secret from {@link #newSecret}
     * @param executor the id of this executor
     * @param nanoTime the clock for the age of challenges
     */
    Handshake(String secret, String executor, LongSupplier nanoTime) {
        this.secret = new Hmac(Base64.getDecoder().decode(secret));
        this.executor = executor;
        this.challenges = new Challenges(nanoTime);
    }

    /** Returns the private data of most rejections. */
    static byte[] rejection() {
        return REJECTED.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns a random secret of an application, as text. */
    static String newSecret() {
        return Base64.getEncoder().encodeToString(Hmac.randomBytes(Hmac.LENGTH));
    }

    /** Returns the id of this executor. */
    String executor() {
        return executor;
    }

    /** The values that both codes of a connection cover. */
    private static final class Facts {
        private final byte[] nonce;
        private final byte[] challenge;
        private final String initiator;
        private final String acceptor;

        Facts(byte[] nonce, byte[] challenge, String initiator, String acceptor) {
            this.nonce = nonce;
            this.challenge = challenge;
            this.initiator = initiator;
            this.acceptor = acceptor;
        }

        byte[] code(Hmac secret, byte role, byte[] directory) {
            ByteBuf facts = Unpooled.buffer().writeByte(role).writeBytes(nonce).writeBytes(challenge);
            writeText(facts, initiator);
            writeText(facts, acceptor);
            return secret.code(facts.writeBytes(directory));
        }
    }

    /** Begins a connection to an executor. */
    Initiation initiate(String acceptor) {
        return new Initiation(acceptor);
    }

    /** The side of the initiator, for one connection. Its methods are called in this order. */
    final class Initiation {
        private final String acceptor;
        private @Nullable Facts facts;

        private Initiation(String acceptor) {
            this.acceptor = acceptor;
        }

        /** Returns the private data of the first request. */
        byte[] hello() {
            return bytes(header(HELLO));
        }

        /**
         * Returns the private data of the second request.
         *
         * @param rejection the private data of the rejection of the first
         * @throws IllegalArgumentException if it is no challenge of this version
         */
        byte[] proof(byte[] rejection) {
            ByteBuf in = body(rejection, CHALLENGE, Challenges.LENGTH);
            Facts agreed = new Facts(Hmac.randomBytes(NONCE), ByteBufUtil.getBytes(in), executor, acceptor);
            facts = agreed;
            ByteBuf out = header(PROOF)
                    .writeBytes(agreed.nonce)
                    .writeBytes(agreed.challenge)
                    .writeBytes(agreed.code(secret, INITIATOR, NO_DIRECTORY));
            writeText(out, executor);
            return bytes(out);
        }

        /**
         * Returns the directory of the acceptor.
         *
         * @param acceptance the private data of the acceptance
         * @throws IllegalArgumentException if it does not prove that this acceptor sent it
         */
        RemoteDirectory directory(byte[] acceptance) {
            Facts agreed = Objects.requireNonNull(facts, "proof() was not called");
            ByteBuf in = body(acceptance, ACCEPTANCE, DIRECTORY + Hmac.LENGTH);
            byte[] directory = ByteBufUtil.getBytes(in.readSlice(DIRECTORY));
            // The time does not depend on the codes, so a peer cannot guess one byte by byte.
            if (!MessageDigest.isEqual(ByteBufUtil.getBytes(in), agreed.code(secret, ACCEPTOR, directory))) {
                throw new IllegalArgumentException("the peer does not prove that it is executor " + acceptor
                        + " of this application, so nothing is read from it");
            }
            return RemoteDirectory.decode(Unpooled.wrappedBuffer(directory));
        }
    }

    /** What an acceptor replies to a request. */
    static final class Verdict {
        private final byte[] reply;
        private final @Nullable String initiator;
        private final @Nullable String objection;

        private Verdict(byte[] reply, @Nullable String initiator, @Nullable String objection) {
            this.reply = reply;
            this.initiator = initiator;
            this.objection = objection;
        }

        private static Verdict refuse(String objection) {
            return new Verdict(rejection(), null, objection);
        }

        /** Returns the private data of the acceptance, or of the rejection if there is no {@link #initiator}. */
        byte[] reply() {
            return reply;
        }

        /** Returns the executor of the application that sent the request, or null if it proves nothing. */
        @Nullable
        String initiator() {
            return initiator;
        }

        /**
         * Returns why the request is refused, without any text of the peer; null if it is not, or asks for a challenge.
         */
        @Nullable
        String objection() {
            return objection;
        }
    }

    /** Decides about the request of a peer that wants to read this directory. */
    Verdict judge(byte[] request, RemoteBuffer directory, int slots) {
        ByteBuf in = Unpooled.wrappedBuffer(request);
        String wrong = objection(in);
        if (wrong != null) {
            // An executor of another version learns the version of this one.
            return isMagic(Unpooled.wrappedBuffer(request))
                    ? new Verdict(bytes(header(CHALLENGE)), null, wrong)
                    : Verdict.refuse(wrong);
        }
        int kind = in.readByte();
        if (kind == HELLO && !in.isReadable()) {
            return new Verdict(bytes(header(CHALLENGE).writeBytes(challenges.issue())), null, null);
        }
        if (kind != PROOF || in.readableBytes() <= NONCE + Challenges.LENGTH + Hmac.LENGTH) {
            return Verdict.refuse("the request has " + request.length + " bytes of kind " + kind);
        }
        byte[] nonce = ByteBufUtil.getBytes(in.readSlice(NONCE));
        byte[] challenge = ByteBufUtil.getBytes(in.readSlice(Challenges.LENGTH));
        byte[] code = ByteBufUtil.getBytes(in.readSlice(Hmac.LENGTH));
        Facts facts = new Facts(nonce, challenge, readText(in), executor);
        if (!MessageDigest.isEqual(code, facts.code(secret, INITIATOR, NO_DIRECTORY))) {
            return Verdict.refuse(
                    "the request does not prove that it comes from this application and is meant for executor "
                            + executor);
        }
        if (!challenges.use(challenge)) {
            return Verdict.refuse("the request uses a challenge that this executor did not issue, that is older than "
                    + Challenges.LIFETIME.toSeconds() + " s, or that was used before");
        }
        byte[] table = directory(directory, slots);
        byte[] code2 = facts.code(secret, ACCEPTOR, table);
        return new Verdict(bytes(header(ACCEPTANCE).writeBytes(table).writeBytes(code2)), facts.initiator, null);
    }

    private static byte[] directory(RemoteBuffer memory, int slots) {
        ByteBuf out = Unpooled.buffer(DIRECTORY, DIRECTORY).writeInt(slots);
        memory.encode(out);
        return bytes(out);
    }

    /** The directory of a peer. */
    record RemoteDirectory(RemoteBuffer memory, int slots) {
        private static RemoteDirectory decode(ByteBuf in) {
            int slots = in.readInt();
            RemoteBuffer memory = RemoteBuffer.decode(in);
            if (Integer.bitCount(slots) != 1 || slots < 0 || memory.length() != Directory.length(slots)) {
                throw new IllegalArgumentException("the peer's directory has " + slots + " slots in " + memory);
            }
            return new RemoteDirectory(memory, slots);
        }

        /** Returns where the window of a map output begins, in bytes from the start of the directory. */
        long offset(MapKey key) {
            return (long) key.firstSlot(slots) * MapSlot.LENGTH;
        }
    }

    /** Returns what follows the header of a message of the acceptor. */
    private static ByteBuf body(byte[] message, byte kind, int length) {
        ByteBuf in = Unpooled.wrappedBuffer(message);
        String wrong = objection(in);
        if (wrong != null) {
            throw new IllegalArgumentException(wrong);
        }
        if (in.readByte() != kind || in.readableBytes() != length) {
            throw new IllegalArgumentException(
                    "the peer sent " + message.length + " bytes, not message " + kind + " of " + (HEADER + length));
        }
        return in;
    }

    private static @Nullable String objection(ByteBuf in) {
        if (!isMagic(in)) {
            return "the peer is no executor with iWARP shuffle";
        }
        int version = in.skipBytes(Integer.BYTES).readUnsignedShort();
        return version == VERSION
                ? null
                : "the peer has version " + version + " of the iWARP shuffle, this executor has version " + VERSION
                        + ": use one version of iwarp-spark everywhere";
    }

    private static boolean isMagic(ByteBuf in) {
        return in.readableBytes() >= HEADER && in.getInt(in.readerIndex()) == MAGIC;
    }

    private static ByteBuf header(byte kind) {
        return Unpooled.buffer().writeInt(MAGIC).writeShort(VERSION).writeByte(kind);
    }

    private static void writeText(ByteBuf out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeShort(bytes.length).writeBytes(bytes);
    }

    /** Returns an empty text if the length is wrong: the code is wrong then, too. */
    private static String readText(ByteBuf in) {
        return in.readableBytes() >= Short.BYTES && in.readUnsignedShort() == in.readableBytes()
                ? in.toString(StandardCharsets.UTF_8)
                : "";
    }

    private static byte[] bytes(ByteBuf out) {
        return ByteBufUtil.getBytes(out);
    }
}
