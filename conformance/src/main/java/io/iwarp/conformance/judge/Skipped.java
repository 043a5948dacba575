package io.iwarp.conformance.judge;

/** A case found out that it cannot be done with this peer. */
public final class Skipped extends Exception {
    private static final long serialVersionUID = 1;

    /** @param reason in one line */
    public Skipped(String reason) {
        super(reason);
    }
}
