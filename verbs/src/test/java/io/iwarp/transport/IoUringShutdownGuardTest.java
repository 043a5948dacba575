package io.iwarp.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.iwarp.internal.transport.GuardedLoops;
import io.iwarp.testing.LogCapture;
import io.netty.channel.AbstractChannel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class IoUringShutdownGuardTest {
    private static final IoHandlerContext LOOP = new IoHandlerContext() {
        @Override
        public boolean canBlock() {
            return true;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return 0;
        }

        @Override
        public long deadlineNanos() {
            return -1;
        }
    };

    @RegisterExtension
    final LogCapture log = new LogCapture(IoUringShutdownGuard.class.getName());

    private final MockTicker ticker = Ticker.newMockTicker();
    private final Ring ring = new Ring();
    private final IoHandler handler = new IoUringShutdownGuard(loop -> ring, ticker).newHandler(new CurrentThread());
    private final Channel channel = new Channel();

    @BeforeEach
    void register() throws Exception {
        channel.registration = (Registration) handler.register(channel);
    }

    @Test
    void aLoopRunsAsBefore() {
        ring.events = 3;

        assertThat(handler.run(LOOP)).isEqualTo(3);
        assertThat(handler.isCompatible(Channel.class)).isTrue();
        handler.wakeup();
        assertThat(ring.calls).containsExactly("run, may wait", "wakeup");
    }

    @Test
    void closesChannelsInsteadOfDraining() {
        handler.prepareToDestroy();
        handler.prepareToDestroy();

        assertThat(channel.closes).isOne();
        assertThat(ring.calls).containsExactly("run", "run");
    }

    @Test
    void closesTheRingWhenAllOperationsHaveEnded() {
        handler.prepareToDestroy();
        ring.calls.clear();
        ring.runsUntilEnd = 3;

        handler.destroy();

        assertThat(ring.calls).containsExactly("run, may wait", "run, may wait", "run, may wait", "run", "destroy");
    }

    /** As a busy loop does that is shut down without a quiet period. */
    @Test
    void closesChannelsWithoutPreparation() {
        ring.runsUntilEnd = 1;

        handler.destroy();

        assertThat(channel.closes).isOne();
        assertThat(ring.calls).containsExactly("run, may wait", "run", "destroy");
    }

    @Test
    void keepsTheRingWhileAnOperationMayUseMemory() {
        handler.destroy();

        assertThat(ring.calls).isNotEmpty().containsOnly("run, may wait");
        assertThat(ticker.nanoTime()).isEqualTo(TimeUnit.SECONDS.toNanos(10));
        assertThat(log.messages())
                .containsExactly("1 channels still have operations of io_uring after 10 s: the ring and the memory of"
                        + " the event loop stay allocated");
    }

    @Test
    void refusesChannelsDuringShutdown() {
        handler.prepareToDestroy();

        assertThatIllegalStateException()
                .isThrownBy(() -> handler.register(new Channel()))
                .withMessage("the event loop is shutting down");
    }

    @Test
    void aChannelThatDoesNotCloseHindersNoOther() throws Exception {
        Channel second = new Channel();
        second.registration = (Registration) handler.register(second);
        channel.failsToClose = true;
        second.failsToClose = true;

        handler.prepareToDestroy();

        assertThat(channel.closes + second.closes).isEqualTo(2);
    }

    @Test
    void findsChannelsOfLoopsWithoutGuard() throws Exception {
        assumeTrue(IoUring.isAvailable(), () -> "io_uring: " + IoUring.unavailabilityCause());
        IoUringShutdownGuard guard = new IoUringShutdownGuard(IoUringIoHandler.newFactory());

        assertThat(isMissing(new IoUringSocketChannel(), guard)).isFalse();
        assertThat(isMissing(new IoUringSocketChannel(), new BusyPolling(guard)))
                .isFalse();
        // The guard protects this loop, but takes it for another one.
        assertThat(isMissing(new IoUringSocketChannel(), loop -> guard.newHandler(new SameThread(loop))))
                .isTrue();
        assertThat(isMissing(new NioSocketChannel(), NioIoHandler.newFactory())).isFalse();
    }

    private static boolean isMissing(AbstractChannel channel, IoHandlerFactory handlers) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, handlers);
        try {
            group.register(channel).sync();
            boolean missing = GuardedLoops.isMissing(channel);
            channel.close().sync();
            return missing;
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    private record SameThread(ThreadAwareExecutor loop) implements ThreadAwareExecutor {
        @Override
        public boolean isExecutorThread(Thread thread) {
            return loop.isExecutorThread(thread);
        }

        @Override
        public void execute(Runnable task) {
            loop.execute(task);
        }
    }

    /** The handler of io_uring, whose operations end when it has run often enough. */
    private final class Ring implements IoHandler {
        private final List<String> calls = new ArrayList<>();
        private int events;
        private int runsUntilEnd = Integer.MAX_VALUE;

        @Override
        public int run(IoHandlerContext context) {
            calls.add(context.canBlock() ? "run, may wait" : "run");
            if (context.canBlock() && context.deadlineNanos() != -1) {
                assertThat(context.delayNanos(ticker.nanoTime()))
                        .isEqualTo(context.deadlineNanos() - ticker.nanoTime());
                ticker.advance(Math.min(TimeUnit.SECONDS.toNanos(1), context.delayNanos(0)), TimeUnit.NANOSECONDS);
            }
            if (--runsUntilEnd == 0) {
                channel.registration.valid = false;
            }
            return events;
        }

        @Override
        public void prepareToDestroy() {
            calls.add("prepareToDestroy");
        }

        @Override
        public void destroy() {
            calls.add("destroy");
        }

        @Override
        public IoRegistration register(IoHandle handle) {
            return new Registration();
        }

        @Override
        public void wakeup() {
            calls.add("wakeup");
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return handleType == Channel.class;
        }
    }

    private static final class Registration implements IoRegistration {
        private boolean valid = true;

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // as Netty declares it
        public <T> T attachment() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long submit(IoOps ops) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isValid() {
            return valid;
        }

        @Override
        public boolean cancel() {
            throw new UnsupportedOperationException();
        }
    }

    private static final class Channel implements IoHandle {
        private Registration registration = new Registration();
        private int closes;
        private boolean failsToClose;

        @Override
        public void handle(IoRegistration registration, IoEvent ioEvent) {}

        @Override
        public void close() {
            closes++;
            if (failsToClose) {
                throw new IllegalStateException("cannot be closed");
            }
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
