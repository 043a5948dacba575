package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionState;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryLimit;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.memory.ResourceLimitException;
import io.iwarp.metrics.IwarpMetrics;
import io.iwarp.metrics.QueueLimit;
import io.iwarp.metrics.SetupOutcome;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each limit: what is refused at it, how that shows, and that everything continues below it. */
class LimitsTest {
    private static final int PATIENCE_SECONDS = 60;

    private final Loopback loopback = new Loopback();
    private final IwarpDevice device = IwarpDevice.builder()
            .maxRegions(3)
            .maxWindows(1)
            .maxRegisteredBytes(1000)
            .build();
    private final ProtectionDomain domain = device.createProtectionDomain();
    private final IwarpMetrics metrics = IwarpMetrics.create(device);
    private final List<ByteBuf> buffers = new ArrayList<>();

    @AfterEach
    void release() {
        loopback.close();
        domain.close();
        buffers.forEach(ByteBuf::release);
    }

    private ByteBuf buffer(int bytes) {
        ByteBuf buffer = Unpooled.directBuffer(bytes, bytes);
        buffers.add(buffer);
        return buffer;
    }

    private ByteBuf message(int bytes) {
        return buffer(bytes).writeZero(bytes);
    }

    @Test
    void outstandingBytesAreLimited() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            QueuePairSettings settings = QueuePairSettings.builder()
                    .metrics(metrics)
                    .maxOutstandingBytes(100)
                    .build();
            var accepting = SocketPeer.accepting(server);
            QueuePair initiator = loopback.connect(server.getLocalSocketAddress(), domain, settings, qp -> {});
            SocketPeer peer = Loopback.await(accepting);
            var read = initiator.read(buffer(60), new RemoteBuffer(1, 0, 60));
            var add = initiator.fetchAdd(new RemoteBuffer(1, 0, 8), 1);

            SendQueue queue = initiator.sendQueueFor((same, completion) -> {});
            assertThatThrownBy(() -> queue.send(1, message(33)))
                    .isInstanceOf(QueueFullException.class)
                    .hasMessageContaining("requested: 33")
                    .hasMessageContaining("outstanding: 68, maxOutstandingBytes: 100")
                    .hasMessageContaining("wait for a completion");
            assertThatThrownBy(() -> initiator.write(message(101), new RemoteBuffer(1, 0, 101)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("101 bytes exceeds maxOutstandingBytes, 100")
                    .hasMessageContaining("smaller pieces");
            assertThat(metrics.refusals(QueueLimit.BYTES)).isOne();
            assertThat(metrics.refusals(QueueLimit.SEND)).isZero();

            byte[] request = peer.expectUlpdu();
            int sinkStag = ByteBuffer.wrap(request).getInt(18);
            peer.sends(Segment.readResponse(sinkStag, 0, new byte[60]));
            peer.expectUlpdu();
            peer.sends(Segment.atomicResponse(1, 2, 0));
            Loopback.await(read);
            Loopback.await(add);
            Loopback.await(initiator.send(message(92)));
            Loopback.await(initiator.send(message(92)));

            peer.close();
            Loopback.await(initiator.closed());
        }
    }

    /** While the peer takes nothing, nothing completes. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "100", "99 1", "60 8 32", "1 99 0"})
    void asManyBytesAsAllowedAreOutstandingAndNotOneMore(String lengths) {
        List<Integer> posts =
                Stream.of(lengths.split(" ")).map(Integer::valueOf).toList();
        int limit = posts.stream().mapToInt(Integer::intValue).sum();
        QueuePairSettings settings = QueuePairSettings.builder()
                .metrics(metrics)
                .sendQueueDepth(posts.size() + 1)
                .maxOutstandingBytes(limit)
                .build();
        try (SimulatedPeer peer = SimulatedPeer.ofInitiator(domain, settings, qp -> {})) {
            QueuePair queuePair = peer.queuePair();
            SendQueue queue = queuePair.sendQueueFor((same, completion) -> {});
            for (int round = 0; round < 2; round++) {
                peer.deaf(true);
                assertThatThrownBy(() -> queuePair.send(message(limit + 1)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("smaller pieces");
                for (int length : posts) {
                    queue.send(length, message(length));
                }
                assertThatThrownBy(() -> queue.send(1, message(1)))
                        .isInstanceOf(QueueFullException.class)
                        .hasMessageContaining("requested: 1,")
                        .hasMessageContaining("outstanding: " + limit + ", maxOutstandingBytes: " + limit)
                        .hasMessageContaining("wait for a completion");
                CompletableFuture<Completion> empty = queuePair.send(Unpooled.EMPTY_BUFFER);
                assertThat(empty).as("it adds no byte").isNotDone();
                assertThatThrownBy(() -> queue.send(1, Unpooled.EMPTY_BUFFER))
                        .as("it is the queue that is full now")
                        .isInstanceOf(QueueFullException.class)
                        .hasMessageContaining("send queue full");
                peer.deaf(false);
                assertThat(empty).isCompleted();
            }
        }
        assertThat(metrics.refusals(QueueLimit.BYTES)).isEqualTo(2);
        assertThat(metrics.refusals(QueueLimit.SEND)).isEqualTo(2);
    }

    @Test
    void aResponderClosesConnectionsBeyondThoseThatMayBeInSetup() throws Exception {
        BlockingQueue<ConnectionRequest> undecided = new LinkedBlockingQueue<>();
        QueuePairSettings settings =
                QueuePairSettings.builder().metrics(metrics).build();
        IwarpListener listener = Loopback.await(Iwarp.server(loopback.serverBootstrap())
                .domain(domain)
                .settings(settings)
                .maxSetups(2)
                .onRequest(undecided::add)
                .listen("127.0.0.1", 0));
        SocketAddress address = listener.localAddress();
        SocketPeer silent = SocketPeer.connectTo(address);
        IwarpConnector connector = new IwarpConnector(
                loopback.bootstrap(),
                IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, new byte[0], qp -> {}));
        var first = connector.connect(address);
        ConnectionRequest request = undecided.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        await().until(() -> metrics.connections(Role.RESPONDER, ConnectionState.INIT) == 2);

        assertThatThrownBy(() -> Loopback.await(connector.connect(address)))
                .hasCauseInstanceOf(ConnectionClosedException.class)
                .satisfies(refused -> assertThat(((ConnectionClosedException) refused.getCause())
                                .reason()
                                .endedBy())
                        .isIn(EndedBy.PEER_CLOSED, EndedBy.TRANSPORT));
        assertThat(metrics.setups(Role.RESPONDER, SetupOutcome.OVERLOADED)).isOne();
        assertThat(metrics.connections(Role.RESPONDER, ConnectionState.INIT)).isEqualTo(2);

        // One is decided about and leaves the set-up; another peer gets its place.
        request.accept();
        Loopback.await(first);
        var second = connector.connect(address);
        undecided.poll(PATIENCE_SECONDS, TimeUnit.SECONDS).reject();
        assertThatThrownBy(() -> Loopback.await(second)).isNotNull();
        // A connection that closes without a request frees its place, too.
        silent.close();
        await().until(() -> metrics.connections(Role.RESPONDER, ConnectionState.INIT) == 0);
        for (int i = 0; i < 2; i++) {
            var last = connector.connect(address);
            undecided.poll(PATIENCE_SECONDS, TimeUnit.SECONDS).accept();
            Loopback.await(last);
        }
        assertThat(metrics.setups(Role.RESPONDER, SetupOutcome.OVERLOADED)).isOne();
        Loopback.await(listener.shutdownGracefully(Duration.ZERO));
    }

    @Test
    void regionsBytesAndWindowsBeyondTheDevicesAreRefusedAndCounted() {
        MemoryRegion region = domain.register(buffer(600), AccessRight.REMOTE_READ);
        assertThatThrownBy(() -> domain.register(buffer(500)))
                .isInstanceOf(ResourceLimitException.class)
                .hasMessageContaining("maxRegisteredBytes");
        MemoryRegion second = domain.register(buffer(200));
        MemoryRegion third = domain.register(buffer(200));
        assertThatThrownBy(() -> domain.register(buffer(1)))
                .isInstanceOf(ResourceLimitException.class)
                .hasMessageContaining("maxRegions");
        var window = region.window(0, 10).rights(AccessRight.REMOTE_READ).bind();
        assertThatThrownBy(() ->
                        region.window(0, 10).rights(AccessRight.REMOTE_READ).bind())
                .isInstanceOf(ResourceLimitException.class)
                .hasMessageContaining("maxWindows");

        assertThat(MemoryLimit.values()).extracting(device::refusals).containsExactly(1L, 1L, 1L, 0L, 0L);

        window.close();
        third.close();
        second.close();
        domain.register(buffer(400)).close();
        region.close();
        assertThat(device.registeredBytes()).isZero();
        assertThat(metrics.device().refusals()).isEqualTo(3);
    }

    @Test
    void aPeerThatAsksForMoreThanTheIrdIsTerminated() throws Exception {
        QueuePairSettings settings = QueuePairSettings.builder()
                .metrics(metrics)
                .mpa(MpaSettings.builder().ird(0).build())
                .build();
        SocketAddress address = loopback.accept(domain, settings, qp -> {});
        SocketPeer peer = SocketPeer.established(address);

        peer.sends(Segment.readRequest(1, 1, 0, 8, 2, 0));
        peer.expectUlpdu();
        peer.expectEnd();

        await().until(() -> metrics.terminatesSent(ProtocolError.DDP_UNTAGGED_NO_BUFFER) == 1);
        peer.close();
    }

    @Test
    void readsBeyondTheOrdWaitAndCountAsPosted() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            QueuePairSettings settings = QueuePairSettings.builder()
                    .metrics(metrics)
                    .mpa(MpaSettings.builder().ord(1).build())
                    .build();
            var accepting = SocketPeer.accepting(server);
            QueuePair initiator = loopback.connect(server.getLocalSocketAddress(), domain, settings, qp -> {});
            SocketPeer peer = Loopback.await(accepting);
            assertThat(initiator.sendQueue().readRoom()).isOne();
            initiator.fetchAdd(new RemoteBuffer(1, 0, 8), 1);
            assertThat(initiator.sendQueue().readRoom()).isZero();
            initiator.fetchAdd(new RemoteBuffer(1, 0, 8), 1);
            assertThat(initiator.sendQueue().readRoom()).isZero();
            peer.expectUlpdu();
            await().until(() -> metrics.queuedSendRequests() == 1);

            await().until(() -> metrics.outstandingReads() == 1);
            assertThat(metrics.sendRequests()).isEqualTo(2);

            peer.close();
            Loopback.await(initiator.closed());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"READ", "FETCH_ADD", "COMPARE_SWAP"})
    @Requirement({"EXT-32", "RDMAP-53", "RDMAP-72"})
    void ordOfZeroRefusesAReadAndEndsTheStreamOfAnEarlierOne(Operation operation) {
        QueuePairSettings settings = QueuePairSettings.builder()
                .mpa(MpaSettings.builder().ord(0).build())
                .build();
        try (SimulatedPeer peer = SimulatedPeer.ofInitiator(domain, settings, qp -> {})) {
            assertThatThrownBy(() -> read(peer.queuePair(), operation))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("ORD of 0");
            assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
        }
        List<CompletableFuture<?>> early = new ArrayList<>();
        try (SimulatedPeer peer = SimulatedPeer.ofInitiator(domain, settings, qp -> early.add(read(qp, operation)))) {
            peer.hearsTerminate("0000 0000");
            assertThat(early).allMatch(CompletableFuture::isCompletedExceptionally);
            assertThat(peer.queuePair().closed())
                    .isCompletedWithValueMatching(reason -> reason.detail().contains("ORD of 0"));
        }
    }

    private CompletableFuture<?> read(QueuePair queuePair, Operation operation) {
        RemoteBuffer remote = new RemoteBuffer(1, 0, 8);
        return switch (operation) {
            case READ -> queuePair.read(buffer(8), remote);
            case FETCH_ADD -> queuePair.fetchAdd(remote, 1);
            default -> queuePair.compareSwap(remote, 1, 2);
        };
    }

    @Test
    void settingsOutsideTheirRangeAreRefused() {
        assertThatThrownBy(
                        () -> QueuePairSettings.builder().maxOutstandingBytes(0).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxOutstandingBytes: 0 (expected: at least 1)");
        for (int wrong : new int[] {0, (1 << 20) + 1}) {
            assertThatThrownBy(() -> Iwarp.server(loopback.serverBootstrap()).maxSetups(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("maxSetups: " + wrong + " (expected: 1 to 1,048,576)");
        }
    }
}
