package io.iwarp.conformance.judge;

/** The peer did something that it must not, or did not do what it has to. */
public final class CaseFailed extends Exception {
    private static final long serialVersionUID = 1;

    private final String seen;
    private final String allowed;
    private final int entry;
    private final int offset;

    /** Creates a failure that no byte of the dialogue shows. */
    public CaseFailed(String seen, String allowed) {
        this(seen, allowed, -1, -1);
    }

    /**
     * @param seen what the peer did
     * @param allowed what it may do
     * @param entry the number of the entry in the dialogue with the first wrong byte, or -1
     * @param offset where that byte is
     */
    public CaseFailed(String seen, String allowed, int entry, int offset) {
        super("seen: " + seen + "; allowed: " + allowed);
        this.seen = seen;
        this.allowed = allowed;
        this.entry = entry;
        this.offset = offset;
    }

    /** Returns the failure of a case that cannot decode what came. */
    static CaseFailed undecodable(RuntimeException cause) {
        StackTraceElement[] trace = cause.getStackTrace();
        String place = trace.length == 0 ? "" : " at " + trace[0];
        return new CaseFailed("the case cannot decode what came: " + cause + place, "an exchange as described");
    }

    /** Returns what the peer did. */
    public String seen() {
        return seen;
    }

    /** Returns what it may do. */
    public String allowed() {
        return allowed;
    }

    /** Returns the number of the entry in the dialogue, or -1. */
    public int entry() {
        return entry;
    }

    /** Returns the first wrong byte in the entry. */
    public int offset() {
        return offset;
    }
}
