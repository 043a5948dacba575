package io.iwarp.spark;

import io.netty.buffer.ByteBuf;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Computes codes of HMAC-SHA-256 under one key. Any thread may call any method. */
final class Hmac {
    static final int LENGTH = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    Hmac(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    static byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    /** Returns the code of the readable bytes, which stay readable. */
    byte[] code(ByteBuf bytes) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(bytes.nioBuffer());
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("each JDK has " + ALGORITHM, e);
        }
    }
}
