package io.iwarp.transport;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.ServerChannel;
import org.jspecify.annotations.Nullable;

/**
 * The channel types of Netty's transports, found by the event loop group. A transport need not be on the class path
 * unless it is used. Later versions may add constants.
 */
public enum ChannelTypes {
    /** {@code java.nio}. */
    NIO("nio.NioIoHandle", "socket.nio.NioSocketChannel", "socket.nio.NioServerSocketChannel"),
    /** Netty's native code over epoll. */
    EPOLL("epoll.EpollIoHandle", "epoll.EpollSocketChannel", "epoll.EpollServerSocketChannel"),
    /** Netty's native code over io_uring. */
    IO_URING("uring.IoUringIoHandle", "uring.IoUringSocketChannel", "uring.IoUringServerSocketChannel"),
    /** Netty's native code over kqueue. */
    KQUEUE("kqueue.KQueueIoHandle", "kqueue.KQueueSocketChannel", "kqueue.KQueueServerSocketChannel"),
    /** Within one JVM. */
    LOCAL("local.LocalIoHandle", "local.LocalChannel", "local.LocalServerChannel");

    private static final String PACKAGE = "io.netty.channel.";

    private final String handle;
    private final String channel;
    private final String serverChannel;

    ChannelTypes(String handle, String channel, String serverChannel) {
        this.handle = handle;
        this.channel = channel;
        this.serverChannel = serverChannel;
    }

    /**
     * Returns the types that the event loops of a group can run.
     *
     * @throws IllegalArgumentException if they are not known
     */
    public static ChannelTypes of(EventLoopGroup group) {
        if (group instanceof IoEventLoopGroup loops) {
            for (ChannelTypes types : values()) {
                Class<? extends IoHandle> handleType = find(types.handle, IoHandle.class);
                if (handleType != null && loops.isCompatible(handleType)) {
                    return types;
                }
            }
        }
        throw new IllegalArgumentException("no channel type is known for the event loops of " + group
                + ": give a bootstrap with its channel type");
    }

    /** Returns the type of channels that connect. */
    public Class<? extends Channel> channel() {
        return required(channel, Channel.class);
    }

    /** Returns the type of channels that listen. */
    public Class<? extends ServerChannel> serverChannel() {
        return required(serverChannel, ServerChannel.class);
    }

    private static <T> Class<? extends T> required(String name, Class<T> type) {
        Class<? extends T> found = find(name, type);
        if (found == null) {
            throw new IllegalStateException(
                    PACKAGE + name + " is not on the class path, but its IoHandle is: use one" + " version of Netty");
        }
        return found;
    }

    private static <T> @Nullable Class<? extends T> find(String name, Class<T> type) {
        try {
            return Class.forName(PACKAGE + name, false, Channel.class.getClassLoader())
                    .asSubclass(type);
        } catch (ClassNotFoundException | LinkageError absent) {
            return null;
        }
    }
}
