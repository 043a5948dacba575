package io.iwarp.mpa;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;

/**
 * The segment size that the kernel uses for a connection now, where the transport can tell it.
 *
 * <p>Netty's epoll transport is an optional dependency; without it nothing is known.
 */
final class TcpSegmentSize {

    /** The answer when the transport cannot tell. */
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

    /** Apart, so that the epoll classes are loaded only where they exist. */
    private static final class Epoll {

        private Epoll() {}

        static int sndMss(Channel channel) {
            return channel instanceof EpollSocketChannel epoll && epoll.isActive()
                    ? (int) epoll.tcpInfo().sndMss()
                    : UNKNOWN;
        }
    }
}
