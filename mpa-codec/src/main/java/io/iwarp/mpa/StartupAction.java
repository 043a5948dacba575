package io.iwarp.mpa;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolFault;
import io.iwarp.Role;
import org.jspecify.annotations.Nullable;

/** The action that {@link MpaStartup} requests after an event. After each of the last three the start-up is over. */
sealed interface StartupAction {

    /** Wait for the next event. */
    record Wait() implements StartupAction {}

    /** Write the Request Frame, in one write. */
    record Send(MpaFrame.Request request) implements StartupAction {}

    /** Let the application decide about the Request Frame. */
    record Ask(MpaFrame.Request request) implements StartupAction {}

    /**
     * Write the Reply Frame if there is one, in one write, then enter Full Operation.
     *
     * @param fault why an initiator must end the connection with a Terminate at once, or null
     */
    record Establish(
            MpaFrame.@Nullable Reply reply,
            Agreement agreement,
            @Nullable ProtocolFault fault) implements StartupAction {}

    /** Write the Reply Frame if there is one, in one write, then leave the open TCP connection to the ULP. */
    record Leave(MpaFrame.@Nullable Reply reply, MpaEvent.Rejected rejected) implements StartupAction {

        /** Creates the action with what the ULP learns of the Reply Frame and of the peer's set-up data. */
        static Leave of(MpaFrame.@Nullable Reply ours, byte[] privateData, MpaFrame theirs) {
            EnhancedSetup setup = theirs.setup();
            EndedBy endedBy = ours == null ? EndedBy.PEER_REJECTED : EndedBy.LOCAL_APPLICATION;
            return new Leave(
                    ours,
                    setup == null
                            ? new MpaEvent.Rejected(endedBy, privateData)
                            : new MpaEvent.Rejected(endedBy, privateData, setup.ird(), setup.ord()));
        }
    }

    /**
     * Report the reason and close the TCP connection.
     *
     * @param enhancedRefused as in {@link MpaEvent.StartupFailed}
     */
    record Fail(CloseReason reason, boolean enhancedRefused) implements StartupAction {}

    /** What the two ends agreed on: {@link MpaParameters} without the MULPDU, which depends on the transport. */
    @SuppressWarnings("ArrayRecordComponent") // passed on at once, never compared
    record Agreement(
            Role role,
            int revision,
            boolean crc,
            boolean sendMarkers,
            boolean receiveMarkers,
            byte[] peerPrivateData,
            AgreedSetup setup) {

        /** Combines the frame we sent with the one the peer sent. */
        static Agreement between(Role role, MpaFrame ours, MpaFrame theirs, AgreedSetup setup) {
            return new Agreement(
                    role,
                    MpaRevisions.common(ours.revision(), theirs.revision()),
                    ours.crc() || theirs.crc(),
                    theirs.markers(),
                    ours.markers(),
                    theirs.ulpPrivateData(),
                    setup);
        }

        MpaParameters withMulpdu(int mulpdu) {
            return MpaParameters.builder(role)
                    .revision(revision)
                    .crc(crc)
                    .sendMarkers(sendMarkers)
                    .receiveMarkers(receiveMarkers)
                    .mulpdu(mulpdu)
                    .peerPrivateData(peerPrivateData)
                    .setup(setup)
                    .build();
        }
    }
}
