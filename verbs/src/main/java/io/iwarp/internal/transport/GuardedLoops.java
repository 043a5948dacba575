package io.iwarp.internal.transport;

import io.iwarp.transport.IoUringShutdownGuard;
import io.netty.channel.Channel;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The event loops that {@link IoUringShutdownGuard} created. Any thread may use it. */
public final class GuardedLoops {
    private static final Logger LOGGER = LoggerFactory.getLogger(IoUringShutdownGuard.class);
    private static final String IO_URING_CHANNELS = "io.netty.channel.uring.";

    private static final Set<ThreadAwareExecutor> LOOPS =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private static final AtomicBoolean WARNED = new AtomicBoolean();

    private GuardedLoops() {}

    /** Adds an event loop, for as long as it is used. */
    public static void add(ThreadAwareExecutor loop) {
        LOOPS.add(loop);
    }

    /** Logs a warning, once, if the loop of a channel of io_uring was created without a guard. */
    static void warnIfMissing(Channel channel) {
        if (isMissing(channel) && WARNED.compareAndSet(false, true)) {
            LOGGER.warn(
                    "{} runs on an event loop of io_uring that may corrupt memory when it is shut down, or never end:"
                            + " create its group with new IoUringShutdownGuard(IoUringIoHandler.newFactory())",
                    channel);
        }
    }

    /** Returns whether the loop of a channel of io_uring was created without a guard. */
    public static boolean isMissing(Channel channel) {
        return channel.getClass().getName().startsWith(IO_URING_CHANNELS) && !LOOPS.contains(channel.eventLoop());
    }
}
