package io.iwarp.internal.mpa;

import org.jspecify.annotations.Nullable;

/**
 * Decides which revisions of MPA, and which forms of them, this endpoint accepts.
 *
 * <p>A plain frame is one of revision 1 (RFC 5044), or of revision 2 with S clear, which has the same format (RFC 6581,
 * section 6). An enhanced frame has revision 2 and S set. An endpoint that does not know the enhanced form closes the
 * connection on it (RFC 6581 section 10).
 */
public final class MpaRevisions {

    /** The revision of plain frames. */
    public static final int PLAIN = 1;

    /** The revision of enhanced frames, and the highest revision. */
    public static final int ENHANCED = MpaFrameLayout.FIRST_ENHANCED_REVISION;

    private MpaRevisions() {}

    /**
     * Returns why a Request Frame ends the connection, or null if it is accepted.
     *
     * @param supported the highest revision that this endpoint supports, 1 or 2
     * @param flags the byte of flags
     * @param revision the revision byte, 0 to 255
     */
    static @Nullable String requestRefusal(int supported, int flags, int revision) {
        if (supported < ENHANCED && MpaFrameLayout.enhanced(flags, revision) && revision == ENHANCED) {
            return "the frame asks for the enhanced connection set-up (revision " + revision
                    + ", S bit set), which is not offered here; have the peer use revision " + PLAIN;
        }
        return refusal(revision);
    }

    /**
     * Returns why a Reply Frame ends the connection, or null if it is accepted.
     *
     * @param enhanced whether our Request Frame was an enhanced one
     * @param flags the byte of flags
     * @param revision the revision byte, 0 to 255
     */
    static @Nullable String replyRefusal(boolean enhanced, int flags, int revision) {
        if (!enhanced && MpaFrameLayout.enhanced(flags, revision) && revision == ENHANCED) {
            return "the peer replied to a plain MPA Request Frame with the enhanced connection set-up (revision "
                    + revision + ", S bit set), which it must not do (RFC 6581 section 10)";
        }
        return refusal(revision);
    }

    private static @Nullable String refusal(int revision) {
        return revision >= PLAIN && revision <= ENHANCED
                ? null
                : "MPA revision " + revision + " is not supported (expected: " + PLAIN + " or " + ENHANCED
                        + "); configure the peer to use one of them";
    }

    /** Returns the revision to use for two accepted ones: the lower one. */
    static int common(int ours, int theirs) {
        return Math.min(ours, theirs);
    }
}
