package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.StartupFrames.NO_PRIVATE_DATA;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.mpa.MpaSettings;
import io.netty.buffer.Unpooled;

/** Advances a start-up state machine to the state that a test needs, and unpacks its actions. */
final class StartupDriver {

    private StartupDriver() {}

    static MpaStartup started(MpaStartup startup) {
        startup.start();
        startup.requestTaken();
        return startup;
    }

    static MpaStartup awaitingDecision(MpaSettings settings, byte[] request) {
        MpaStartup responder = started(MpaStartup.responder(settings));
        assertThat(receive(responder, request)).isInstanceOf(StartupAction.Ask.class);
        return responder;
    }

    static StartupAction repliedTo(MpaSettings settings, byte[] reply) {
        return receive(started(MpaStartup.initiator(settings, NO_PRIVATE_DATA)), reply);
    }

    static StartupAction receive(MpaStartup startup, byte... bytes) {
        return startup.received(Unpooled.wrappedBuffer(bytes));
    }

    static AgreedParameters agreed(StartupAction action) {
        assertThat(action).isInstanceOf(StartupAction.Establish.class);
        return ((StartupAction.Establish) action).agreed();
    }

    static byte[] sent(StartupAction action) {
        return StartupFrames.encoded(((StartupAction.Send) action).request());
    }

    static byte[] replied(StartupAction action) {
        return StartupFrames.encoded(((StartupAction.Establish) action).reply());
    }

    static CloseReason failure(StartupAction action) {
        assertThat(action).isInstanceOf(StartupAction.Fail.class);
        return ((StartupAction.Fail) action).reason();
    }

    /** Feeds byte by byte, and expects the start-up to fail exactly at this one. */
    static String failureAt(MpaStartup startup, byte[] bytes, int position) {
        for (int i = 0; i < position; i++) {
            assertThat(receive(startup, bytes[i])).as("byte " + i).isInstanceOf(StartupAction.Wait.class);
        }
        CloseReason reason = failure(receive(startup, bytes[position]));
        assertThat(reason.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(reason.error()).isEqualTo(ProtocolError.MPA_INVALID_STARTUP_FRAME);
        return reason.detail();
    }
}
