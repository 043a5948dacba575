package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.StartupFrames.NO_PRIVATE_DATA;
import static io.iwarp.internal.mpa.StartupFrames.ascii;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.ReadyToReceive;
import io.iwarp.mpa.StartMode;
import io.iwarp.testing.Requirement;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two endpoints over TCP; the test's own thread is the application's, a foreign one to both event loops. */
class MpaStartupLoopTest {

    private static final long PATIENCE_SECONDS = 20;
    private static final MpaSettings DEFAULTS = MpaSettings.DEFAULT;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private LoopEndpoint client;
    private LoopEndpoint server;
    private Channel clientChannel;
    private Channel serverChannel;

    @AfterEach
    void shutDown() throws Exception {
        group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
    }

    @Test
    @Requirement({"MPA-53", "MPA-61", "MPA-69", "MPA-70", "MPA-72"})
    void anApplicationThreadAcceptsAndFpdusFlow() throws Exception {
        connect(initiator(DEFAULTS), responder(DEFAULTS));

        MpaConnectionRequest request = server.next(MpaConnectionRequest.class);
        assertThat(request.privateData()).isEqualTo(ascii("hello"));
        assertThat(client.seen).isEmpty();
        request.accept(ascii("welcome")).get(PATIENCE_SECONDS, TimeUnit.SECONDS);

        AgreedParameters atClient = client.next(MpaEvent.Established.class).parameters();
        assertThat(atClient.peerPrivateData()).isEqualTo(ascii("welcome"));
        client.next(MpaEvent.TransmitReady.class);
        server.next(MpaEvent.Established.class);
        assertThat(server.seen).isEmpty();
        LoopEndpoint.sendUlpdu(clientChannel, "ping");
        server.next(MpaEvent.TransmitReady.class);
        server.expects("ULPDU ping");
        LoopEndpoint.sendUlpdu(serverChannel, "pong");
        client.expects("ULPDU pong");
    }

    @Test
    @Requirement({"MPA-67", "MPA-68"})
    void anApplicationThreadRejectsAndPlainBytesFlow() throws Exception {
        connect(initiator(DEFAULTS), responder(DEFAULTS));

        server.next(MpaConnectionRequest.class).reject(ascii("full")).get(PATIENCE_SECONDS, TimeUnit.SECONDS);

        assertThat(server.next(MpaEvent.Rejected.class).privateData()).isEqualTo(ascii("full"));
        assertThat(client.next(MpaEvent.Rejected.class).privateData()).isEqualTo(ascii("full"));
        say(clientChannel, "then plain");
        server.expects("then plain");
        say(serverChannel, "plain it is");
        client.expects("plain it is");
    }

    @Test
    @Requirement({"SETUP-6", "SETUP-7", "SETUP-11", "SETUP-15", "SETUP-17", "SETUP-23"})
    void bothEndsAgreeOnDepthsAndOnWhoMaySendFirst() throws Exception {
        MpaSettings asking =
                MpaSettings.builder().peerToPeer(true).ird(3).ord(40).build();
        connect(initiator(asking), responder(DEFAULTS.toBuilder().ird(16).build()));

        MpaConnectionRequest request = server.next(MpaConnectionRequest.class);
        assertThat(request.privateData()).isEqualTo(ascii("hello"));
        assertThat(request.peerIrd()).isEqualTo(3);
        assertThat(request.peerOrd()).isEqualTo(40);
        request.accept(ascii("welcome")).get(PATIENCE_SECONDS, TimeUnit.SECONDS);

        AgreedParameters atClient = client.next(MpaEvent.Established.class).parameters();
        AgreedParameters atServer = server.next(MpaEvent.Established.class).parameters();
        assertThat(atClient.peerPrivateData()).isEqualTo(ascii("welcome"));
        assertThat(List.of(atClient.ird(), atClient.ord())).containsExactly(3, 16);
        assertThat(List.of(atServer.ird(), atServer.ord())).containsExactly(16, 3);
        assertThat(atClient.readyToReceive()).isEqualTo(ReadyToReceive.WRITE);
        client.next(MpaEvent.TransmitReady.class);
        assertThat(server.seen).isEmpty();
        LoopEndpoint.sendUlpdu(clientChannel, "ready to receive");
        server.next(MpaEvent.TransmitReady.class);
        server.expects("ULPDU ready to receive");
    }

    @Test
    @Requirement({"SETUP-25", "SETUP-26"})
    void anInitiatorThatWasNotUnderstoodAsksPlainlyOnANewConnection() throws Exception {
        MpaSettings asking = MpaSettings.builder().peerToPeer(true).build();
        MpaSettings old = MpaSettings.builder().revision(1).build();
        connect(initiator(asking), responder(old));
        assertThat(client.next(MpaEvent.StartupFailed.class).enhancedRefused()).isTrue();
        assertThat(server.next(MpaEvent.StartupFailed.class).reason().detail()).contains("not offered here");
        clientChannel.closeFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);

        connect(initiator(asking.withoutEnhancedSetup()), responder(old));
        server.next(MpaConnectionRequest.class).accept(NO_PRIVATE_DATA);

        AgreedParameters agreed = client.next(MpaEvent.Established.class).parameters();
        assertThat(agreed.revision()).isEqualTo(1);
        assertThat(agreed.peerToPeer()).isFalse();
    }

    /** The delayed start-up of RFC 5044 section 7.1.3. */
    @Test
    @Requirement({"MPA-51", "MPA-79", "MPA-80"})
    void bothEndsSwitchFromStreamingToMpaAtTheSameByte() throws Exception {
        connect(new LoopEndpoint(Role.INITIATOR, DEFAULTS, false), new LoopEndpoint(Role.RESPONDER, DEFAULTS, false));

        say(clientChannel, "shall we?");
        server.expects("shall we?");
        // The responder switches and sends its last streaming bytes in one task, so that no Request arrives in between.
        serverChannel
                .eventLoop()
                .submit(() -> {
                    server.switchToMpa(serverChannel);
                    ChannelHandlerContext belowMpa = serverChannel.pipeline().firstContext();
                    belowMpa.writeAndFlush(Unpooled.wrappedBuffer(ascii("we shall")));
                })
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        client.expects("we shall");
        clientChannel
                .eventLoop()
                .submit(() -> client.switchToMpa(clientChannel))
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        server.next(MpaConnectionRequest.class).accept(NO_PRIVATE_DATA);

        client.next(MpaEvent.Established.class);
        client.next(MpaEvent.TransmitReady.class);
        LoopEndpoint.sendUlpdu(clientChannel, "first");
        server.next(MpaEvent.Established.class);
        server.next(MpaEvent.TransmitReady.class);
        server.expects("ULPDU first");
    }

    @Test
    void bothEndsOfAPreAgreedStartMaySendFirst() throws Exception {
        MpaSettings settings = MpaSettings.builder()
                .start(StartMode.PREAGREED)
                .requestMarkers(true)
                .build();
        connect(initiator(settings), responder(settings));

        server.next(MpaEvent.Established.class);
        server.next(MpaEvent.TransmitReady.class);
        LoopEndpoint.sendUlpdu(serverChannel, "responder first");
        client.next(MpaEvent.Established.class);
        client.next(MpaEvent.TransmitReady.class);
        client.expects("ULPDU responder first");
        LoopEndpoint.sendUlpdu(clientChannel, "initiator next");
        server.expects("ULPDU initiator next");
    }

    @Test
    @Requirement({"MPA-55", "MPA-74"})
    void twoInitiatorsBothFindOut() throws Exception {
        connect(initiator(DEFAULTS), initiator(DEFAULTS));

        for (LoopEndpoint end : new LoopEndpoint[] {client, server}) {
            assertThat(end.next(MpaEvent.StartupFailed.class).reason().toString())
                    .contains("both sides are initiators");
        }
        clientChannel.closeFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        serverChannel.closeFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    @Requirement("MPA-75")
    void twoRespondersFindOutByTheirTimeout() throws Exception {
        MpaSettings hasty =
                MpaSettings.builder().startupTimeout(Duration.ofMillis(50)).build();
        connect(responder(DEFAULTS), responder(hasty));

        assertThat(server.next(MpaEvent.StartupFailed.class).reason().endedBy()).isEqualTo(EndedBy.TIMEOUT);
        assertThat(client.next(MpaEvent.StartupFailed.class).reason().endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        clientChannel.closeFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    @Requirement({"MPA-83", "MPA-87"})
    void replyToAClosedPeerFailsWithTheReason() throws Exception {
        connect(initiator(DEFAULTS), responder(DEFAULTS));
        MpaConnectionRequest request = server.next(MpaConnectionRequest.class);

        clientChannel.close().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(server.next(MpaEvent.StartupFailed.class).reason().error())
                .isEqualTo(ProtocolError.MPA_CONNECTION_LOST);
        ChannelFuture replied = request.accept(NO_PRIVATE_DATA);

        assertThatThrownBy(() -> replied.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("the peer closed");
    }

    @Test
    void replyAfterLoopTerminationFails() throws Exception {
        connect(initiator(DEFAULTS), responder(DEFAULTS));
        MpaConnectionRequest request = server.next(MpaConnectionRequest.class);
        // A closed channel fails the reply; here the event loop has terminated.
        group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).sync();

        ChannelFuture replied = request.accept(NO_PRIVATE_DATA);

        assertThat(replied.cause()).isInstanceOf(ConnectionClosedException.class);
    }

    private static LoopEndpoint initiator(MpaSettings settings) {
        return new LoopEndpoint(Role.INITIATOR, settings, true);
    }

    private static LoopEndpoint responder(MpaSettings settings) {
        return new LoopEndpoint(Role.RESPONDER, settings, true);
    }

    private void connect(LoopEndpoint connecting, LoopEndpoint accepting) throws Exception {
        client = connecting;
        server = accepting;
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        Channel listening = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel child) {
                        child.pipeline().addLast(accepting);
                        accepted.complete(child);
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        clientChannel = new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .handler(connecting)
                .connect(listening.localAddress())
                .sync()
                .channel();
        serverChannel = accepted.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static void say(Channel channel, String text) {
        channel.writeAndFlush(Unpooled.wrappedBuffer(ascii(text)));
    }
}
