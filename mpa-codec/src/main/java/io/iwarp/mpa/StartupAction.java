package io.iwarp.mpa;

import io.iwarp.CloseReason;
import org.jspecify.annotations.Nullable;

/** What {@link MpaStartup} wants done after an event. After any of the last three the start-up is over. */
sealed interface StartupAction {

    /** Nothing; more has to happen first. */
    record Wait() implements StartupAction {}

    /** Write the Request Frame, in one write. */
    record Send(MpaFrame.Request request) implements StartupAction {}

    /** Have the application decide about the Request Frame. */
    record Ask(MpaFrame.Request request) implements StartupAction {}

    /** Write the Reply Frame if there is one, in one write, then enter Full Operation. */
    record Establish(MpaFrame.@Nullable Reply reply, Agreement agreement) implements StartupAction {}

    /** Write the Reply Frame if there is one, in one write, then leave the open TCP connection to the ULP. */
    @SuppressWarnings("ArrayRecordComponent") // passed on at once, never compared
    record Leave(MpaFrame.@Nullable Reply reply, byte[] privateData) implements StartupAction {}

    /** Report the reason and close the TCP connection. */
    record Fail(CloseReason reason) implements StartupAction {}

    /** What the two ends agreed on: {@link MpaParameters} but for the MULPDU, which depends on the transport. */
    @SuppressWarnings("ArrayRecordComponent") // passed on at once, never compared
    record Agreement(
            Role role, int revision, boolean crc, boolean sendMarkers, boolean receiveMarkers, byte[] peerPrivateData) {

        /** Combines the frame we sent with the one the peer sent. */
        static Agreement between(Role role, MpaFrame ours, MpaFrame theirs) {
            return new Agreement(
                    role,
                    MpaRevisions.common(theirs.revision()),
                    ours.crc() || theirs.crc(),
                    theirs.markers(),
                    ours.markers(),
                    theirs.privateData());
        }

        MpaParameters withMulpdu(int mulpdu) {
            return new MpaParameters(role, revision, crc, sendMarkers, receiveMarkers, mulpdu, peerPrivateData);
        }
    }
}
