package io.iwarp.mpa;

import io.iwarp.Role;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the two ends agreed on at start-up (RFC 5044 section 7.1; for the depths and the peer-to-peer model RFC 6581
 * section 9). Immutable; the private data is copied in and out.
 */
public final class MpaParameters {
    private final Role role;
    private final int revision;
    private final boolean crc;
    private final boolean sendMarkers;
    private final boolean receiveMarkers;
    private final int mulpdu;
    private final byte[] peerPrivateData;
    private final boolean enhanced;
    private final int ird;
    private final int ord;
    private final int peerIrd;
    private final int peerOrd;
    private final boolean peerToPeer;
    private final Set<ReadyToReceive> readyToReceiveKinds;
    private final @Nullable ReadyToReceive readyToReceive;

    private MpaParameters(Builder builder) {
        role = builder.role;
        revision = builder.revision;
        crc = builder.crc;
        sendMarkers = builder.sendMarkers;
        receiveMarkers = builder.receiveMarkers;
        mulpdu = builder.mulpdu;
        peerPrivateData = builder.peerPrivateData;
        enhanced = builder.enhanced;
        ird = builder.ird;
        ord = builder.ord;
        peerIrd = builder.peerIrd;
        peerOrd = builder.peerOrd;
        peerToPeer = builder.peerToPeer;
        readyToReceiveKinds = builder.readyToReceiveKinds;
        readyToReceive = builder.readyToReceive;
    }

    /**
     * Returns a builder of parameters, for handlers that are used or tested without a start-up. It starts with those of
     * a plain start-up: revision 1, CRC, no markers, the largest MULPDU, no private data, and the default depths of
     * {@link MpaSettings}.
     *
     * @param role the role of this end in the start-up
     */
    public static Builder builder(Role role) {
        return new Builder(role);
    }

    /** Returns the role of this end in the start-up. */
    public Role role() {
        return role;
    }

    /**
     * Returns the MPA revision in use: 1 for a plain or a pre-agreed start, or 2. DDP and RDMAP have version 1 with
     * both.
     */
    public int revision() {
        return revision;
    }

    /** Returns whether the CRC of FPDUs is generated and checked, in both directions. */
    public boolean crc() {
        return crc;
    }

    /** Returns whether this end puts markers into what it sends, because the peer asked for them. */
    public boolean sendMarkers() {
        return sendMarkers;
    }

    /** Returns whether the peer puts markers into what it sends, because this end asked for them. */
    public boolean receiveMarkers() {
        return receiveMarkers;
    }

    /**
     * Returns the largest ULPDU that MPA accepts, in bytes, at the start. {@link MpaEvent.MulpduChanged} reports later
     * changes.
     */
    public int mulpdu() {
        return mulpdu;
    }

    /**
     * Returns a copy of the private data in the peer's Request or Reply Frame, 0 to 512 bytes, without the bytes of the
     * enhanced set-up.
     */
    public byte[] peerPrivateData() {
        return peerPrivateData.clone();
    }

    /**
     * Returns whether the two ends negotiated by the enhanced set-up. Otherwise the depths are this end's own settings.
     */
    public boolean enhanced() {
        return enhanced;
    }

    /** Returns the maximum number of RDMA Reads and atomics of the peer that this end accepts at a time, 0 to 16382. */
    public int ird() {
        return ird;
    }

    /** Returns the maximum number of RDMA Reads and atomics that this end may have outstanding, 0 to 16382. */
    public int ord() {
        return ord;
    }

    /** Returns the IRD in the peer's frame, or {@link EnhancedSetup#NOT_NEGOTIATED}, also for a plain frame. */
    public int peerIrd() {
        return peerIrd;
    }

    /** Returns the ORD in the peer's frame, or {@link EnhancedSetup#NOT_NEGOTIATED}, also for a plain frame. */
    public int peerOrd() {
        return peerOrd;
    }

    /** Returns whether the peer-to-peer model is in use: the initiator sends a ready-to-receive message first. */
    public boolean peerToPeer() {
        return peerToPeer;
    }

    /**
     * Returns the kinds of ready-to-receive message that the responder has to accept, those of the Reply Frame. Empty
     * without the peer-to-peer model. Unmodifiable.
     */
    public Set<ReadyToReceive> readyToReceiveKinds() {
        return readyToReceiveKinds;
    }

    /**
     * Returns the kind of ready-to-receive message that this end has to send before anything else; null for a
     * responder, without the peer-to-peer model, or if the two frames do not match. A Read that serves as this message
     * is not the ULP's, but counts against the peer's IRD until its response.
     */
    public @Nullable ReadyToReceive readyToReceive() {
        return readyToReceive;
    }

    /** Returns a builder that starts with these parameters. */
    Builder toBuilder() {
        Builder builder = new Builder(role)
                .revision(revision)
                .crc(crc)
                .sendMarkers(sendMarkers)
                .receiveMarkers(receiveMarkers)
                .mulpdu(mulpdu)
                .peerPrivateData(peerPrivateData)
                .negotiated(ird, ord, peerIrd, peerOrd)
                .readyToReceive(peerToPeer, readyToReceiveKinds, readyToReceive);
        builder.enhanced = enhanced;
        return builder;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MpaParameters that
                && role == that.role
                && revision == that.revision
                && crc == that.crc
                && sendMarkers == that.sendMarkers
                && receiveMarkers == that.receiveMarkers
                && mulpdu == that.mulpdu
                && Arrays.equals(peerPrivateData, that.peerPrivateData)
                && enhanced == that.enhanced
                && ird == that.ird
                && ord == that.ord
                && peerIrd == that.peerIrd
                && peerOrd == that.peerOrd
                && peerToPeer == that.peerToPeer
                && readyToReceiveKinds.equals(that.readyToReceiveKinds)
                && readyToReceive == that.readyToReceive;
    }

    @Override
    public int hashCode() {
        return 31
                        * Objects.hash(
                                role,
                                revision,
                                crc,
                                sendMarkers,
                                receiveMarkers,
                                mulpdu,
                                enhanced,
                                ird,
                                ord,
                                peerToPeer)
                + Arrays.hashCode(peerPrivateData);
    }

    /** Returns the parameters in one line; of the private data only its length. */
    @Override
    public String toString() {
        return "MPA revision " + revision + " as " + role + ", CRC " + (crc ? "on" : "off") + ", markers sent "
                + (sendMarkers ? "yes" : "no") + ", markers received " + (receiveMarkers ? "yes" : "no")
                + ", MULPDU " + mulpdu + " bytes, peer's private data " + peerPrivateData.length + " bytes, " + depths()
                + (peerToPeer ? ", peer-to-peer with RTR by one of " + readyToReceiveKinds : "");
    }

    private String depths() {
        String own = "IRD " + ird + ", ORD " + ord;
        return enhanced
                ? "enhanced set-up, " + own + ", peer's IRD " + depth(peerIrd) + ", peer's ORD " + depth(peerOrd)
                : "plain set-up, " + own;
    }

    private static String depth(int depth) {
        return depth == EnhancedSetup.NOT_NEGOTIATED ? "not negotiated" : Integer.toString(depth);
    }

    /** Collects parameters. Not thread-safe. */
    public static final class Builder {
        private final Role role;
        private int revision = MpaRevisions.PLAIN;
        private boolean crc = true;
        private boolean sendMarkers;
        private boolean receiveMarkers;
        private int mulpdu = MpaSettings.MAX_MULPDU;
        private byte[] peerPrivateData = {};
        private boolean enhanced;
        private int ird = MpaSettings.DEFAULT.ird();
        private int ord = MpaSettings.DEFAULT.ord();
        private int peerIrd = EnhancedSetup.NOT_NEGOTIATED;
        private int peerOrd = EnhancedSetup.NOT_NEGOTIATED;
        private boolean peerToPeer;
        private Set<ReadyToReceive> readyToReceiveKinds = Set.of();
        private @Nullable ReadyToReceive readyToReceive;

        private Builder(Role role) {
            this.role = Objects.requireNonNull(role, "role");
        }

        /** Sets {@link MpaParameters#revision()}. */
        public Builder revision(int revision) {
            this.revision = revision;
            return this;
        }

        /** Sets {@link MpaParameters#crc()}. */
        public Builder crc(boolean crc) {
            this.crc = crc;
            return this;
        }

        /** Sets {@link MpaParameters#sendMarkers()}. */
        public Builder sendMarkers(boolean sendMarkers) {
            this.sendMarkers = sendMarkers;
            return this;
        }

        /** Sets {@link MpaParameters#receiveMarkers()}. */
        public Builder receiveMarkers(boolean receiveMarkers) {
            this.receiveMarkers = receiveMarkers;
            return this;
        }

        /** Sets {@link MpaParameters#mulpdu()} in bytes. */
        public Builder mulpdu(int mulpdu) {
            this.mulpdu = mulpdu;
            return this;
        }

        /** Sets {@link MpaParameters#peerPrivateData()}, which is copied. */
        public Builder peerPrivateData(byte[] peerPrivateData) {
            this.peerPrivateData = peerPrivateData.clone();
            return this;
        }

        /** Sets the depths of this end, 0 to 16382, after a plain set-up, which negotiates none. */
        Builder depths(int ird, int ord) {
            this.ird = ird;
            this.ord = ord;
            return this;
        }

        /** Sets the depths after an enhanced set-up; those of the peer as in its frame. */
        Builder negotiated(int ird, int ord, int peerIrd, int peerOrd) {
            this.enhanced = true;
            this.peerIrd = peerIrd;
            this.peerOrd = peerOrd;
            return depths(ird, ord);
        }

        /**
         * Sets whether the peer-to-peer model is in use, the kinds of the Reply Frame, and the one that this end sends.
         */
        Builder readyToReceive(boolean inUse, Set<ReadyToReceive> kinds, @Nullable ReadyToReceive first) {
            EnumSet<ReadyToReceive> copy = EnumSet.noneOf(ReadyToReceive.class);
            copy.addAll(kinds);
            this.peerToPeer = inUse;
            this.readyToReceiveKinds = Collections.unmodifiableSet(copy);
            this.readyToReceive = first;
            return this;
        }

        /** Returns the parameters. */
        public MpaParameters build() {
            return new MpaParameters(this);
        }
    }
}
