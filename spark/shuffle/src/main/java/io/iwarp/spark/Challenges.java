package io.iwarp.spark;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The nonces that an executor issues to those who connect. A challenge contains the time of its issue and a code under
 * a key of this executor, so a challenge that is not used takes no memory. Those that were used are kept until they
 * expire, because each is good for one connection.
 *
 * <pre>
 *     0  time of issue in nanoseconds (8 bytes)      8  random bytes (16)      24  code of bytes 0 to 23 (32 bytes)
 * </pre>
 *
 * <p>Any thread may call any method.
 */
final class Challenges {
    static final int LENGTH = 56;
    static final Duration LIFETIME = Duration.ofMinutes(1);

    private static final int RANDOM = 16;

    private final Hmac codes = new Hmac(Hmac.randomBytes(Hmac.LENGTH));
    private final LongSupplier nanoTime;
    // This guards the following.
    private final Set<ByteBuf> used = new HashSet<>();
    private final ArrayDeque<ByteBuf> inOrderOfUse = new ArrayDeque<>();

    Challenges(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    byte[] issue() {
        ByteBuf challenge = Unpooled.buffer(LENGTH, LENGTH);
        challenge.writeLong(nanoTime.getAsLong()).writeBytes(Hmac.randomBytes(RANDOM));
        return challenge.writeBytes(codes.code(challenge)).array();
    }

    /**
     * Uses a challenge. The caller has checked that the initiator has the application's secret, so a peer without it
     * takes no memory.
     *
     * @param challenge of {@link #LENGTH} bytes
     * @return false if this executor did not issue it, if it is older than {@link #LIFETIME}, or if it was used before
     */
    synchronized boolean use(byte[] challenge) {
        while (!inOrderOfUse.isEmpty() && isExpired(inOrderOfUse.peek())) {
            used.remove(inOrderOfUse.remove());
        }
        ByteBuf fresh = Unpooled.wrappedBuffer(challenge);
        if (!isIssued(fresh) || isExpired(fresh) || !used.add(fresh)) {
            return false;
        }
        inOrderOfUse.add(fresh);
        return true;
    }

    private boolean isIssued(ByteBuf challenge) {
        byte[] code = codes.code(challenge.slice(0, LENGTH - Hmac.LENGTH));
        return MessageDigest.isEqual(ByteBufUtil.getBytes(challenge, LENGTH - Hmac.LENGTH, Hmac.LENGTH), code);
    }

    private boolean isExpired(ByteBuf challenge) {
        return nanoTime.getAsLong() - challenge.getLong(0) > LIFETIME.toNanos();
    }

    /** Returns the number of used challenges that are kept. */
    synchronized int kept() {
        return used.size();
    }
}
