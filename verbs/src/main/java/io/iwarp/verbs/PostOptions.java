package io.iwarp.verbs;

/**
 * How a request is carried out (the send flags of verbs). Immutable; the four that there are exist already.
 *
 * @param solicited whether to ask for an event at the peer: a Send, or Immediate Data, then wakes a peer that waits for
 *     solicited events only. Of meaning for requests that use up a receive of the peer.
 * @param fenced whether the request waits until all Reads and atomics posted before it have completed. A request that
 *     depends on what a Read brought, or that must not overtake one, needs it (RFC 5040 section 5.5).
 */
public record PostOptions(boolean solicited, boolean fenced) {
    /** Neither. */
    public static final PostOptions NONE = new PostOptions(false, false);

    /** Asks for an event at the peer. */
    public static final PostOptions SOLICITED = new PostOptions(true, false);

    /** Waits for all earlier Reads and atomics. */
    public static final PostOptions FENCED = new PostOptions(false, true);

    /** Both. */
    public static final PostOptions SOLICITED_AND_FENCED = new PostOptions(true, true);
}
