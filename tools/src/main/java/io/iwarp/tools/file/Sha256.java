package io.iwarp.tools.file;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Computes a SHA-256 incrementally. */
final class Sha256 {
    private final MessageDigest digest;

    Sha256() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Adds all remaining bytes. */
    void update(ByteBuffer bytes) {
        digest.update(bytes);
    }

    /** Returns the hash of all bytes so far, in hexadecimal, then resets the computation. */
    String hex() {
        return HexFormat.of().formatHex(digest.digest());
    }
}
