package io.iwarp.transport;

import io.iwarp.internal.transport.GuardedLoops;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.concurrent.Ticker;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates event loops of io_uring that can be shut down safely.
 *
 * <p>The loops of Netty 4.2.18 cannot. A loop that shuts down submits a NOP with {@code IOSQE_IO_DRAIN}. After that the
 * kernel executes the loop's operations on threads of its own, and {@code IoUringIoHandler.destroy} closes the ring
 * without waiting for them, because its {@code LINK_TIMEOUT} is refused ({@code EINVAL}). If the read of the loop's
 * eventfd is still to be executed, it writes 8 bytes to memory that was freed. The JVM aborts ({@code unaligned tcache
 * chunk detected}) or computes with wrong values. If the eventfd of another loop has got the same number in the
 * meantime, the read takes the wake-up of that loop, which then does not run its tasks and never ends.
 *
 * <p>With this factory a loop that shuts down closes its channels, waits until their operations have ended, and only
 * then closes its ring. No NOP is submitted. If an operation does not end within 10 seconds, the ring stays open, no
 * memory of the loop is freed, and an error is logged.
 *
 * <pre>{@code
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, new IoUringShutdownGuard(IoUringIoHandler.newFactory()));
 * }</pre>
 *
 * <p>Any thread may use it.
 */
public final class IoUringShutdownGuard implements IoHandlerFactory {
    private static final Logger LOGGER = LoggerFactory.getLogger(IoUringShutdownGuard.class);
    private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final IoHandlerFactory handlers;
    private final Ticker ticker;

    /** @param handlers the factory of io_uring, {@code IoUringIoHandler.newFactory()} */
    public IoUringShutdownGuard(IoHandlerFactory handlers) {
        this(handlers, Ticker.systemTicker());
    }

    IoUringShutdownGuard(IoHandlerFactory handlers, Ticker ticker) {
        this.handlers = Objects.requireNonNull(handlers, "handlers");
        this.ticker = ticker;
    }

    @Override
    public IoHandler newHandler(ThreadAwareExecutor loop) {
        Handler handler = new Handler(handlers.newHandler(loop), ticker);
        GuardedLoops.add(loop);
        return handler;
    }

    @Override
    public boolean isChangingThreadSupported() {
        return handlers.isChangingThreadSupported();
    }

    /** The handler of one event loop, whose thread alone calls all methods but {@link #wakeup}. */
    private static final class Handler extends ForwardingIoHandler {
        private final Ticker ticker;
        /** The transport's handler refers to what is registered, for as long as an operation may be under way. */
        private final Map<IoRegistration, WeakReference<IoHandle>> registered = new WeakHashMap<>();

        private boolean shuttingDown;

        Handler(IoHandler handler, Ticker ticker) {
            super(handler);
            this.ticker = ticker;
        }

        @Override
        public IoRegistration register(IoHandle handle) throws Exception {
            if (shuttingDown) {
                throw new IllegalStateException("the event loop is shutting down");
            }
            IoRegistration registration = handler.register(handle);
            registered.put(registration, new WeakReference<>(handle));
            return registration;
        }

        /** Replaces the shutdown of the transport, which is not safe. */
        @Override
        public void prepareToDestroy() {
            closeChannels();
            handler.run(new Wait(ticker, 0));
        }

        private void closeChannels() {
            if (shuttingDown) {
                return;
            }
            shuttingDown = true;
            for (IoRegistration registration : open()) {
                WeakReference<IoHandle> reference = registered.get(registration);
                IoHandle handle = reference == null ? null : reference.get();
                if (handle != null) {
                    close(handle);
                }
            }
        }

        private static void close(IoHandle handle) {
            try {
                handle.close();
            } catch (Exception e) {
                LOGGER.debug("{} was not closed", handle, e);
            }
        }

        /** The registrations that may have an operation under way. */
        private List<IoRegistration> open() {
            List<IoRegistration> open = new ArrayList<>(registered.keySet());
            open.removeIf(registration -> !registration.isValid());
            return open;
        }

        /** A busy loop may call this without {@link #prepareToDestroy} before. */
        @Override
        public void destroy() {
            closeChannels();
            Wait wait = new Wait(ticker, MAX_WAIT_NANOS);
            while (!open().isEmpty() && wait.canBlock()) {
                handler.run(wait);
            }
            int open = open().size();
            if (open == 0) {
                // A channel whose last operation has ended may just have asked for the close of its socket.
                handler.run(new Wait(ticker, 0));
                handler.destroy();
            } else {
                LOGGER.error(
                        "{} channels still have operations of io_uring after {} s: the ring and the memory of the"
                                + " event loop stay allocated",
                        open,
                        TimeUnit.NANOSECONDS.toSeconds(MAX_WAIT_NANOS));
            }
        }
    }

    /** Waits for events until a deadline. */
    private static final class Wait implements IoHandlerContext {
        private final Ticker ticker;
        private final long deadline;

        Wait(Ticker ticker, long nanos) {
            this.ticker = ticker;
            this.deadline = ticker.nanoTime() + nanos;
        }

        @Override
        public boolean canBlock() {
            return deadline - ticker.nanoTime() > 0;
        }

        @Override
        public long delayNanos(long now) {
            return Math.max(0, deadline - ticker.nanoTime());
        }

        @Override
        public long deadlineNanos() {
            return deadline;
        }
    }
}
