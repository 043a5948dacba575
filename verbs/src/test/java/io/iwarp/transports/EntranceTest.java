package io.iwarp.transports;

import static io.iwarp.memory.AccessRight.REMOTE_ATOMIC;
import static io.iwarp.memory.AccessRight.REMOTE_READ;
import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static io.iwarp.transports.Server.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.iwarp.ConnectionClosedException;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers and clients by {@link Iwarp}. */
class EntranceTest {
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
    private final ProtectionDomain domain = ProtectionDomain.create();

    @AfterEach
    void close() throws Exception {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        domain.close();
    }

    @Test
    void aClientWritesReadsAndAddsWithTls() throws Exception {
        X509Bundle certificate = new CertificateBuilder()
                .algorithm(CertificateBuilder.Algorithm.ecp256)
                .subject("CN=server")
                .addSanDnsName("localhost")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        SslContext tls =
                SslContextBuilder.forServer(certificate.toKeyManagerFactory()).build();
        MemoryRegion region = domain.allocate(1L << 20, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
        IwarpListener listener = await(Iwarp.server(group)
                .domain(domain)
                .tls(tls)
                .onRequest(request -> request.accept(region))
                .listen("localhost", 0));

        SslContext trust = SslContextBuilder.forClient()
                .trustManager(certificate.getCertificate())
                .build();
        Iwarp.Client client = Iwarp.client(group).tls(trust);
        QueuePair queuePair = await(client.connect("localhost", listener.port()));
        RemoteBuffer there = queuePair.remoteBuffer();
        ByteBuf source = Unpooled.copiedBuffer("by RDMA", UTF_8);
        await(queuePair.write(source, there));
        ByteBuf sink = Unpooled.directBuffer(7, 7);
        await(queuePair.read(sink, there.slice(0, 7)));
        assertThat(sink.toString(UTF_8)).isEqualTo("by RDMA");
        assertThat(await(queuePair.fetchAdd(there.word(8), 1))).isZero();
        assertThat(await(queuePair.compareSwap(there.word(8), 1, 7))).isOne();
        assertThat(region.getVolatile(8)).isEqualTo(7);
        await(queuePair.closeGracefully());

        CompletableFuture<QueuePair> elsewhere = client.connect("127.0.0.1", listener.port());
        assertThatThrownBy(() -> await(elsewhere))
                .cause()
                .isInstanceOf(ConnectionClosedException.class)
                .rootCause()
                .hasMessageContaining("127.0.0.1");
        await(client.shutdownGracefully(DEADLINE));
        await(listener.shutdownGracefully(DEADLINE));
        source.release();
        sink.release();
        region.close();
    }

    @Test
    void messagesAreReleasedAfterTheListener() throws Exception {
        CompletableFuture<String> echo = new CompletableFuture<>();
        IwarpListener listener = await(Iwarp.server(group)
                .onMessage(100, (peer, message) -> peer.send(message.bytes()))
                .settings(QueuePairSettings.DEFAULT)
                .listen("localhost", 0));
        Iwarp.Client client = Iwarp.client(group)
                .onMessage(100, (peer, message) -> echo.complete(message.bytes().toString(UTF_8)));
        QueuePair queuePair = await(client.connect(listener.localAddress()));
        ByteBuf text = Unpooled.copiedBuffer("who is there", UTF_8);

        await(queuePair.send(text));

        assertThat(await(echo)).isEqualTo("who is there");
        await(client.shutdownGracefully(DEADLINE));
        await(listener.shutdownGracefully(DEADLINE));
        assertThat(text.release()).isTrue();
    }

    @Test
    void messageListenerExcludesOtherCompletionTargets() throws Exception {
        IwarpListener listener =
                await(Iwarp.server(group).onMessage(100, (peer, message) -> {}).listen("localhost", 0));
        Iwarp.Client client = Iwarp.client(group).onMessage(100, (peer, message) -> {});
        QueuePair queuePair = await(client.connect("localhost", listener.port()));
        ByteBuf message = Unpooled.buffer(1, 1).writeZero(1);

        assertThatThrownBy(() -> queuePair.setCompletionListener((receiver, completion) -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("sendQueueFor");
        assertThatThrownBy(() -> queuePair.sendQueue().send(1, message))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no target");

        await(client.shutdownGracefully(DEADLINE));
        await(listener.shutdownGracefully(DEADLINE));
        assertThat(message.release()).isTrue();
    }

    @Test
    void aRegionOfAnotherDomainIsNotAdvertised() throws Exception {
        CompletableFuture<String> refusal = new CompletableFuture<>();
        MemoryRegion region = domain.allocate(8, REMOTE_READ);
        IwarpListener listener = await(Iwarp.server(group)
                .onRequest(request -> {
                    assertThatThrownBy(() -> request.accept(region))
                            .isInstanceOfSatisfying(
                                    IllegalArgumentException.class, e -> refusal.complete(e.getMessage()));
                    request.accept();
                })
                .listen("localhost", 0));
        Iwarp.Client client = Iwarp.client(group);
        QueuePair queuePair = await(client.connect("localhost", listener.port()));
        try (MemoryRegion own = queuePair.allocate(16)) {
            assertThat(own.length()).isEqualTo(16);
        }

        assertThat(await(refusal)).contains("another protection domain");
        await(client.shutdownGracefully(DEADLINE));
        await(listener.shutdownGracefully(DEADLINE));
        region.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "IO_URING", "KQUEUE", "LOCAL"})
    void theGroupDecidesAboutTheTransport(Transport transport) throws Exception {
        assumeThat(transport.unavailabilityCause()).isNull();
        EventLoopGroup loops = transport.group(1);
        SocketAddress address = transport == Transport.LOCAL
                ? new LocalAddress(EntranceTest.class)
                : new InetSocketAddress("localhost", 0);
        IwarpListener listener =
                await(Iwarp.server(loops).onRequest(ConnectionRequest::accept).listen(address));
        QueuePair queuePair = await(Iwarp.client(loops).connect(listener.localAddress()));
        await(queuePair.closeGracefully());
        await(listener.shutdownGracefully(DEADLINE));
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }

    @Test
    void aConnectAfterTheEndOfItsEventLoopsFails() throws Exception {
        EventLoopGroup ended = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        Iwarp.Client client = Iwarp.client(ended);
        ended.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();

        assertThatThrownBy(() -> await(client.connect("127.0.0.1", 1)))
                .cause()
                .isInstanceOfSatisfying(ConnectionClosedException.class, failure -> {
                    assertThat(failure).hasMessageContaining("event loop of the connection was shut down");
                    assertThat(failure.reason().mayRetry()).isFalse();
                });
    }

    @Test
    void mistakesAreRefusedAtTheCall() throws Exception {
        SslContext forClients = SslContextBuilder.forClient().build();
        assertThatThrownBy(() -> Iwarp.server(group).tls(forClients))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("SslContextBuilder.forServer");
        assertThatThrownBy(() -> Iwarp.server(group).onMessage(0, (peer, message) -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxBytes 0");
        assertThatThrownBy(() -> Iwarp.server(group).listen(0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("set onRequest");
        Iwarp.Client client = Iwarp.client(group);
        client.shutdownGracefully(Duration.ZERO);
        assertThatThrownBy(() -> client.domain(domain))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("make another one");
        assertThatThrownBy(() -> await(client.connect("localhost", 1)))
                .cause()
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("was shut down");
        assertThatThrownBy(() -> Iwarp.client(new EmbeddedChannel().eventLoop()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("give a bootstrap");
    }
}
