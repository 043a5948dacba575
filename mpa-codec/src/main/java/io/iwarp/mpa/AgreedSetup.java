package io.iwarp.mpa;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The result of the connection set-up about RDMA Reads and atomic operations, and about who may send first (RFC 6581,
 * section 9). Here "Reads" includes atomics: they share the depths (RFC 7306 section 5.2.1). Immutable.
 *
 * @param enhanced whether the two ends negotiated by the enhanced set-up; if not, the depths are the settings of this
 *     end, and the ULPs have to agree
 * @param ird how many Reads of the peer this end must accept at a time, 0 to 16382
 * @param ord how many Reads this end may have outstanding, 0 to 16382
 * @param peerIrd the IRD in the peer's frame, 0 to 16382, or {@link EnhancedSetup#NOT_NEGOTIATED}, also for a plain
 *     frame
 * @param peerOrd the ORD in the peer's frame, 0 to 16382, or {@link EnhancedSetup#NOT_NEGOTIATED}, also for a plain
 *     frame
 * @param peerToPeer whether the peer-to-peer model is in use: the initiator's first message is a ready-to-receive
 *     ("RTR") message, which tells the responder that it may send, and which is not passed to the ULPs
 * @param readyToReceiveKinds the kinds of RTR message that the Reply Frame names, which the responder must accept;
 *     empty without the peer-to-peer model; unmodifiable
 * @param readyToReceive the kind of RTR message that this end has to send before anything else, or null: for a
 *     responder, without the peer-to-peer model, and if the two frames do not match. A Read sent as RTR is not a Read
 *     of the ULP, but uses one of the peer's {@code ird} until it is answered.
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
     * Returns the result of a plain set-up, which negotiates nothing of this.
     *
     * @param ird how many Reads of the peer this end accepts at a time, 0 to 16382
     * @param ord the maximum number of outstanding Reads of this end, 0 to 16382
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
