package io.iwarp.spark;

/** A directory or an index of a peer is wrong. What it describes must not be used. */
final class ShuffleDataException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ShuffleDataException(String message) {
        super(message);
    }
}
