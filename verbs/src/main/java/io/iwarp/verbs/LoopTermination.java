package io.iwarp.verbs;

import io.iwarp.transport.ChannelTypes;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks at the termination of an event loop, and closes its channels at the shutdown.
 *
 * <p>A loop that shuts down closes its channels, unless it is busy and shut down without a quiet period. They are
 * therefore {@linkplain #closeAtShutdown closed here}, while the loop still runs tasks and notifies the handlers.
 *
 * <p>A loop that has terminated completes no futures and runs no listeners. A task that waits for one waits for the
 * {@linkplain #await termination} as well. It runs once, on the thread that reports the termination, after the thread
 * of the loop has stopped; on the calling thread if that was reported before.
 */
final class LoopTermination {
    private static final ConcurrentMap<EventLoop, LoopTermination> LOOPS = new ConcurrentHashMap<>();
    /** Above 2^31 seconds, so that epoll waits without a timer of the kernel, which each wait would set and cancel. */
    private static final long NEVER_DAYS = 36_500;
    /** Below 2^31 seconds: a loop of io_uring that has to wait longer polls instead. */
    private static final long NEVER_DAYS_OF_IO_URING = 20_000;

    private final EventLoop loop;
    private final long neverDays;
    /** One listener serves all tasks, since removing a listener from a future takes linear time. */
    private final Set<Runnable> tasks = ConcurrentHashMap.newKeySet();

    private volatile boolean isReported;
    /** Confined to the event loop, as is {@link #shutdownTimer}. */
    private final Set<Channel> channels = new HashSet<>();
    /** A timer that never expires, while there are channels. The first step of a shutdown cancels timers. */
    private @Nullable Future<?> shutdownTimer;

    private LoopTermination(EventLoop loop) {
        this.loop = loop;
        loop.terminationFuture().addListener(terminated -> {
            isReported = true;
            LOOPS.remove(loop, this);
            tasks.forEach(this::runOnce);
        });
        neverDays = isIoUring(loop) ? NEVER_DAYS_OF_IO_URING : NEVER_DAYS;
    }

    private static boolean isIoUring(EventLoop loop) {
        try {
            return ChannelTypes.of(loop) == ChannelTypes.IO_URING;
        } catch (IllegalArgumentException unknown) {
            return false;
        }
    }

    /** Returns null for a loop without a thread, such as the loop of an EmbeddedChannel: it does not terminate. */
    private static @Nullable LoopTermination of(EventLoop loop) {
        try {
            return LOOPS.computeIfAbsent(loop, LoopTermination::new);
        } catch (UnsupportedOperationException e) {
            return null;
        }
    }

    /** Event loop of the channel: closes the channel when the loop shuts down. */
    static void closeAtShutdown(Channel channel) {
        LoopTermination termination = of(channel.eventLoop());
        if (termination != null) {
            termination.add(channel);
        }
    }

    private void add(Channel channel) {
        if (channels.isEmpty()) {
            Runnable nothing = () -> {};
            Future<?> timer = loop.schedule(nothing, neverDays, TimeUnit.DAYS);
            timer.addListener(cancelled -> closeChannels());
            shutdownTimer = timer;
        }
        channels.add(channel);
        channel.closeFuture().addListener(closed -> remove(channel));
    }

    private void remove(Channel channel) {
        Future<?> timer = shutdownTimer;
        if (channels.remove(channel) && channels.isEmpty() && timer != null) {
            timer.cancel(false);
        }
    }

    private void closeChannels() {
        for (Channel channel : List.copyOf(channels)) {
            channel.unsafe().close(channel.unsafe().voidPromise());
        }
    }

    /** Runs {@code whenTerminated} when the loop terminates, unless {@link #forget} is called before. */
    static void await(EventLoop loop, Runnable whenTerminated) {
        LoopTermination termination = of(loop);
        if (termination != null) {
            termination.tasks.add(whenTerminated);
            if (termination.isReported) {
                termination.runOnce(whenTerminated);
            }
        }
    }

    private void runOnce(Runnable task) {
        if (tasks.remove(task)) {
            task.run();
        }
    }

    static void forget(EventLoop loop, Runnable whenTerminated) {
        LoopTermination termination = LOOPS.get(loop);
        if (termination != null) {
            termination.tasks.remove(whenTerminated);
        }
    }
}
