package io.iwarp.internal.mpa;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.internal.ProtocolFault;
import org.jspecify.annotations.Nullable;

/** The action that {@link MpaStartup} requests after an event. Each of the last three ends the start-up. */
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
     * @param agreed with the largest MULPDU: the one of the connection depends on the transport
     * @param fault why an initiator must end the connection with a Terminate at once, or null
     */
    record Establish(
            MpaFrame.@Nullable Reply reply,
            AgreedParameters agreed,
            @Nullable ProtocolFault fault) implements StartupAction {}

    /** Write the Reply Frame if there is one, in one write, then leave the open TCP connection to the ULP. */
    record Leave(MpaFrame.@Nullable Reply reply, MpaEvent.Rejected rejected) implements StartupAction {

        /** Creates the action from the Reply Frame, if any, and the set-up data of the peer. */
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
}
