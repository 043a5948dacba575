package io.iwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PaceTest {
    private static final double OFTEN = 1e6;

    private final EventLoop loop = new DefaultEventLoop();

    @Test
    void whatWasLateBeforeARestartIsDropped() throws InterruptedException {
        Pace pace = new Pace(loop, OFTEN, () -> {});
        long before = pace.due();
        pace.take();
        pace.restart();
        long after = pace.due();

        assertThat(pace.isCurrent(before)).isFalse();
        assertThat(pace.isCurrent(after)).isTrue();
        pace.take();
        assertThat(pace.due() - after).isEqualTo(TimeUnit.MICROSECONDS.toNanos(1));
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }
}
