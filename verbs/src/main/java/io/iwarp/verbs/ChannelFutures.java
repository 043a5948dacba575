package io.iwarp.verbs;

import io.iwarp.internal.EventLoopTasks;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to the future of a channel operation, for example its close, also if the event loop terminates: a terminated
 * loop completes no future and calls no listener, so {@link LoopTermination} notifies the waiters.
 */
final class ChannelFutures implements ChannelFutureListener, Runnable {
    private static final Logger LOGGER = LoggerFactory.getLogger(LoggerNames.QUEUE_PAIR);

    private final Channel channel;
    private final Runnable next;
    private final AtomicBoolean called = new AtomicBoolean();

    private ChannelFutures(Channel channel, Runnable next) {
        this.channel = channel;
        this.next = next;
    }

    /**
     * Calls {@code next} once: at once if the future is done; else on the event loop when it is done, or on another
     * thread when the loop has terminated. Any thread may call it.
     */
    static void await(ChannelFuture future, Runnable next) {
        if (future.isDone()) {
            next.run();
            return;
        }
        ChannelFutures outcome = new ChannelFutures(future.channel(), next);
        future.addListener(outcome);
        LoopTermination.await(future.channel().eventLoop(), outcome);
    }

    @Override
    public void operationComplete(ChannelFuture future) {
        if (called.compareAndSet(false, true)) {
            LoopTermination.forget(channel.eventLoop(), this);
            next.run();
        }
    }

    /** The event loop has terminated. */
    @Override
    public void run() {
        if (called.compareAndSet(false, true)) {
            next.run();
        }
    }

    /** Any thread: closes a channel, unless its event loop has shut down, which closes its channels. */
    static void close(Channel channel) {
        EventLoop loop = channel.eventLoop();
        if (loop.inEventLoop()) {
            channel.close();
        } else {
            Runnable closedByLoop = () -> LOGGER.debug("{} is closed by its event loop, which has shut down", channel);
            EventLoopTasks.execute(loop, channel::close, closedByLoop);
        }
    }
}
