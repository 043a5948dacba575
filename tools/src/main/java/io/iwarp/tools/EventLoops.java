package io.iwarp.tools;

import io.iwarp.transport.BusyPolling;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;

/**
 * Which event loops a command runs on.
 *
 * @param transport how they reach the network
 * @param threads how many there are, at least 1
 * @param busyPolling whether they go on asking for events for a while before they sleep: each then takes a whole
 *     processor while there is traffic, and answers sooner
 */
record EventLoops(Transport transport, int threads, boolean busyPolling) {
    /** What a command uses that was not told otherwise. */
    static final EventLoops DEFAULT = new EventLoops(Transport.NIO, 2, false);

    /** Returns a new group; the threads start when they are needed, and ending them is the caller's. */
    EventLoopGroup open() {
        IoHandlerFactory handlers = transport.handlers();
        return new MultiThreadIoEventLoopGroup(threads, busyPolling ? new BusyPolling(handlers) : handlers);
    }
}
