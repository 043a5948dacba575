package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.Role;
import io.iwarp.mpa.MpaSettings;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FirstFpduDelayTest {
    private static final Duration DELAY = Duration.ofMillis(20);

    private final FramingChannel end =
            new FramingChannel(MpaSettings.builder().firstFpduDelay(DELAY).build(), TcpSegmentSize::of);

    private void advance(long millis) {
        end.channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        end.channel.runScheduledPendingTasks();
    }

    private long timesReady() {
        return end.seen.stream()
                .filter(MpaEvent.TransmitReady.class::isInstance)
                .count();
    }

    @Test
    void anInitiatorMaySendWhenTheDelayIsOver() {
        end.channel.freezeTime();
        end.establish(Role.INITIATOR, true, false, false);
        advance(DELAY.toMillis() - 1);
        assertThat(timesReady()).isZero();
        advance(1);
        assertThat(timesReady()).isOne();
        end.close();
    }

    @Test
    void anFpduOfThePeerEndsTheDelay() {
        end.channel.freezeTime();
        end.establish(Role.INITIATOR, false, false, false);
        end.receive(new byte[] {0, 2, 0x41, 0x43, 0, 0, 0, 0});
        assertThat(timesReady()).isOne();
        advance(DELAY.toMillis());
        assertThat(timesReady()).isOne();
        end.close();
    }

    @Test
    void nothingIsReadyOnAChannelThatWasClosedMeanwhile() {
        end.channel.freezeTime();
        end.establish(Role.INITIATOR, true, false, false);
        end.closeFromWithin();
        assertThat(end.timersLeft()).isFalse();
        advance(DELAY.toMillis());
        assertThat(timesReady()).isZero();
    }

    @Test
    void noTimerIsLeftWhenTheHandlerIsRemoved() {
        end.channel.freezeTime();
        end.establish(Role.INITIATOR, true, false, false);
        end.channel.pipeline().remove(end.framing);
        assertThat(end.timersLeft()).isFalse();
        end.close();
    }

    @Test
    void theDelayHasALimit() {
        assertThatThrownBy(() -> MpaSettings.builder()
                        .firstFpduDelay(Duration.ofSeconds(11))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("firstFpduDelay");
    }
}
