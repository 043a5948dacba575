package io.iwarp.verbs;

/**
 * Options of a posted request (the send flags of verbs). Use one of the constants. Immutable.
 *
 * <p>Options combine: {@code SOLICITED.and(FENCE)} is {@link #SOLICITED_AND_FENCE}.
 */
public final class PostOptions {
    private static final int SOLICITED_FLAG = 1;
    private static final int FENCE_FLAG = 2;

    /** Neither solicited nor fenced. */
    public static final PostOptions NONE = new PostOptions(0);

    /** Asks for an event at the peer. */
    public static final PostOptions SOLICITED = new PostOptions(SOLICITED_FLAG);

    /** Waits for all earlier Reads and atomics. */
    public static final PostOptions FENCE = new PostOptions(FENCE_FLAG);

    /** Asks for an event at the peer, and waits for all earlier Reads and atomics. */
    public static final PostOptions SOLICITED_AND_FENCE = new PostOptions(SOLICITED_FLAG | FENCE_FLAG);

    private static final PostOptions[] BY_FLAGS = {NONE, SOLICITED, FENCE, SOLICITED_AND_FENCE};

    private final int flags;

    private PostOptions(int flags) {
        this.flags = flags;
    }

    /** Returns these options together with {@code others}. Allocates nothing. */
    public PostOptions and(PostOptions others) {
        return BY_FLAGS[flags | others.flags];
    }

    /**
     * Returns whether the request requests an event at the peer. A Send or Immediate Data then wakes a peer that waits
     * for solicited events only. It has no effect on requests that consume no receive of the peer.
     */
    public boolean solicited() {
        return (flags & SOLICITED_FLAG) != 0;
    }

    /**
     * Returns whether the request waits until all Reads and atomics posted before it have completed. Use it for a
     * request that depends on the data of a Read or must not overtake one (RFC 5040 section 5.5).
     */
    public boolean fenced() {
        return (flags & FENCE_FLAG) != 0;
    }

    /** Returns the names of the options. */
    @Override
    public String toString() {
        return "PostOptions[solicited=" + solicited() + ", fenced=" + fenced() + "]";
    }
}
