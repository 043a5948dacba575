package io.iwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PaceTest {
    private final Turns turns = new Turns();
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, executor -> turns);
    private final EventLoop loop = group.next();

    @AfterEach
    void endLoop() throws InterruptedException {
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }

    @Test
    void whatWasLateBeforeARestartIsDropped() {
        Pace pace = new Pace(loop, 1e6, () -> {});
        long before = pace.due();
        pace.take();
        pace.restart();
        long after = pace.due();

        assertThat(pace.isCurrent(before)).isFalse();
        assertThat(pace.isCurrent(after)).isTrue();
        pace.take();
        assertThat(pace.due() - after).isEqualTo(TimeUnit.MICROSECONDS.toNanos(1));
    }

    @Test
    void channelsHaveTheirTurnBeforeEachLook() {
        List<Integer> looks = new ArrayList<>();
        CompletableFuture<Void> due = new CompletableFuture<>();
        Pace[] pace = new Pace[1];
        pace[0] = new Pace(loop, 1000, () -> {
            looks.add(turns.count);
            if (pace[0].isDue()) {
                due.complete(null);
            }
        });
        loop.execute(() -> {
            pace[0].due();
            pace[0].take();
            if (pace[0].isDue()) {
                due.complete(null);
            }
        });
        due.join();

        assertThat(looks).doesNotHaveDuplicates();
    }

    /** Counts when the loop looks for the events of its channels, of which there are none. */
    private static final class Turns implements IoHandler {
        private int count;

        @Override
        public int run(IoHandlerContext context) {
            count++;
            return 0;
        }

        @Override
        public void destroy() {
            // There is nothing to close.
        }

        @Override
        public IoRegistration register(IoHandle handle) {
            throw new UnsupportedOperationException("there are no channels");
        }

        @Override
        public void wakeup() {
            // It never sleeps.
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return false;
        }
    }
}
