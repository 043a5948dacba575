package io.iwarp.transports;

import static io.iwarp.memory.AccessRight.REMOTE_READ;
import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static io.iwarp.transports.Server.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.LogCapture;
import io.iwarp.testing.RefusingPort;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.nio.NioIoHandler;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What each connection is set up with, who is connected, and what a failed set-up says. */
class ConnectionSetupsTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp", Level.INFO);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());

    @AfterEach
    void close() throws Exception {
        group.shutdownGracefully(0, 20, TimeUnit.SECONDS).sync();
    }

    private static QueuePairSettings settings(int depth, int ird) {
        return QueuePairSettings.builder()
                .sendQueueDepth(depth)
                .mpa(MpaSettings.builder().ird(ird).enhanced(true).build())
                .build();
    }

    @Test
    void eachRequestHasDomainSettingsAndMemoryOfItsOwn() throws Exception {
        ProtectionDomain first = ProtectionDomain.create();
        ProtectionDomain second = ProtectionDomain.create();
        BlockingQueue<QueuePair> accepted = new LinkedBlockingQueue<>();
        IwarpListener listener = await(Iwarp.server(group)
                .onRequest(request -> {
                    boolean admin = "admin".equals(new String(request.privateData(), UTF_8));
                    QueuePair queuePair = request.setup()
                            .domain(admin ? first : second)
                            .settings(admin ? settings(32, 3) : settings(1024, 50))
                            .queuePair();
                    MemoryRegion region = queuePair.allocate(8, REMOTE_READ, REMOTE_WRITE);
                    queuePair.closed().thenRun(region::close);
                    request.setup().privateData(region.remoteBuffer());
                    assertThatThrownBy(() -> request.setup().domain(first))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("the queue pair exists");
                    accepted.add(queuePair);
                    request.accept();
                })
                .listen(ANY_PORT));
        Iwarp.Client client = Iwarp.client(group).settings(settings(128, 128));
        ByteBuf source = Unpooled.copyLong(7);

        for (String who : List.of("admin", "tenant")) {
            QueuePair queuePair =
                    await(client.connect(listener.localAddress(), setup -> setup.privateData(who.getBytes(UTF_8))));
            await(queuePair.write(source.duplicate(), queuePair.remoteBuffer()));
            QueuePair there = accepted.poll(20, TimeUnit.SECONDS);
            boolean admin = who.equals("admin");
            assertThat(there.snapshot().toString()).contains("of " + (admin ? 32 : 1024) + " posted");
            assertThat(queuePair.parameters().ord()).isEqualTo(admin ? 3 : 50);
            assertThat(admin ? first : second)
                    .satisfies(domain -> assertThatThrownBy(domain::close).hasMessageContaining("streams (1)"));
        }
        await(client.shutdownGracefully(DEADLINE));
        await(listener.shutdownGracefully(DEADLINE));
        first.close();
        second.close();
        source.release();
    }

    @Test
    void settingsOfARequestKeepTheListenerForMessages() throws Exception {
        BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        QueuePairSettings managed =
                QueuePairSettings.builder().managedReceiveBytes(10).build();
        IwarpListener listener = await(Iwarp.server(group)
                .onMessage(20, (from, message) -> messages.add("all " + message))
                .onRequest(request -> {
                    request.setup().settings(settings(32, 3));
                    assertThatThrownBy(() -> request.setup().settings(managed))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining("set only one of them");
                    if (request.privateData().length > 0) {
                        request.setup().onMessage(30, (from, message) -> messages.add("one " + message));
                    }
                    request.accept();
                })
                .listen(ANY_PORT));
        Iwarp.Client client = Iwarp.client(group);
        ByteBuf text = Unpooled.copiedBuffer("ten bytes.", UTF_8);

        await(await(client.connect(listener.localAddress())).send(text.duplicate()));
        assertThat(messages.poll(20, TimeUnit.SECONDS)).isEqualTo("all Message[10 bytes]");
        await(await(client.connect(listener.localAddress(), setup -> setup.privateData(new byte[1])))
                .send(text.duplicate()));
        assertThat(messages.poll(20, TimeUnit.SECONDS)).isEqualTo("one Message[10 bytes]");

        await(client.shutdownGracefully(DEADLINE));
        await(listener.shutdownGracefully(DEADLINE));
        text.release();
    }

    @Test
    void bothConnectionsOfAFallbackAreSetUp() throws Exception {
        QueuePairSettings old = QueuePairSettings.builder()
                .mpa(MpaSettings.builder().revision(1).build())
                .build();
        IwarpListener listener = await(Iwarp.server(group)
                .settings(old)
                .onRequest(ConnectionRequest::accept)
                .listen(ANY_PORT));
        BlockingQueue<QueuePair> prepared = new LinkedBlockingQueue<>();
        Iwarp.Client client = Iwarp.client(group).peerToPeer().prepare(setup -> prepared.add(setup.queuePair()));

        QueuePair queuePair = await(client.connect(listener.localAddress()));

        assertThat(prepared).hasSize(2).endsWith(queuePair);
        assertThat(queuePair.parameters().revision()).isOne();
        await(client.shutdownGracefully(DEADLINE));
        await(listener.shutdownGracefully(DEADLINE));
    }

    @Test
    void aServerReportsAndListsItsConnections() throws Exception {
        BlockingQueue<QueuePair> opened = new LinkedBlockingQueue<>();
        BlockingQueue<CloseReason> closed = new LinkedBlockingQueue<>();
        IwarpListener listener = await(Iwarp.server(group)
                .onRequest(request -> {
                    if (request.privateData().length == 0) {
                        request.accept();
                    } else {
                        request.reject("full");
                    }
                })
                .onOpen(opened::add)
                .onClose((queuePair, reason) -> closed.add(reason))
                .listen(ANY_PORT));
        Iwarp.Client client = Iwarp.client(group);
        QueuePair queuePair = await(client.connect(listener.localAddress()));
        CompletableFuture<QueuePair> rejected =
                client.connect(listener.localAddress(), setup -> setup.privateData(new byte[1]));
        assertThatThrownBy(() -> await(rejected)).hasMessageContaining("full");

        QueuePair there = opened.poll(20, TimeUnit.SECONDS);
        assertThat(listener.queuePairs()).containsExactly(there);
        queuePair.close();
        assertThat(closed.poll(20, TimeUnit.SECONDS).endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        assertThat(listener.queuePairs()).isEmpty();
        await(client.shutdownGracefully(DEADLINE));
        await(listener.shutdownGracefully(DEADLINE));
        assertThat(opened).isEmpty();
        assertThat(closed).isEmpty();
    }

    /** The race is between the cancel and the event loop, which has not prepared the connection yet. */
    @Test
    void aCancelledConnectIsCountedUntilItsStreamIsGone() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            for (int round = 0; round < 200; round++) {
                ProtectionDomain domain = ProtectionDomain.create();
                Iwarp.Client client = Iwarp.client(group).domain(domain);
                CompletableFuture<QueuePair> connecting = client.connect(silent.getLocalSocketAddress());
                connecting.cancel(false);
                while (client.connections() > 0) {
                    Thread.onSpinWait();
                }
                domain.close();
            }
        }
        assertThat(log.events()).isEmpty();
    }

    @Test
    void aConnectThatFailsSaysWhy() throws Exception {
        Iwarp.Client client = Iwarp.client(group);
        CloseReason unknown = reasonOf(client.connect("no.such.host.invalid", 1));
        assertThat(unknown.endedBy()).isEqualTo(EndedBy.TRANSPORT);
        assertThat(unknown.cause()).isInstanceOf(UnknownHostException.class);
        assertThat(unknown.detail()).contains("unknown host no.such.host.invalid");
        try (RefusingPort port = new RefusingPort()) {
            SocketAddress refusing = port.address();
            assertThat(reasonOf(client.connect(refusing)))
                    .hasToString("the connection failed: could not connect to " + refusing + ": Connection refused: "
                            + refusing);
        }
        assertThatThrownBy(() -> await(client.connect(new LocalAddress("here"))))
                .cause()
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not support a LocalAddress");
        CloseReason closedHere = reasonOf(
                client.connect(ANY_PORT, setup -> setup.queuePair().channel().close()));
        assertThat(closedHere.endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThat(closedHere.detail()).contains("the application closed the channel");
        await(client.shutdownGracefully(ChronoUnit.FOREVER.getDuration()));
    }

    private static CloseReason reasonOf(CompletableFuture<QueuePair> connecting) throws Exception {
        return await(connecting.handle((queuePair, failure) -> {
            assertThat(failure).isInstanceOf(ConnectionClosedException.class);
            return ((ConnectionClosedException) failure).reason();
        }));
    }

    @Test
    void aListenThatFailsSaysWhy() {
        Iwarp.Server server = Iwarp.server(group).onRequest(ConnectionRequest::accept);
        assertThatThrownBy(() -> await(server.listen("no.such.host.invalid", 0)))
                .cause()
                .isInstanceOf(BindException.class)
                .hasMessageContaining("unknown host");
        assertThatThrownBy(() -> await(server.listen(new LocalAddress("here"))))
                .cause()
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not support a LocalAddress");
    }

    @Test
    void whatIsWrongIsRefusedWhereItIsSet() throws Exception {
        BlockingQueue<Throwable> tooLong = new LinkedBlockingQueue<>();
        Iwarp.Client client = Iwarp.client(group);
        reasonOf(client.connect(ANY_PORT, setup -> {
            try {
                setup.privateData(new byte[513]);
            } catch (IllegalArgumentException e) {
                tooLong.add(e);
            }
            setup.queuePair().channel().close();
        }));
        assertThat(tooLong).singleElement().satisfies(e -> assertThat(e).hasMessageContaining("513 bytes"));
        QueuePairSettings managed =
                QueuePairSettings.builder().managedReceiveBytes(10).build();
        assertThatThrownBy(() -> Iwarp.server(group)
                        .settings(managed)
                        .onMessage(20, (peer, message) -> {})
                        .listen(ANY_PORT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("set only one of them");
        assertThatThrownBy(() -> Iwarp.client(group).connectTimeout(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("connectTimeout is PT0S");
    }
}
