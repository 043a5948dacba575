package io.iwarp.conformance.judge;

/** A case found out that it cannot be done with this peer. */
public final class CaseSkipped extends Exception {
    private static final long serialVersionUID = 1;

    /** @param reason in one line */
    public CaseSkipped(String reason) {
        super(reason);
    }
}
