package io.iwarp.verbs;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses accepting for a second when it fails, typically because the process has no file descriptor left. Open
 * connections continue, and new ones wait in the kernel. Logs at most one warning a minute.
 */
final class AcceptPause extends ChannelInboundHandlerAdapter {
    private static final Logger LOGGER = LoggerFactory.getLogger(AcceptPause.class);
    private static final long PAUSE_SECONDS = 1;
    private static final long WARNING_SECONDS = 60;

    private final IntSupplier connections;
    /** A warning was logged within {@link #WARNING_SECONDS}. */
    private boolean isWarningLogged;
    /** Written by the event loop of the listening channel, read by any thread. */
    private volatile long failures;

    /** @param connections returns the number of open connections */
    AcceptPause(IntSupplier connections) {
        this.connections = connections;
    }

    /** Returns how often an accept failed. */
    long failures() {
        return failures;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the event loop writes
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
        // A channel that listens does no other I/O than accepting.
        if (!(failure instanceof IOException)) {
            ctx.fireExceptionCaught(failure);
            return;
        }
        failures++;
        if (ctx.channel().config().isAutoRead()) {
            ctx.channel().config().setAutoRead(false);
            ctx.executor().schedule(() -> ctx.channel().config().setAutoRead(true), PAUSE_SECONDS, TimeUnit.SECONDS);
        }
        if (!isWarningLogged) {
            isWarningLogged = true;
            ctx.executor().schedule(() -> isWarningLogged = false, WARNING_SECONDS, TimeUnit.SECONDS);
            LOGGER.warn(
                    "{} cannot accept a connection: {}. Open connections: {}, failed accepts: {}. Close"
                            + " connections, or raise the limit that the system names (ulimit -n for open files)."
                            + " Retrying every second.",
                    ctx.channel().localAddress(),
                    failure.getMessage(),
                    connections.getAsInt(),
                    failures);
        }
    }
}
