package io.iwarp.tools.cli;

import io.iwarp.transport.BusyPolling;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;

/**
 * The event loops of a command.
 *
 * @param transport the transport to the network
 * @param threads the number of threads, at least 1
 * @param busyPolling whether they go on asking for events for a while before they sleep: each then takes a whole
 *     processor while there is traffic, and answers sooner
 */
public record EventLoops(Transport transport, int threads, boolean busyPolling) {
    /** With what the names of their threads begin. */
    public static final String THREADS = "iwarp";

    /** Returns a new group. Its threads start on demand. The caller shuts it down. */
    public EventLoopGroup open() {
        IoHandlerFactory handlers = transport.handlers();
        return new MultiThreadIoEventLoopGroup(
                threads, new DefaultThreadFactory(THREADS), busyPolling ? new BusyPolling(handlers) : handlers);
    }
}
