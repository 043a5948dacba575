package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.MpaFramingInboundTest.filled;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A plain socket as the peer, for what only a real TCP connection does: FIN and RST. */
class FramingTcpPeerTest {

    private static final int PATIENCE_MILLIS = 60_000;

    private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private Socket peer;

    @BeforeEach
    void connect() throws Exception {
        Channel server = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel child) {
                        MpaFramingHandler framing = new MpaFramingHandler(
                                MpaSettings.DEFAULT, new ConnectionCounters(), (buffer, index, length) -> true);
                        child.pipeline().addLast(framing, new SendAtTheEnd());
                        AgreedParameters agreed = AgreedParameters.builder(Role.RESPONDER)
                                .sendMarkers(true)
                                .receiveMarkers(true)
                                .mulpdu(1442)
                                .build();
                        child.pipeline().fireUserEventTriggered(new MpaEvent.Established(agreed));
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        peer = new Socket(address.getAddress(), address.getPort());
        peer.setSoTimeout(PATIENCE_MILLIS);
    }

    @AfterEach
    void disconnect() throws Exception {
        peer.close();
        group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
    }

    @Test
    @Requirement({"MPA-81", "MPA-82"})
    void aFinBetweenFpdusEndsOneHalfAndTheOtherStillCarriesFpdus() throws Exception {
        peer.getOutputStream().write(new ReferenceFramer(true, true).frame(filled(600, 1)));
        peer.shutdownOutput();

        assertThat(next(MpaEvent.InputShutdown.class)).isNotNull();
        byte[] expected = new ReferenceFramer(true, true).frame(filled(700, 2));
        assertThat(peer.getInputStream().readNBytes(expected.length)).isEqualTo(expected);
    }

    @Test
    @Requirement({"MPA-83", "MPA-87"})
    void aFinInsideAnFpduIsALostConnection() throws Exception {
        peer.getOutputStream().write(Arrays.copyOf(new ReferenceFramer(true, true).frame(filled(600, 1)), 599));
        peer.shutdownOutput();

        MpaEvent.Fault fault = next(MpaEvent.Fault.class);
        assertThat(fault.fault().error()).isEqualTo(ProtocolError.MPA_CONNECTION_LOST);
        assertThat(fault.transmitReady()).isFalse();
    }

    @Test
    @Requirement({"MPA-83", "MPA-87"})
    void aResetIsALostConnection() throws Exception {
        peer.getOutputStream().write(new ReferenceFramer(true, true).frame(filled(600, 1)));
        assertThat(next(MpaEvent.TransmitReady.class)).isNotNull();
        peer.setSoLinger(true, 0);
        peer.close();

        MpaEvent.Fault fault = next(MpaEvent.Fault.class);
        assertThat(fault.fault().error()).isEqualTo(ProtocolError.MPA_CONNECTION_LOST);
        assertThat(fault.transmitReady()).isTrue();
    }

    private <E> E next(Class<E> type) throws InterruptedException {
        while (true) {
            Object event = events.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            assertThat(event).as("waiting for %s", type).isNotNull();
            if (type.isInstance(event)) {
                return type.cast(event);
            }
        }
    }

    private final class SendAtTheEnd extends ChannelInboundHandlerAdapter {

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            events.add(event);
            if (event instanceof MpaEvent.InputShutdown) {
                Ulpdu ulpdu = new Ulpdu().payload(Unpooled.wrappedBuffer(filled(700, 2)), 0, 700);
                ctx.writeAndFlush(ulpdu, ctx.voidPromise());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            events.add(cause);
        }
    }
}
