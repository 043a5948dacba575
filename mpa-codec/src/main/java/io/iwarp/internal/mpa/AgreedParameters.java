package io.iwarp.internal.mpa;

import io.iwarp.Role;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.ReadyToReceive;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parameters of a start-up. */
@SuppressWarnings("ArrayRecordComponent") // copied in and out
public record AgreedParameters(
        Role role,
        int revision,
        boolean crc,
        boolean sendMarkers,
        boolean receiveMarkers,
        int mulpdu,
        byte[] peerPrivateData,
        boolean enhanced,
        int ird,
        int ord,
        int peerIrd,
        int peerOrd,
        boolean peerToPeer,
        Set<ReadyToReceive> readyToReceiveKinds,
        @Nullable ReadyToReceive readyToReceive)
        implements MpaParameters {

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

    @Override
    public byte[] peerPrivateData() {
        return peerPrivateData.clone();
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
        return other instanceof AgreedParameters that
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
                ? "enhanced set-up, " + own + ", peer's IRD " + EnhancedSetup.depthText(peerIrd) + ", peer's ORD "
                        + EnhancedSetup.depthText(peerOrd)
                : "plain set-up, " + own;
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
        private int peerIrd = NOT_NEGOTIATED;
        private int peerOrd = NOT_NEGOTIATED;
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
        public AgreedParameters build() {
            return new AgreedParameters(
                    role,
                    revision,
                    crc,
                    sendMarkers,
                    receiveMarkers,
                    mulpdu,
                    peerPrivateData,
                    enhanced,
                    ird,
                    ord,
                    peerIrd,
                    peerOrd,
                    peerToPeer,
                    readyToReceiveKinds,
                    readyToReceive);
        }
    }
}
