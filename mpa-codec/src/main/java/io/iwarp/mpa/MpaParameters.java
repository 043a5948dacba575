package io.iwarp.mpa;

import io.iwarp.Role;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the two ends agreed on at start-up. Immutable; the private data is copied in and out.
 *
 * @param role this endpoint's part in the start-up
 * @param revision the MPA revision in use: 1 for a plain or a pre-agreed start, or 2. DDP and RDMAP have version 1 with both.
 * @param crc whether the CRC of FPDUs is generated and checked, in both directions
 * @param sendMarkers whether we put markers into what we send, the peer's wish
 * @param receiveMarkers whether the peer puts markers into what it sends, our wish
 * @param mulpdu the largest ULPDU MPA takes, in bytes, as it is at the start; {@link MpaEvent.MulpduChanged} tells of
 *     later changes
 * @param peerPrivateData the private data of the peer's Request or Reply Frame, 0 to 512 bytes, for the ULP: without the
 *     bytes of the enhanced set-up
 * @param setup the depths of RDMA Reads and atomics, and the peer-to-peer model
 */
@SuppressWarnings("ArrayRecordComponent") // copied in and out, compared by content
public record MpaParameters(
        Role role,
        int revision,
        boolean crc,
        boolean sendMarkers,
        boolean receiveMarkers,
        int mulpdu,
        byte[] peerPrivateData,
        AgreedSetup setup) {

    /** Copies the private data. */
    public MpaParameters {
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(setup, "setup");
        peerPrivateData = peerPrivateData.clone();
    }

    /** Creates the parameters of a plain start-up with the default depths, {@link MpaSettings#DEFAULT_DEPTH}. */
    public MpaParameters(
            Role role,
            int revision,
            boolean crc,
            boolean sendMarkers,
            boolean receiveMarkers,
            int mulpdu,
            byte[] peerPrivateData) {
        this(
                role,
                revision,
                crc,
                sendMarkers,
                receiveMarkers,
                mulpdu,
                peerPrivateData,
                AgreedSetup.plain(MpaSettings.DEFAULT_DEPTH, MpaSettings.DEFAULT_DEPTH));
    }

    /** Returns a copy of the private data of the peer's Request or Reply Frame, 0 to 512 bytes. */
    @Override
    public byte[] peerPrivateData() {
        return peerPrivateData.clone();
    }

    /** Returns {@link AgreedSetup#enhanced()}: whether the two ends negotiated by the enhanced set-up. */
    public boolean enhanced() {
        return setup.enhanced();
    }

    /** Returns {@link AgreedSetup#ird()}: how many RDMA Reads and atomics of the peer this end takes at a time. */
    public int ird() {
        return setup.ird();
    }

    /** Returns {@link AgreedSetup#ord()}: how many RDMA Reads and atomics this end may have outstanding. */
    public int ord() {
        return setup.ord();
    }

    /** Returns {@link AgreedSetup#peerIrd()}: the IRD in the peer's frame. */
    public int peerIrd() {
        return setup.peerIrd();
    }

    /** Returns {@link AgreedSetup#peerOrd()}: the ORD in the peer's frame. */
    public int peerOrd() {
        return setup.peerOrd();
    }

    /** Returns {@link AgreedSetup#peerToPeer()}: whether the initiator sends a ready-to-receive message first. */
    public boolean peerToPeer() {
        return setup.peerToPeer();
    }

    /** Returns {@link AgreedSetup#readyToReceiveKinds()}: the kinds of ready-to-receive message that may come. */
    public Set<ReadyToReceive> readyToReceiveKinds() {
        return setup.readyToReceiveKinds();
    }

    /** Returns {@link AgreedSetup#readyToReceive()}: the kind that this end has to send first, or null for none. */
    public @Nullable ReadyToReceive readyToReceive() {
        return setup.readyToReceive();
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
                && setup.equals(that.setup);
    }

    @Override
    public int hashCode() {
        return 31 * Objects.hash(role, revision, crc, sendMarkers, receiveMarkers, mulpdu, setup)
                + Arrays.hashCode(peerPrivateData);
    }

    /** Returns the parameters in one line; of the private data only its length, which is the ULP's own business. */
    @Override
    public String toString() {
        return "MPA revision " + revision + " as " + role + ", CRC " + (crc ? "on" : "off") + ", markers sent "
                + (sendMarkers ? "yes" : "no") + ", markers received " + (receiveMarkers ? "yes" : "no")
                + ", MULPDU " + mulpdu + " bytes, peer's private data " + peerPrivateData.length + " bytes, " + setup;
    }
}
