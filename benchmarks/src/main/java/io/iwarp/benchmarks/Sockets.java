package io.iwarp.benchmarks;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
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

/** A transport of Netty, by its name; {@code nio+} and {@code epoll+} spin instead of sleeping. */
record Sockets(
        IoHandlerFactory handlers, Class<? extends Channel> channel, Class<? extends ServerChannel> serverChannel) {

    static Sockets of(String name) {
        return switch (name) {
            case "nio" -> new Sockets(NioIoHandler.newFactory(), NioSocketChannel.class, NioServerSocketChannel.class);
            case "nio+" ->
                new Sockets(
                        NioIoHandler.newFactory(
                                java.nio.channels.spi.SelectorProvider.provider(),
                                () -> (supplier, hasTasks) -> SelectStrategy.BUSY_WAIT),
                        NioSocketChannel.class,
                        NioServerSocketChannel.class);
            case "epoll" ->
                new Sockets(EpollIoHandler.newFactory(), EpollSocketChannel.class, EpollServerSocketChannel.class);
            case "epoll+" ->
                new Sockets(
                        EpollIoHandler.newFactory(0, () -> (supplier, hasTasks) -> SelectStrategy.BUSY_WAIT),
                        EpollSocketChannel.class,
                        EpollServerSocketChannel.class);
            case "io_uring" ->
                new Sockets(
                        IoUringIoHandler.newFactory(), IoUringSocketChannel.class, IoUringServerSocketChannel.class);
            default -> throw new IllegalArgumentException(name + " is none of nio, nio+, epoll, epoll+, io_uring");
        };
    }

    EventLoopGroup group() {
        return new MultiThreadIoEventLoopGroup(1, handlers);
    }
}
