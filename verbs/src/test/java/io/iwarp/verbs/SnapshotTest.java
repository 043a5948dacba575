package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.Role;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SnapshotTest {
    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf sink = Unpooled.directBuffer(64, 64);

    @AfterEach
    void release() {
        loopback.close();
        domain.close();
        sink.release();
    }

    @Test
    void aSnapshotTellsWhereAQueuePairStandsInEachPartOfItsLife() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            AtomicReference<QueuePairSnapshot> early = new AtomicReference<>();
            var accepting = SocketPeer.accepting(server);
            QueuePair initiator =
                    loopback.connect(server.getLocalSocketAddress(), domain, QueuePairSettings.DEFAULT, qp -> {
                        qp.receive(sink);
                        early.set(qp.snapshot());
                    });
            SocketPeer peer = Loopback.await(accepting);
            initiator.read(sink, new RemoteBuffer(1, 0, 64));
            peer.expectUlpdu();
            // The event loop counts the Read when its write returns, which may be later.
            initiator.channel().eventLoop().submit(() -> {}).sync();
            QueuePairSnapshot ready = initiator.snapshot();
            peer.close();
            Loopback.await(initiator.closed());
            QueuePairSnapshot over = initiator.snapshot();

            assertThat(early.get().state()).isEqualTo(ConnectionState.INIT);
            assertThat(early.get().receiveRequests()).isOne();
            assertThat(early.get().parameters()).isNull();
            assertThat(early.get().toString())
                    .contains("is INIT, INITIATOR", "nothing yet", "receive    1 of 128 posted", "ended      no");
            assertThat(ready.state()).isEqualTo(ConnectionState.READY);
            assertThat(ready.role()).isEqualTo(Role.INITIATOR);
            assertThat(ready.outstandingReads()).isOne();
            assertThat(ready.outstandingPeerReads()).isZero();
            assertThat(ready.sendRequests()).isOne();
            assertThat(ready.queuedSendRequests()).isZero();
            assertThat(ready.counters()).containsEntry(Counter.FPDUS_SENT, 1L);
            assertThat(ready.remoteAddress()).isEqualTo(server.getLocalSocketAddress());
            assertThat(ready.toString())
                    .contains(
                            ready.channel() + " is READY",
                            server.getLocalSocketAddress() + " there",
                            "CRC on",
                            "send       1 of 128 posted, 0 of them not started",
                            "Reads      1 of 128 outstanding, 0 of 128 of the peer",
                            "FPDUS_SENT 1",
                            "ended      no");
            assertThat(over.state()).isIn(ConnectionState.ERROR, ConnectionState.CLOSED);
            assertThat(over.sendRequests()).isZero();
            assertThat(over.closeReason()).isNotNull();
            assertThat(over.closeReason().endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
            assertThat(over.toString()).contains("ended      the peer closed the stream");
        }
    }

    @Test
    void itTellsWhoseReceivesMessagesTake() {
        QueuePairSettings managed =
                QueuePairSettings.builder().managedReceiveBytes(8).build();
        try (SharedReceiveQueue receives = SharedReceiveQueue.create(8, 2);
                CompletionQueue completions = CompletionQueue.create(1_000);
                SimulatedPair pair = new SimulatedPair(
                        domain,
                        QueuePairSettings.DEFAULT,
                        managed,
                        qp -> qp.setSharedReceiveQueue(receives),
                        qp -> qp.setCompletionQueue(completions))) {
            QueuePair taker = pair.responder.queuePair();
            for (int polled = 0; polled < 2; polled++) {
                assertThat(taker.snapshot().receiveRequests()).isZero();
                assertThat(taker.snapshot().toString())
                        .contains("receive    0 of 128 delivered and not polled, none has to be posted");
                pair.initiator.queuePair().send(Unpooled.EMPTY_BUFFER);
                pair.run();
                assertThat(taker.snapshot().receiveRequests()).isOne();
                completions.poll((qp, completion) -> completion.buffer().release(), 1);
            }
            assertThat(pair.initiator.queuePair().snapshot().toString())
                    .contains("receive    0 of 2 held, its share of a shared receive queue");
        }
    }
}
