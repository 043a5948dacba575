package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TcpSegmentSizeTest {

    private static final int IPPROTO_TCP = 6;
    private static final int TCP_MAXSEG = 2;
    private static final ChannelOption<Integer> MAXSEG =
            new IntegerUnixChannelOption("TCP_MAXSEG", IPPROTO_TCP, TCP_MAXSEG);

    @Test
    @Requirement("MPA-45")
    void isWhatTheKernelUsesWithTheEpollTransport() throws Exception {
        assumeTrue(Epoll.isAvailable(), "needs Linux and Netty's native epoll");
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try {
            Channel server = new ServerBootstrap()
                    .group(group)
                    .channel(EpollServerSocketChannel.class)
                    .childHandler(new ChannelInboundHandlerAdapter())
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .sync()
                    .channel();
            Channel client = new Bootstrap()
                    .group(group)
                    .channel(EpollSocketChannel.class)
                    .option(MAXSEG, 1000)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(server.localAddress())
                    .sync()
                    .channel();

            int segment = TcpSegmentSize.of(client);

            // With the timestamp option, 12 bytes of the 1000 are not ours.
            assertThat(segment).isIn(1000, 988);
            assertThat(Mulpdu.initial(MpaSettings.DEFAULT, client, false)).isEqualTo(Mulpdu.fromEmss(segment, false));
            client.close().sync();
            assertThat(TcpSegmentSize.of(client)).isEqualTo(TcpSegmentSize.UNKNOWN);
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
    }

    @Test
    void isUnknownWithOtherTransports() {
        assertThat(TcpSegmentSize.of(new EmbeddedChannel())).isEqualTo(TcpSegmentSize.UNKNOWN);
    }

    @Test
    void isUnknownWithoutTheEpollClasses() throws Exception {
        Class<?> alone = new WithoutEpoll().loadClass(TcpSegmentSize.class.getName());
        assertThat(alone).isNotSameAs(TcpSegmentSize.class);
        Method of = alone.getDeclaredMethod("of", Channel.class);
        of.setAccessible(true);

        assertThat(of.invoke(null, new EmbeddedChannel())).isEqualTo(TcpSegmentSize.UNKNOWN);
    }

    /** Loads our class again, where Netty's epoll transport does not exist. */
    private static final class WithoutEpoll extends ClassLoader {

        WithoutEpoll() {
            super(TcpSegmentSizeTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("io.netty.channel.epoll.")) {
                throw new ClassNotFoundException(name);
            }
            return name.startsWith(TcpSegmentSize.class.getName()) ? define(name) : super.loadClass(name, resolve);
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
