package io.iwarp.mpa;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the two ends agreed on at start-up. Immutable; the private data is copied in and out.
 *
 * @param role this endpoint's part in the start-up
 * @param revision the MPA revision in use, which the DDP and RDMAP versions follow; 1 also for a pre-agreed start
 * @param crc whether the CRC of FPDUs is generated and checked, in both directions
 * @param sendMarkers whether we put markers into what we send, the peer's wish
 * @param receiveMarkers whether the peer puts markers into what it sends, our wish
 * @param mulpdu the largest ULPDU MPA takes, in octets, as it is at the start; {@link MpaEvent.MulpduChanged} tells of
 *     later changes
 * @param peerPrivateData the private data of the peer's Request or Reply Frame, 0 to 512 octets, for the ULP
 */
@SuppressWarnings("ArrayRecordComponent") // copied in and out, compared by content
public record MpaParameters(
        Role role,
        int revision,
        boolean crc,
        boolean sendMarkers,
        boolean receiveMarkers,
        int mulpdu,
        byte[] peerPrivateData) {

    private static final int DEFAULT_DEPTH = 16;

    /** Returns how many RDMA Reads and atomics of the peer this end takes at a time. */
    public int ird() {
        return DEFAULT_DEPTH;
    }

    /** Returns how many RDMA Reads and atomics this end may have outstanding. */
    public int ord() {
        return DEFAULT_DEPTH;
    }

    /** Returns whether the peer-to-peer model was agreed on. */
    public boolean peerToPeer() {
        return false;
    }

    /** Returns the kind of ready-to-receive message that this end has to send first, or null for none. */
    public @Nullable ReadyToReceive readyToReceive() {
        return null;
    }

    /** Copies the private data. */
    public MpaParameters {
        Objects.requireNonNull(role, "role");
        peerPrivateData = peerPrivateData.clone();
    }

    /** Returns a copy of the private data of the peer's Request or Reply Frame, 0 to 512 octets. */
    @Override
    public byte[] peerPrivateData() {
        return peerPrivateData.clone();
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
                && Arrays.equals(peerPrivateData, that.peerPrivateData);
    }

    @Override
    public int hashCode() {
        return 31 * Objects.hash(role, revision, crc, sendMarkers, receiveMarkers, mulpdu)
                + Arrays.hashCode(peerPrivateData);
    }

    /** Returns the parameters in one line; of the private data only its length, which is the ULP's own business. */
    @Override
    public String toString() {
        return "MPA revision " + revision + " as " + role + ", CRC " + (crc ? "on" : "off") + ", markers sent "
                + (sendMarkers ? "yes" : "no") + ", markers received " + (receiveMarkers ? "yes" : "no")
                + ", MULPDU " + mulpdu + " octets, peer's private data " + peerPrivateData.length + " octets";
    }
}
