package io.iwarp.soak;

import io.iwarp.transport.IoUringShutdownGuard;
import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;

/** A transport under load. */
enum SoakTransport {
    NIO("nio", NioServerSocketChannel.class, NioSocketChannel.class),
    TLS("tls", NioServerSocketChannel.class, NioSocketChannel.class),
    LOCAL("local", LocalServerChannel.class, LocalChannel.class),
    EPOLL("epoll", EpollServerSocketChannel.class, EpollSocketChannel.class),
    UNIX("unix", EpollServerDomainSocketChannel.class, EpollDomainSocketChannel.class),
    IO_URING("io_uring", IoUringServerSocketChannel.class, IoUringSocketChannel.class);

    private final String text;
    private final Class<? extends ServerChannel> server;
    private final Class<? extends Channel> client;

    SoakTransport(String text, Class<? extends ServerChannel> server, Class<? extends Channel> client) {
        this.text = text;
        this.server = server;
        this.client = client;
    }

    boolean isAvailable() {
        return switch (this) {
            case NIO, TLS, LOCAL -> true;
            case EPOLL, UNIX -> Epoll.isAvailable();
            case IO_URING -> IoUring.isAvailable();
        };
    }

    /** Returns whether a client can speak to a server of it by a socket of the JDK, without TLS. */
    boolean isPlainTcp() {
        return this == NIO || this == EPOLL || this == IO_URING;
    }

    IoHandlerFactory handlers() {
        return switch (this) {
            case NIO, TLS -> NioIoHandler.newFactory();
            case LOCAL -> LocalIoHandler.newFactory();
            case EPOLL, UNIX -> EpollIoHandler.newFactory();
            case IO_URING -> new IoUringShutdownGuard(IoUringIoHandler.newFactory());
        };
    }

    Class<? extends ServerChannel> serverChannel() {
        return server;
    }

    Class<? extends Channel> clientChannel() {
        return client;
    }

    /** Returns an address to listen on that is free. */
    SocketAddress anyAddress() throws IOException {
        return switch (this) {
            case LOCAL -> LocalAddress.ANY;
            case UNIX -> new DomainSocketAddress(socketFile());
            case NIO, TLS, EPOLL, IO_URING -> new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        };
    }

    private static File socketFile() throws IOException {
        File directory = Files.createTempDirectory("iwarp-soak").toFile();
        directory.deleteOnExit();
        File file = new File(directory, "socket");
        file.deleteOnExit();
        return file;
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return text;
    }
}
