package io.iwarp.spark;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;

/** The Netty transport of the connections. */
enum Transport {
    NIO,
    EPOLL;

    /**
     * Returns the transport of this name.
     *
     * @throws IllegalStateException if it cannot be used here
     */
    static Transport named(String name) {
        return switch (name) {
            case "nio" -> NIO;
            case "epoll" -> requireEpoll();
            default -> Epoll.isAvailable() ? EPOLL : NIO;
        };
    }

    private static Transport requireEpoll() {
        if (!Epoll.isAvailable()) {
            throw new IllegalStateException(
                    ShuffleSettings.PREFIX + "transport is epoll, which this machine does not have: use nio or auto",
                    Epoll.unavailabilityCause());
        }
        return EPOLL;
    }

    EventLoopGroup group(int threads) {
        IoHandlerFactory handlers = switch (this) {
            case NIO -> NioIoHandler.newFactory();
            case EPOLL -> EpollIoHandler.newFactory();
        };
        return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("iwarp-shuffle", true), handlers);
    }
}
