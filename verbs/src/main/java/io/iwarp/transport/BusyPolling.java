package io.iwarp.transport;

import io.iwarp.internal.transport.DirectReads;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Creates event loops, for each of Netty's transports, that continue to poll for events for some time before they
 * sleep.
 *
 * <p>Waking a thread is expensive: on a virtual machine it may take longer than sending 64 KiB. A loop that had work
 * usually has more soon, so streams and round trips are faster with loops that poll. The cost is CPU time: up to
 * {@code spinTime} each time a loop runs out of work. Each loop needs a core of its own while there is traffic.
 *
 * <pre>{@code
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, new BusyPolling(EpollIoHandler.newFactory()));
 * }</pre>
 *
 * <p>Any thread may use it. Exceptions of the transport's handlers are passed to the event loop.
 */
public final class BusyPolling implements IoHandlerFactory {
    private static final Duration DEFAULT_SPIN_TIME = Duration.ofNanos(50_000);
    private static final Duration MAX_SPIN_TIME = Duration.ofHours(1);

    private final IoHandlerFactory handlers;
    private final long spinTime;
    private final Ticker ticker;

    /**
     * Creates loops with a spin time of 50 us. This covers a round trip within one host, so a ping-pong does not sleep.
     *
     * @param handlers the factory of the transport, such as {@code EpollIoHandler.newFactory()}
     */
    public BusyPolling(IoHandlerFactory handlers) {
        this(handlers, DEFAULT_SPIN_TIME);
    }

    /**
     * @param handlers the factory of the transport, such as {@code EpollIoHandler.newFactory()}
     * @param spinTime how long a loop continues to poll after the last event or task: 1 ns to 1 h; with more than a
     *     second a loop practically never sleeps
     * @throws IllegalArgumentException if the spin time is outside its range
     */
    public BusyPolling(IoHandlerFactory handlers, Duration spinTime) {
        this(handlers, spinTime, Ticker.systemTicker());
    }

    BusyPolling(IoHandlerFactory handlers, Duration spinTime, Ticker ticker) {
        if (spinTime.isZero() || spinTime.isNegative() || spinTime.compareTo(MAX_SPIN_TIME) > 0) {
            throw new IllegalArgumentException("spin time " + spinTime + " is outside 1 ns to 1 h");
        }
        this.handlers = Objects.requireNonNull(handlers, "handlers");
        this.spinTime = spinTime.toNanos();
        this.ticker = ticker;
    }

    @Override
    public IoHandler newHandler(ThreadAwareExecutor loop) {
        return new Handler(handlers.newHandler(loop), spinTime, ticker);
    }

    @Override
    public boolean isChangingThreadSupported() {
        return handlers.isChangingThreadSupported();
    }

    /** The handler of one event loop, whose thread alone calls {@link #run}. */
    private static final class Handler extends ForwardingIoHandler {
        private final Context context;
        private final DirectReads reads;

        Handler(IoHandler handler, long spinTime, Ticker ticker) {
            super(handler);
            this.context = new Context(spinTime, ticker);
            this.reads = new DirectReads(handler, context::spins);
        }

        @Override
        public int run(IoHandlerContext loop) {
            context.loop = loop;
            int handled = reads.read() ? 1 : handler.run(context);
            if (handled > 0) {
                context.noteWork();
            }
            return handled;
        }

        @Override
        public void initialize() {
            reads.install();
            super.initialize();
        }
    }

    /** The context of the event loop, except that its handler must not sleep during the spin time. */
    private static final class Context implements IoHandlerContext {
        private final long spinTime;
        private final Ticker ticker;
        private long lastWork;
        private @Nullable IoHandlerContext loop;

        Context(long spinTime, Ticker ticker) {
            this.spinTime = spinTime;
            this.ticker = ticker;
            this.lastWork = ticker.nanoTime();
        }

        void noteWork() {
            lastWork = ticker.nanoTime();
        }

        private IoHandlerContext loop() {
            return Objects.requireNonNull(loop);
        }

        @Override
        public boolean canBlock() {
            if (!loop().canBlock()) {
                noteWork();
                return false;
            }
            return !isSpinTime();
        }

        /** Returns whether the loop has no other work and must not sleep. */
        boolean spins() {
            return loop().canBlock() && isSpinTime();
        }

        private boolean isSpinTime() {
            return ticker.nanoTime() - lastWork < spinTime;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return loop().delayNanos(currentTimeNanos);
        }

        @Override
        public long deadlineNanos() {
            return loop().deadlineNanos();
        }

        @Override
        public void reportActiveIoTime(long activeNanos) {
            loop().reportActiveIoTime(activeNanos);
        }

        @Override
        public boolean shouldReportActiveIoTime() {
            return loop().shouldReportActiveIoTime();
        }
    }
}
