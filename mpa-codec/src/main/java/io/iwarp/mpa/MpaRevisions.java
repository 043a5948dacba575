package io.iwarp.mpa;

import org.jspecify.annotations.Nullable;

/**
 * The one place that decides with which revisions of MPA, and with which form of them, this endpoint works together.
 *
 * <p>Plain revision 1 is spoken (RFC 5044). A revision 2 frame with S clear is the same octet by octet (RFC 6581, section 6)
 * and is taken as such. The enhanced set-up (S set) is not offered, and an endpoint without it closes the connection
 * (RFC 6581, section 10).
 */
final class MpaRevisions {

    /** The revision our frames carry. */
    static final int SPOKEN = 1;

    private MpaRevisions() {}

    /**
     * Returns why a frame with this revision and S bit ends the connection, or null if it does not.
     *
     * @param revision the revision octet, 0 to 255
     * @param enhanced whether the S bit is set and the revision knows it
     */
    static @Nullable String refusal(int revision, boolean enhanced) {
        if (revision < SPOKEN || revision > MpaFrameLayout.FIRST_ENHANCED_REVISION) {
            return "MPA revision " + revision + " is not supported, allowed are " + SPOKEN + " and "
                    + MpaFrameLayout.FIRST_ENHANCED_REVISION + " with the S bit clear; have the peer use revision "
                    + SPOKEN;
        }
        if (enhanced) {
            return "the frame asks for the enhanced connection set-up (revision " + revision
                    + ", S bit set), which is not offered here; have the peer use revision " + SPOKEN;
        }
        return null;
    }

    /** Returns the revision to use with a peer that sent {@code theirs}, which was not refused: the lower of the two. */
    static int common(int theirs) {
        return Math.min(theirs, SPOKEN);
    }
}
