package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.MpaFramingInboundTest.filled;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Framing over real transports: what EmbeddedChannel cannot show. */
class FramingTransportTest {

    private static final int ULPDUS = 2000;
    private static final long PATIENCE_SECONDS = 60;

    @Test
    @Requirement({"MPA-1", "MPA-48"})
    void carriesUlpdusOverTcp() throws Exception {
        run(
                NioIoHandler.newFactory(),
                NioServerSocketChannel.class,
                NioSocketChannel.class,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** A local channel hands the sender's very buffers to the receiver. */
    @Test
    @Requirement({"MPA-1", "MPA-48"})
    void carriesUlpdusOverALocalChannel() throws Exception {
        run(
                LocalIoHandler.newFactory(),
                LocalServerChannel.class,
                LocalChannel.class,
                new LocalAddress(FramingTransportTest.class));
    }

    private static void run(
            IoHandlerFactory io,
            Class<? extends ServerChannel> serverClass,
            Class<? extends Channel> clientClass,
            SocketAddress address)
            throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, io);
        try {
            Collector collector = new Collector();
            Channel server = new ServerBootstrap()
                    .group(group)
                    .channel(serverClass)
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel child) {
                            child.pipeline().addLast(framing(collector), collector);
                            establish(child, Role.RESPONDER);
                        }
                    })
                    .bind(address)
                    .sync()
                    .channel();
            Channel client = new Bootstrap()
                    .group(group)
                    .channel(clientClass)
                    .option(ChannelOption.AUTO_READ, true)
                    .handler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel child) {
                            child.pipeline().addLast(framing((buffer, index, length) -> true));
                        }
                    })
                    .connect(server.localAddress())
                    .sync()
                    .channel();
            client.eventLoop().submit(() -> sendAll(client)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);

            List<Integer> received = collector.done.get(PATIENCE_SECONDS, TimeUnit.SECONDS);

            assertThat(received).hasSize(ULPDUS);
            for (int i = 0; i < ULPDUS; i++) {
                assertThat(received.get(i)).isEqualTo(length(i));
            }
            client.close().sync();
            server.close().sync();
        } finally {
            group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
        }
    }

    private static void sendAll(Channel client) {
        establish(client, Role.INITIATOR);
        ByteBuf payload = client.alloc().directBuffer(65_000);
        payload.writeBytes(filled(65_000, 0x5A));
        Ulpdu ulpdu = new Ulpdu();
        for (int i = 0; i < ULPDUS; i++) {
            ulpdu.payload(payload, 0, length(i));
            client.write(ulpdu, client.voidPromise());
            if (i % 16 == 15) {
                client.flush();
            }
        }
        client.flush();
        payload.release();
    }

    private static int length(int i) {
        return i % 10 == 0 ? 60_000 + i : i;
    }

    private static MpaFramingHandler framing(UlpduReceiver receiver) {
        return new MpaFramingHandler(MpaSettings.DEFAULT, new ConnectionCounters(), receiver);
    }

    private static void establish(Channel channel, Role role) {
        channel.pipeline()
                .fireUserEventTriggered(
                        new MpaEvent.Established(AgreedParameters.builder(role).build()));
    }

    private static final class Collector extends ChannelInboundHandlerAdapter implements UlpduReceiver {

        final CompletableFuture<List<Integer>> done = new CompletableFuture<>();
        private final List<Integer> lengths = new ArrayList<>();

        @Override
        public boolean receive(ByteBuf buffer, int index, int length) {
            byte[] bytes = ByteBufUtil.getBytes(buffer, index, length, true);
            for (byte oneByte : bytes) {
                if (oneByte != 0x5A) {
                    done.completeExceptionally(new AssertionError("byte " + oneByte));
                }
            }
            lengths.add(length);
            if (lengths.size() == ULPDUS) {
                done.complete(lengths);
            }
            return true;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof MpaEvent.Fault fault) {
                done.completeExceptionally(new AssertionError(fault.toString()));
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            done.completeExceptionally(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            done.completeExceptionally(new AssertionError("closed after " + lengths.size()));
        }
    }
}
