package io.iwarp.simulation;

/** An invariant does not hold. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String invariant, String detail) {
        super(invariant + ": " + detail);
    }
}
