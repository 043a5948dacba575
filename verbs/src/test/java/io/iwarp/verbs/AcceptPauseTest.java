package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.testing.LogCapture;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** File descriptors are used up: a listener tries again each second and says so once a minute. */
class AcceptPauseTest {
    @RegisterExtension
    final LogCapture log = new LogCapture(AcceptPause.class.getName());

    private final AcceptPause accepting = new AcceptPause(() -> 58);
    private final EmbeddedChannel listening = new EmbeddedChannel(accepting);

    AcceptPauseTest() {
        listening.freezeTime();
    }

    @Test
    void acceptingPausesForASecond() {
        fail();

        assertThat(listening.config().isAutoRead()).isFalse();
        pass(999, TimeUnit.MILLISECONDS);
        assertThat(listening.config().isAutoRead()).isFalse();
        pass(1, TimeUnit.MILLISECONDS);
        assertThat(listening.config().isAutoRead()).isTrue();
    }

    @Test
    void logsExhaustionOnceAMinute() {
        for (int second = 0; second < 61; second++) {
            fail();
            pass(1, TimeUnit.SECONDS);
        }

        assertThat(log.messages()).hasSize(2);
        assertThat(log.messages().get(0)).contains("Too many open files. Open connections: 58, failed accepts: 1.");
        assertThat(log.messages().get(1)).contains("failed accepts: 61.");
        assertThat(accepting.failures()).isEqualTo(61);
    }

    @Test
    void whatIsNoFailedAcceptIsPassedOn() {
        listening.pipeline().fireExceptionCaught(new IllegalStateException("a defect"));

        assertThat(listening.config().isAutoRead()).isTrue();
        assertThat(accepting.failures()).isZero();
        assertThatThrownBy(listening::checkException).hasMessage("a defect");
    }

    private void fail() {
        listening.pipeline().fireExceptionCaught(new IOException("Too many open files"));
    }

    private void pass(long time, TimeUnit unit) {
        listening.advanceTimeBy(time, unit);
        listening.runScheduledPendingTasks();
    }
}
