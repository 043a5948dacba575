package io.iwarp.verbs;

/**
 * Options of a posted request (the send flags of verbs). Use one of the constants. Immutable.
 *
 * <p>Options combine: {@code SOLICITED.and(FENCE)} is {@link #SOLICITED_AND_FENCE}.
 */
public final class PostOptions {
    /** Neither solicited nor fenced. */
    public static final PostOptions NONE = new PostOptions(false, false);

    /** Asks for an event at the peer. */
    public static final PostOptions SOLICITED = new PostOptions(true, false);

    /** Waits for all earlier Reads and atomics. */
    public static final PostOptions FENCE = new PostOptions(false, true);

    /** Asks for an event at the peer, and waits for all earlier Reads and atomics. */
    public static final PostOptions SOLICITED_AND_FENCE = new PostOptions(true, true);

    final boolean solicited;
    final boolean fenced;

    private PostOptions(boolean solicited, boolean fenced) {
        this.solicited = solicited;
        this.fenced = fenced;
    }

    /** Returns these options together with {@code others}. Allocates nothing. */
    public PostOptions and(PostOptions others) {
        boolean eitherFenced = fenced || others.fenced;
        return solicited || others.solicited
                ? (eitherFenced ? SOLICITED_AND_FENCE : SOLICITED)
                : (eitherFenced ? FENCE : NONE);
    }

    /**
     * Returns whether the request requests an event at the peer. A Send or Immediate Data then wakes a peer that waits
     * for solicited events only. It has no effect on requests that consume no receive of the peer.
     */
    public boolean solicited() {
        return solicited;
    }

    /**
     * Returns whether the request waits until all Reads and atomics posted before it have completed. Use it for a
     * request that depends on the data of a Read or must not overtake one (RFC 5040 section 5.5).
     */
    public boolean fenced() {
        return fenced;
    }

    /** Returns the names of the options. */
    @Override
    public String toString() {
        return "PostOptions[solicited=" + solicited + ", fenced=" + fenced + "]";
    }
}
