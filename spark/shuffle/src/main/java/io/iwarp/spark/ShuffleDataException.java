package io.iwarp.spark;

/** Thrown if a directory or an index of a peer is wrong. Its content must not be used. */
final class ShuffleDataException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ShuffleDataException(String message) {
        super(message);
    }
}
