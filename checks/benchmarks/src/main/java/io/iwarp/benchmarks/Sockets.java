package io.iwarp.benchmarks;

import io.iwarp.transport.BusyPolling;
import io.iwarp.transport.IoUringShutdownGuard;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.net.InetSocketAddress;

/** A transport of Netty, by its name; {@code nio+} and {@code epoll+} as {@code perf --busy-poll} has them. */
record Sockets(
        IoHandlerFactory handlers, Class<? extends Channel> channel, Class<? extends ServerChannel> serverChannel) {

    static Sockets of(String name) {
        return switch (name) {
            case "nio" -> new Sockets(NioIoHandler.newFactory(), NioSocketChannel.class, NioServerSocketChannel.class);
            case "epoll" ->
                new Sockets(EpollIoHandler.newFactory(), EpollSocketChannel.class, EpollServerSocketChannel.class);
            case "io_uring" ->
                new Sockets(
                        new IoUringShutdownGuard(IoUringIoHandler.newFactory()),
                        IoUringSocketChannel.class,
                        IoUringServerSocketChannel.class);
            case "nio+" -> of("nio").patient();
            case "epoll+" -> of("epoll").patient();
            default -> throw new IllegalArgumentException(name + " is none of nio, nio+, epoll, epoll+, io_uring");
        };
    }

    /** Returns the address of HOST:PORT. */
    static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    private Sockets patient() {
        return new Sockets(new BusyPolling(handlers), channel, serverChannel);
    }

    EventLoopGroup group() {
        return new MultiThreadIoEventLoopGroup(1, handlers);
    }
}
