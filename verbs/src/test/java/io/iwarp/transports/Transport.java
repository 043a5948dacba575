package io.iwarp.transports;

import io.iwarp.transport.IoUringShutdownGuard;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.kqueue.KQueue;
import io.netty.channel.kqueue.KQueueDomainSocketChannel;
import io.netty.channel.kqueue.KQueueIoHandler;
import io.netty.channel.kqueue.KQueueServerDomainSocketChannel;
import io.netty.channel.kqueue.KQueueServerSocketChannel;
import io.netty.channel.kqueue.KQueueSocketChannel;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringDomainSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A transport of Netty, as an application chooses it: an event loop's I/O and the classes of its channels. */
enum Transport {
    NIO(NioServerSocketChannel.class, NioSocketChannel.class),
    NIO_UDS(NioServerDomainSocketChannel.class, NioDomainSocketChannel.class),
    EPOLL(EpollServerSocketChannel.class, EpollSocketChannel.class),
    EPOLL_UDS(EpollServerDomainSocketChannel.class, EpollDomainSocketChannel.class),
    IO_URING(IoUringServerSocketChannel.class, IoUringSocketChannel.class),
    IO_URING_UDS(IoUringServerDomainSocketChannel.class, IoUringDomainSocketChannel.class),
    KQUEUE(KQueueServerSocketChannel.class, KQueueSocketChannel.class),
    KQUEUE_UDS(KQueueServerDomainSocketChannel.class, KQueueDomainSocketChannel.class),
    LOCAL(LocalServerChannel.class, LocalChannel.class);

    private final Class<? extends ServerChannel> server;
    private final Class<? extends Channel> client;

    Transport(Class<? extends ServerChannel> server, Class<? extends Channel> client) {
        this.server = server;
        this.client = client;
    }

    /** Why it cannot be used here; null if it can. */
    @Nullable
    Throwable unavailabilityCause() {
        return switch (this) {
            case NIO, NIO_UDS, LOCAL -> null;
            case EPOLL, EPOLL_UDS -> Epoll.unavailabilityCause();
            case IO_URING, IO_URING_UDS -> IoUring.unavailabilityCause();
            case KQUEUE, KQUEUE_UDS -> KQueue.unavailabilityCause();
        };
    }

    /** Returns whether Netty leaves the channel open for writing when the peer has closed its half. */
    boolean halfCloses() {
        return this != NIO_UDS && this != IO_URING_UDS;
    }

    EventLoopGroup group(int eventLoops) {
        return new MultiThreadIoEventLoopGroup(eventLoops, io());
    }

    private IoHandlerFactory io() {
        return switch (this) {
            case NIO, NIO_UDS -> NioIoHandler.newFactory();
            case EPOLL, EPOLL_UDS -> EpollIoHandler.newFactory();
            case IO_URING, IO_URING_UDS -> new IoUringShutdownGuard(IoUringIoHandler.newFactory());
            case KQUEUE, KQUEUE_UDS -> KQueueIoHandler.newFactory();
            case LOCAL -> LocalIoHandler.newFactory();
        };
    }

    Class<? extends ServerChannel> serverChannel() {
        return server;
    }

    Class<? extends Channel> clientChannel() {
        return client;
    }

    /**
     * Returns where to listen.
     *
     * @param directory empty, for a socket of the file system
     */
    SocketAddress anyAddress(Path directory) {
        return switch (this) {
            case NIO, EPOLL, IO_URING, KQUEUE -> new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            case NIO_UDS -> UnixDomainSocketAddress.of(directory.resolve("socket"));
            case EPOLL_UDS, IO_URING_UDS, KQUEUE_UDS ->
                new DomainSocketAddress(directory.resolve("socket").toFile());
            case LOCAL -> LocalAddress.ANY;
        };
    }
}
