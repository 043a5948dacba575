package io.iwarp.mpa;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the connection set-up says about RDMA Reads and atomic operations, and about who may send first (RFC 6581, section 9).
 * "Reads" stands for both here: they share the depths (RFC 7306, section 5.2.1). Immutable.
 *
 * @param enhanced whether the two ends negotiated, by the enhanced set-up; if not, the depths are this end's own settings
 *     and their fit with the peer's is up to the ULPs
 * @param ird how many Reads of the peer this end has to take at a time, 0 to 16382
 * @param ord how many Reads this end may have outstanding, 0 to 16382
 * @param peerIrd the IRD in the peer's frame, 0 to 16382, or {@link EnhancedSetup#NOT_NEGOTIATED}, also for a plain frame
 * @param peerOrd the ORD in the peer's frame, 0 to 16382, or {@link EnhancedSetup#NOT_NEGOTIATED}, also for a plain frame
 * @param peerToPeer whether the peer-to-peer model is in use: the initiator's first message is a ready-to-receive
 *     ("RTR") message, which tells the responder that it may send and which neither ULP gets to see
 * @param readyToReceiveKinds the kinds of RTR message that the Reply Frame names, which the responder has to take; empty
 *     without the peer-to-peer model; unmodifiable
 * @param readyToReceive the kind of RTR message that this end has to send before anything else, or null: for a responder,
 *     without the peer-to-peer model, and when the two frames do not fit. A Read sent as RTR is no Read of the
 *     ULP's, but takes one of the peer's {@code ird} while it lasts.
 */
record AgreedSetup(
        boolean enhanced,
        int ird,
        int ord,
        int peerIrd,
        int peerOrd,
        boolean peerToPeer,
        Set<ReadyToReceive> readyToReceiveKinds,
        @Nullable ReadyToReceive readyToReceive) {

    /** Copies the set. */
    AgreedSetup {
        EnumSet<ReadyToReceive> kinds = EnumSet.noneOf(ReadyToReceive.class);
        kinds.addAll(Objects.requireNonNull(readyToReceiveKinds, "readyToReceiveKinds"));
        readyToReceiveKinds = Collections.unmodifiableSet(kinds);
    }

    /**
     * Returns what holds after a plain set-up, in which nothing of this is negotiated.
     *
     * @param ird how many Reads of the peer this end takes at a time, 0 to 16382
     * @param ord how many Reads this end has outstanding at most, 0 to 16382
     */
    public static AgreedSetup plain(int ird, int ord) {
        return new AgreedSetup(
                false, ird, ord, EnhancedSetup.NOT_NEGOTIATED, EnhancedSetup.NOT_NEGOTIATED, false, Set.of(), null);
    }

    /** Returns what was agreed in one line. */
    @Override
    public String toString() {
        String depths = "IRD " + ird + ", ORD " + ord;
        if (!enhanced) {
            return "plain set-up, " + depths;
        }
        return "enhanced set-up, " + depths + ", peer's IRD " + depth(peerIrd) + ", peer's ORD " + depth(peerOrd)
                + (peerToPeer ? ", peer-to-peer with RTR by one of " + readyToReceiveKinds : "");
    }

    private static String depth(int depth) {
        return depth == EnhancedSetup.NOT_NEGOTIATED ? "not negotiated" : Integer.toString(depth);
    }
}
