package io.iwarp.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BusyPollingTest {
    private static final int SPIN_TIME = 50;

    private final MockTicker ticker = Ticker.newMockTicker();
    private final Idle transport = new Idle();
    private final Loop loop = new Loop();
    private final IoHandler handler =
            new BusyPolling(executor -> transport, Duration.ofNanos(SPIN_TIME), ticker).newHandler(new CurrentThread());

    @Test
    void aLoopWithoutWorkMaySleepAfterTheSpinTime() {
        assertSpinsFromNow();
    }

    @Test
    void anEventStartsTheSpinTimeAgain() {
        ticker.advance(SPIN_TIME, TimeUnit.NANOSECONDS);
        transport.events = 1;
        handler.run(loop);
        transport.events = 0;

        assertSpinsFromNow();
    }

    @Test
    void aTaskStartsTheSpinTimeAgain() {
        ticker.advance(SPIN_TIME, TimeUnit.NANOSECONDS);
        loop.hasTasks = true;
        handler.run(loop);
        assertThat(transport.mightSleep).isFalse();
        loop.hasTasks = false;

        assertSpinsFromNow();
    }

    @Test
    void whatTheTransportHandledAndWhenTheLoopHasToWakeGoThrough() {
        transport.events = 3;

        assertThat(handler.run(loop)).isEqualTo(3);
        assertThat(transport.deadline).isEqualTo(loop.deadlineNanos());
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-0.000001S", "PT1H0.000000001S"})
    void refusesASpinTimeOutsideItsRange(Duration spinTime) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new BusyPolling(executor -> transport, spinTime))
                .withMessage("spin time " + spinTime + " is outside 1 ns to 1 h");
    }

    private void assertSpinsFromNow() {
        ticker.advance(SPIN_TIME - 1, TimeUnit.NANOSECONDS);
        handler.run(loop);
        assertThat(transport.mightSleep).isFalse();

        ticker.advance(1, TimeUnit.NANOSECONDS);
        handler.run(loop);
        assertThat(transport.mightSleep).isTrue();
    }

    /** A transport with a given number of events. */
    private static final class Idle implements IoHandler {
        private int events;
        private boolean mightSleep;
        private long deadline;

        @Override
        public int run(IoHandlerContext context) {
            mightSleep = context.canBlock();
            deadline = context.deadlineNanos();
            return events;
        }

        @Override
        public IoRegistration register(IoHandle handle) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void wakeup() {}

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return false;
        }
    }

    private static final class Loop implements IoHandlerContext {
        private boolean hasTasks;

        @Override
        public boolean canBlock() {
            return !hasTasks;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return deadlineNanos() - currentTimeNanos;
        }

        @Override
        public long deadlineNanos() {
            return 4711;
        }
    }

    private static final class CurrentThread implements ThreadAwareExecutor {
        @Override
        public boolean isExecutorThread(Thread thread) {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }
    }
}
