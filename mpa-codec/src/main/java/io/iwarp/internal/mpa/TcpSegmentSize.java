package io.iwarp.internal.mpa;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;

/**
 * The current segment size of a connection, if the transport reports it.
 *
 * <p>Netty's epoll transport is an optional dependency. Without it the size is unknown.
 */
final class TcpSegmentSize {

    /** The size if the transport does not report it. */
    static final int UNKNOWN = 0;

    private static final boolean EPOLL_ON_CLASSPATH = isOnClasspath();

    private TcpSegmentSize() {}

    /** Returns the bytes of payload in one full segment, or {@link #UNKNOWN}. */
    static int of(Channel channel) {
        return EPOLL_ON_CLASSPATH ? Epoll.sndMss(channel) : UNKNOWN;
    }

    private static boolean isOnClasspath() {
        try {
            Class.forName("io.netty.channel.epoll.EpollSocketChannel", false, TcpSegmentSize.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError absent) {
            return false;
        }
    }

    /** A separate class, so that the epoll classes are loaded only if they exist. */
    private static final class Epoll {

        private Epoll() {}

        static int sndMss(Channel channel) {
            return channel instanceof EpollSocketChannel epoll && epoll.isActive()
                    ? (int) epoll.tcpInfo().sndMss()
                    : UNKNOWN;
        }
    }
}
