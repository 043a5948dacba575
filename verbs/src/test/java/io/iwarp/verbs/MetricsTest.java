package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.metrics.IwarpMeterBinder;
import io.iwarp.metrics.IwarpMetrics;
import io.iwarp.metrics.LatencySampling;
import io.iwarp.metrics.QueueLimit;
import io.iwarp.metrics.SetupOutcome;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the meters say about real connections, and that they agree with what was done. */
class MetricsTest {
    private static final int LENGTH = 4096;

    private final Loopback loopback = new Loopback();
    private final IwarpDevice device = IwarpDevice.create();
    private final ProtectionDomain domain = device.createProtectionDomain();
    private final IwarpMetrics initiators = IwarpMetrics.create(device, LatencySampling.EVERY_REQUEST);
    private final IwarpMetrics responders = IwarpMetrics.create(device, LatencySampling.EVERY_REQUEST);
    private final ByteBuf memory = Unpooled.directBuffer(LENGTH, LENGTH).writeZero(LENGTH);
    private final ByteBuf message = Unpooled.directBuffer(LENGTH, LENGTH).writeZero(100);
    private final ByteBuf sink = Unpooled.directBuffer(LENGTH, LENGTH);
    private MemoryRegion region;

    @BeforeEach
    void register() {
        region = domain.register(memory, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_ATOMIC);
    }

    @AfterEach
    void release() throws Exception {
        loopback.close();
        region.close();
        domain.close();
        memory.release();
        message.release();
        sink.release();
    }

    private static QueuePairSettings with(IwarpMetrics metrics) {
        return QueuePairSettings.builder().metrics(metrics).build();
    }

    private static double counter(SimpleMeterRegistry registry, String name, String... tags) {
        FunctionCounter counter = registry.get(name).tags(tags).functionCounter();
        return counter.count();
    }

    @Test
    void everyKindOfOperationIsCountedOnBothSides() throws Exception {
        SocketAddress address = loopback.accept(domain, with(responders), qp -> {
            qp.receive(sink);
            qp.receive(Unpooled.EMPTY_BUFFER);
        });
        QueuePair initiator = loopback.connect(address, domain, with(initiators), qp -> {});
        RemoteBuffer target = region.remoteBuffer();

        Loopback.await(initiator.write(message, target));
        Loopback.await(initiator.send(message));
        Loopback.await(initiator.sendImmediate(new ImmediateData(7), PostOptions.NONE));
        ByteBuf read = Unpooled.directBuffer(LENGTH, LENGTH);
        Loopback.await(initiator.read(read, target));
        read.release();
        Loopback.await(initiator.fetchAdd(target.word(0), 1));
        Loopback.await(initiator.compareSwap(target.word(0), 1, 2));

        assertOutbound(Operation.WRITE, 100);
        assertOutbound(Operation.SEND, 100);
        assertOutbound(Operation.IMMEDIATE, 8);
        assertOutbound(Operation.READ, LENGTH);
        assertOutbound(Operation.FETCH_ADD, 8);
        assertOutbound(Operation.COMPARE_SWAP, 8);
    }

    private void assertOutbound(Operation operation, long bytes) {
        assertThat(initiators.completedOperations(operation))
                .as("%s", operation)
                .isOne();
        assertThat(initiators.completedBytes(operation)).as("%s", operation).isEqualTo(bytes);
        assertThat(initiators.servedOperations(operation)).as("%s", operation).isZero();
        assertThat(initiators.timedOperations(operation)).as("%s", operation).isOne();
        assertThat(initiators.timedNanos(operation)).as("%s", operation).isPositive();
        await().untilAsserted(() -> {
            assertThat(responders.servedOperations(operation))
                    .as("%s", operation)
                    .isOne();
            assertThat(responders.servedBytes(operation)).as("%s", operation).isEqualTo(bytes);
        });
        assertThat(responders.completedOperations(operation))
                .as("%s", operation)
                .isZero();
    }

    @Test
    void setUpsAreCountedByOutcomeAndConnectionsByState() throws Exception {
        SocketAddress accepting = loopback.accept(domain, with(responders), qp -> {});
        SocketAddress rejecting = loopback.listen(domain, with(responders), ConnectionRequest::reject);
        SocketAddress silent = loopback.listen(domain, with(responders), request -> {});
        QueuePairSettings impatient = QueuePairSettings.builder()
                .metrics(initiators)
                .mpa(MpaSettings.builder().startupTimeout(Duration.ofMillis(1)).build())
                .build();

        QueuePair connected = loopback.connect(accepting, domain, with(initiators), qp -> {});
        assertThatThrownBy(() -> loopback.connect(rejecting, domain, with(initiators), qp -> {}))
                .hasCauseInstanceOf(ConnectionRejectedException.class);
        assertThatThrownBy(() -> loopback.connect(silent, domain, impatient, qp -> {}))
                .hasCauseInstanceOf(ConnectionClosedException.class);
        SocketPeer stranger = SocketPeer.connectTo(silent);
        stranger.close();

        await().untilAsserted(() -> {
            assertThat(initiators.setups(Role.INITIATOR, SetupOutcome.ACCEPTED)).isOne();
            assertThat(initiators.setups(Role.INITIATOR, SetupOutcome.REJECTED)).isOne();
            assertThat(initiators.setups(Role.INITIATOR, SetupOutcome.TIMED_OUT))
                    .isOne();
            assertThat(initiators.setups(Role.INITIATOR, SetupOutcome.FAILED)).isZero();
            assertThat(initiators.connections(Role.INITIATOR, ConnectionState.READY))
                    .isOne();
            assertThat(initiators.connections(Role.INITIATOR, ConnectionState.INIT))
                    .isZero();
            assertThat(responders.setups(Role.RESPONDER, SetupOutcome.ACCEPTED)).isOne();
            assertThat(responders.setups(Role.RESPONDER, SetupOutcome.REJECTED)).isOne();
            // The initiator that timed out, and the peer that does not speak MPA.
            assertThat(responders.setups(Role.RESPONDER, SetupOutcome.FAILED)).isEqualTo(2);
            // Its peer has not sent anything.
            assertThat(responders.connections(Role.RESPONDER, ConnectionState.ESTABLISHED))
                    .isOne();
        });

        connected.close();
        Loopback.await(connected.closed());

        await().untilAsserted(() -> {
            assertThat(initiators.endedConnections(EndedBy.LOCAL_APPLICATION)).isOne();
            assertThat(responders.endedConnections(EndedBy.PEER_CLOSED)).isOne();
            for (ConnectionState state : ConnectionState.values()) {
                assertThat(initiators.connections(Role.INITIATOR, state)).isZero();
                assertThat(responders.connections(Role.RESPONDER, state)).isZero();
            }
        });
    }

    @Test
    void terminatesAreCountedByErrorOnBothSides() throws Exception {
        SocketAddress address = loopback.accept(domain, with(responders), qp -> {});
        QueuePair initiator = loopback.connect(address, domain, with(initiators), qp -> {});
        RemoteBuffer target = region.remoteBuffer();
        region.invalidate();

        initiator.read(sink, target).handle((ok, failure) -> {
            assertThat(failure).isInstanceOf(ConnectionClosedException.class);
            return null;
        });
        Loopback.await(initiator.closed());

        ProtocolError error = ProtocolError.RDMAP_INVALID_STAG;
        await().untilAsserted(() -> assertThat(responders.terminatesSent(error)).isOne());
        assertThat(initiators.terminatesReceived(error)).isOne();
        assertThat(initiators.terminatesSent(error)).isZero();
        assertThat(initiators.flushedOperations(Operation.READ)).isOne();
        assertThat(initiators.endedConnections(EndedBy.PEER_TERMINATE)).isOne();
        await().untilAsserted(() ->
                assertThat(responders.endedConnections(EndedBy.LOCAL_FAULT)).isOne());
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new IwarpMeterBinder(responders).bindTo(registry);
        assertThat(counter(registry, "iwarp.terminates.sent", "code", "0x0/0x1/0x00"))
                .isOne();
        assertThat(counter(registry, "iwarp.terminates.sent", "code", "unassigned"))
                .isZero();
        await().untilAsserted(() ->
                assertThat(responders.counter(Counter.TERMINATES_SENT)).isOne());
    }

    @Test
    void aWrongCrcIsCounted() throws Exception {
        SocketAddress address = loopback.accept(domain, with(responders), qp -> {});
        SocketPeer peer = SocketPeer.established(address);
        byte[] fpdu = Segment.write(region.stag(), 0, new byte[4]).fpdu();
        fpdu[fpdu.length - 1] ^= 1;

        peer.sends(Segment.write(region.stag(), 0, new byte[4]).fpdu());
        peer.sends(fpdu);
        peer.expectTerminate("2002 0000");

        assertThat(responders.counter(Counter.CRC_ERRORS)).isOne();
        assertThat(responders.counter(Counter.CRC_CHECKED)).isEqualTo(2);
        assertThat(responders.counter(Counter.FPDUS_RECEIVED)).isOne();
        assertThat(responders.counter(Counter.BYTES_PLACED)).isEqualTo(4);
        assertThat(responders.terminatesSent(ProtocolError.MPA_CRC_MISMATCH)).isOne();
        peer.close();
    }

    @Test
    void queuesShowWhatWaitsInThemAndWhatTheyRefused() throws Exception {
        QueuePairSettings shallow = QueuePairSettings.builder()
                .metrics(initiators)
                .sendQueueDepth(2)
                .receiveQueueDepth(3)
                .build();
        SocketAddress silent = loopback.listen(domain, with(responders), request -> {});
        IwarpConnector connector = new IwarpConnector(
                loopback.bootstrap(), IwarpChannelInitializer.initiator(domain, shallow, new byte[0], qp -> {
                    qp.setCompletionListener((pair, completion) -> {});
                    for (int i = 0; i < 2; i++) {
                        qp.sendQueue().send(i, message);
                        qp.receiveQueue().receive(i, sink);
                    }
                    assertThatThrownBy(() -> qp.sendQueue().send(2, message)).isInstanceOf(QueueFullException.class);
                    qp.receiveQueue().receive(2, sink);
                    assertThatThrownBy(() -> qp.receiveQueue().receive(3, sink)).isInstanceOf(QueueFullException.class);
                    assertThatThrownBy(() -> qp.receiveQueue().receive(3, sink)).isInstanceOf(QueueFullException.class);
                }));
        connector.connect(silent).exceptionally(notConnected -> null);

        await().untilAsserted(() ->
                assertThat(initiators.refusals(QueueLimit.RECEIVE)).isEqualTo(2));
        assertThat(initiators.refusals(QueueLimit.SEND)).isOne();
        assertThat(initiators.sendRequests()).isEqualTo(2);
        assertThat(initiators.queuedSendRequests()).isEqualTo(2);
        assertThat(initiators.sendQueueDepth()).isEqualTo(2);
        assertThat(initiators.receiveRequests()).isEqualTo(3);
        assertThat(initiators.receiveQueueDepth()).isEqualTo(3);
        assertThat(initiators.outstandingBytes()).isZero();
        loopback.close();
        assertThat(initiators.flushedOperations(Operation.SEND)).isEqualTo(2);
        assertThat(initiators.sendRequests()).isZero();
    }

    @Test
    void requestsWithoutAResponseAreOutstanding() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var accepting = SocketPeer.accepting(server);
            QueuePair initiator = loopback.connect(server.getLocalSocketAddress(), domain, with(initiators), qp -> {});
            SocketPeer peer = Loopback.await(accepting);
            ByteBuf read = Unpooled.directBuffer(64, 64);
            initiator.read(read, new RemoteBuffer(1, 0, 64));
            initiator.fetchAdd(new RemoteBuffer(1, 0, 8), 1);
            peer.expectUlpdu();
            peer.expectUlpdu();
            // The event loop counts a Read when its write returns, which may be later.
            initiator.channel().eventLoop().submit(() -> {}).sync();

            assertThat(initiators.outstandingReads()).isEqualTo(2);
            assertThat(initiators.outstandingBytes()).isEqualTo(64 + 8);
            assertThat(initiators.sendRequests()).isEqualTo(2);
            assertThat(initiators.queuedSendRequests()).isZero();
            peer.close();
            Loopback.await(initiator.closed());
            await().untilAsserted(
                            () -> assertThat(initiators.outstandingReads()).isZero());
            assertThat(initiators.outstandingBytes()).isZero();
            assertThat(initiators.counter(Counter.READS_REQUESTED)).isEqualTo(2);
            assertThat(initiators.counter(Counter.READS_COMPLETED)).isZero();
            read.release();
        }
    }

    @Test
    void withoutMetricsNothingIsCounted() throws Exception {
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});

        Loopback.await(initiator.write(message, region.remoteBuffer()));

        assertThat(initiators.completedOperations(Operation.WRITE)).isZero();
        assertThat(initiators.connections(Role.INITIATOR, ConnectionState.READY))
                .isZero();
    }
}
