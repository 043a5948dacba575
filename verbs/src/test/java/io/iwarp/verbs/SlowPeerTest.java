package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a peer can make this side hold, and for how long: it takes nothing, takes slowly, or asks for all at once. */
class SlowPeerTest {
    private static final int IRD = 16;
    private static final int MIB = 1 << 20;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion region = domain.allocate(MIB, AccessRight.REMOTE_READ, AccessRight.REMOTE_ATOMIC);

    @AfterEach
    void release() {
        region.close();
        domain.close();
    }

    private static QueuePairSettings.Builder settings() {
        return QueuePairSettings.builder()
                .mpa(MpaSettings.builder().ird(IRD).ord(IRD).enhanced(false).build());
    }

    private SimulatedPeer peer(QueuePairSettings settings) {
        return SimulatedPeer.ofResponder(domain, settings, qp -> {}).speaksFirst();
    }

    private Segment readRequest(int msn, int length) {
        return Segment.readRequest(msn, 7, 0, length, region.stag(), region.baseTaggedOffset());
    }

    private static CloseReason reason(SimulatedPeer peer) {
        CompletableFuture<CloseReason> closed = peer.queuePair().closed();
        assertThat(closed).isCompleted();
        return closed.join();
    }

    private static int responses(SimulatedPeer peer) {
        return (int) (peer.queuePair().counters().get(Counter.PEER_READS_ACCEPTED)
                - peer.queuePair().counters().get(Counter.PEER_READS_COMPLETED));
    }

    @Test
    @Requirement({"RDMAP-74", "SEC-11", "SEC-16"})
    void aPeerThatTakesNothingIsRefusedBeyondTheIrd() {
        try (SimulatedPeer peer = peer(settings().build())) {
            peer.end.takes(0);
            for (int msn = 1; msn <= IRD; msn++) {
                peer.sends(readRequest(msn, 0));
            }
            assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
            peer.sends(readRequest(IRD + 1, 0));
            peer.end.takes(MIB);
            assertThat(reason(peer).error()).isEqualTo(ProtocolError.DDP_UNTAGGED_NO_BUFFER);
        }
    }

    /** It has the response before the end of the burst is taken, and may ask again. */
    @Test
    @Requirement({"RDMAP-74", "SEC-11"})
    void aPeerThatTakesAByteAtATimeIsServedWithinTheIrd() {
        try (SimulatedPeer peer = peer(settings().build())) {
            peer.end.takes(0);
            int responseLength = Segment.readResponse(7, 0, new byte[0]).fpdu().length;
            int asked = 0;
            long taken = 0;
            int mostResponses = 0;
            while (asked < 500) {
                while (asked < IRD + taken / responseLength) {
                    peer.sends(readRequest(++asked, 0));
                }
                mostResponses = Math.max(mostResponses, responses(peer));
                assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
                taken += peer.end.takes(5);
            }
            assertThat(mostResponses).isBetween(IRD, 2 * IRD);
        }
    }

    private static final long LIMIT = 2 * MIB;

    /** Peers that ask for a MiB each and take nothing share the limit of the device, and each has one segment. */
    @Test
    @Requirement("SEC-11")
    void peersThatTakeNothingHoldNoMoreThanTheDeviceAllows() {
        int peers = 20;
        IwarpDevice device = IwarpDevice.builder().maxSendingBytes(LIMIT).build();
        try (ProtectionDomain limited = device.createProtectionDomain();
                MemoryRegion memory = limited.allocate(MIB, AccessRight.REMOTE_READ)) {
            List<SimulatedPeer> deaf = new ArrayList<>();
            for (int i = 0; i < peers; i++) {
                MpaSettings segments = MpaSettings.builder()
                        .ird(IRD)
                        .emss(i % 2 == 0 ? 1460 : MpaSettings.MAX_EMSS)
                        .build();
                SimulatedPeer peer = SimulatedPeer.ofResponder(
                                limited, settings().mpa(segments).build(), qp -> {})
                        .speaksFirst();
                peer.end.takes(0);
                peer.sends(Segment.readRequest(1, 7, 0, MIB, memory.stag(), memory.baseTaggedOffset()));
                deaf.add(peer);
                assertThat(device.sendingBytes()).isLessThanOrEqualTo(LIMIT);
                assertThat(peer.end.unsafe().outboundBuffer().totalPendingWriteBytes())
                        .as("bytes under way of peer %d", i)
                        .isPositive();
            }
            assertThat(device.sendingBytes()).as("the limit is reached").isGreaterThan(LIMIT - MIB / 8);
            long held = deaf.stream()
                    .mapToLong(peer -> peer.end.unsafe().outboundBuffer().totalPendingWriteBytes())
                    .sum();
            assertThat(held).isLessThan(LIMIT + peers * 80L * 1024);

            SimulatedPeer honest = SimulatedPeer.ofResponder(limited, settings().build(), qp -> {})
                    .speaksFirst();
            honest.sends(Segment.readRequest(1, 7, 0, MIB, memory.stag(), memory.baseTaggedOffset()));
            int responseBytes = 0;
            while (responseBytes < MIB) {
                responseBytes += honest.hears().length - 14;
            }
            honest.close();
            deaf.forEach(SimulatedPeer::close);
            assertThat(device.sendingBytes()).as("nothing is left").isZero();
        }
    }

    @Test
    void aSlowPeerMustReachTheRateOnlyWhileTheBudgetIsExhausted() {
        IwarpDevice device = IwarpDevice.builder().maxSendingBytes(LIMIT).build();
        QueuePairSettings settings =
                settings().transmitTimeout(SECOND.multipliedBy(10)).build();
        try (ProtectionDomain limited = device.createProtectionDomain();
                MemoryRegion memory = limited.allocate(MIB, AccessRight.REMOTE_READ)) {
            List<SimulatedPeer> peers = new ArrayList<>();
            while (device.sendingBytes() < LIMIT) {
                assertThat(peers).as("peers that fill the limit").hasSizeLessThan(20);
                SimulatedPeer peer =
                        SimulatedPeer.ofResponder(limited, settings, qp -> {}).speaksFirst();
                peer.end.takes(0);
                peer.sends(Segment.readRequest(1, 7, 0, MIB, memory.stag(), memory.baseTaggedOffset()));
                peers.add(peer);
            }
            SimulatedPeer slow = peers.get(0);
            SimulatedPeer faster = peers.get(1);
            SimulatedPeer small =
                    SimulatedPeer.ofResponder(limited, settings, qp -> {}).speaksFirst();
            small.end.takes(0);
            small.sends(Segment.readRequest(1, 7, 0, 50_000, memory.stag(), memory.baseTaggedOffset()));
            peers.add(small);
            for (int second = 0; second < 20; second++) {
                slow.end.takes(4000);
                faster.end.takes(4200);
                small.end.takes(1);
                faster.pass(SECOND);
                small.pass(SECOND);
                slow.pass(SECOND);
            }
            assertThat(small.queuePair().state()).as("holds one segment").isEqualTo(ConnectionState.READY);
            assertThat(reason(slow).endedBy()).isEqualTo(EndedBy.TIMEOUT);
            assertThat(reason(slow).detail()).contains("maxSendingBytes").contains("40000 bytes");
            assertThat(faster.queuePair().state()).isEqualTo(ConnectionState.READY);
            assertThat(device.sendingBytes()).as("it gave back what it held").isLessThan(LIMIT);
            for (int second = 0; second < 40; second++) {
                faster.end.takes(1);
                faster.pass(SECOND);
            }
            assertThat(faster.queuePair().state()).as("not short").isEqualTo(ConnectionState.READY);
            peers.forEach(SimulatedPeer::close);
        }
    }

    @Test
    void theRateIsOfBytesThatThePeerCouldTakeAllTheTime() {
        IwarpDevice device = IwarpDevice.builder().maxSendingBytes(LIMIT).build();
        QueuePairSettings settings =
                settings().transmitTimeout(SECOND.multipliedBy(10)).build();
        try (ProtectionDomain limited = device.createProtectionDomain();
                MemoryRegion memory = limited.allocate(MIB, AccessRight.REMOTE_READ);
                SimulatedPeer peer =
                        SimulatedPeer.ofResponder(limited, settings, qp -> {}).speaksFirst();
                SimulatedPeer other =
                        SimulatedPeer.ofResponder(limited, settings, qp -> {}).speaksFirst();
                SimulatedPeer third =
                        SimulatedPeer.ofResponder(limited, settings, qp -> {}).speaksFirst()) {
            peer.end.takes(0);
            peer.sends(Segment.readRequest(1, 7, 0, 100, memory.stag(), memory.baseTaggedOffset()));
            peer.end.takes(MIB);
            peer.pass(SECOND.multipliedBy(9));
            for (SimulatedPeer each : List.of(peer, other, third)) {
                each.end.takes(0);
                int msn = each == peer ? 2 : 1;
                each.sends(Segment.readRequest(msn, 7, 0, MIB, memory.stag(), memory.baseTaggedOffset()));
            }
            assertThat(device.sendingBytes()).as("the device is short").isEqualTo(LIMIT);

            peer.pass(SECOND.multipliedBy(2));
            assertThat(peer.queuePair().state()).as("for 2 s").isEqualTo(ConnectionState.READY);
            peer.end.takes(1);
            peer.pass(SECOND.multipliedBy(10));
            assertThat(reason(peer).detail()).contains("maxSendingBytes").contains("took 1 bytes");
        }
    }

    @Test
    @Requirement("SEC-11")
    void whatThePeerHasTakenIsNotHeld() {
        IwarpDevice device = IwarpDevice.builder().maxSendingBytes(LIMIT).build();
        try (ProtectionDomain limited = device.createProtectionDomain();
                MemoryRegion memory = limited.allocate(MIB, AccessRight.REMOTE_READ);
                SimulatedPeer peer = SimulatedPeer.ofResponder(
                                limited, settings().build(), qp -> {})
                        .speaksFirst()) {
            peer.end.takes(0);
            peer.sends(Segment.readRequest(1, 7, 0, MIB, memory.stag(), memory.baseTaggedOffset()));
            long held = device.sendingBytes();
            peer.end.takes(MIB / 2);
            assertThat(device.sendingBytes()).isStrictlyBetween(0L, held);
            peer.end.takes(Long.MAX_VALUE - 1);
            assertThat(device.sendingBytes()).isZero();
            assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
        }
    }

    @Test
    @Requirement("SEC-11")
    void aPeerThatTakesNothingEndsAndLeavesNothing() {
        IwarpDevice device = IwarpDevice.builder().maxSendingBytes(LIMIT).build();
        try (ProtectionDomain limited = device.createProtectionDomain();
                MemoryRegion memory = limited.allocate(MIB, AccessRight.REMOTE_READ);
                SimulatedPeer peer = SimulatedPeer.ofResponder(
                                limited, settings().transmitTimeout(SECOND).build(), qp -> {})
                        .speaksFirst()) {
            peer.end.takes(0);
            peer.sends(Segment.readRequest(1, 7, 0, MIB, memory.stag(), memory.baseTaggedOffset()));
            assertThat(device.sendingBytes()).isPositive();
            peer.pass(SECOND);
            peer.pass(SECOND);
            assertThat(reason(peer).detail()).contains("transmit timeout: no progress");
            assertThat(device.sendingBytes()).isZero();
        }
    }

    /** What it does not take stays in the send queue, whose limits are those of the application. */
    @Test
    void postsThatThePeerDoesNotTakeAreRefusedBeyondTheLimits() {
        QueuePairSettings limited = settings()
                .sendQueueDepth(4)
                .maxPendingPosts(3)
                .transmitTimeout(SECOND)
                .build();
        try (SimulatedPeer peer = peer(limited)) {
            peer.end.takes(0);
            ByteBuf source = Unpooled.directBuffer(MIB, MIB).writerIndex(MIB);
            List<CompletableFuture<?>> posted = new ArrayList<>();
            for (int i = 0; i < 4 + 3; i++) {
                posted.add(peer.queuePair().write(source, new RemoteBuffer(1, 0, MIB)));
            }
            CompletableFuture<?> refused = peer.queuePair().write(source, new RemoteBuffer(1, 0, MIB));
            assertThat(refused)
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(QueueFullException.class);
            peer.end.runTasks();
            for (int second = 0; second < 10; second++) {
                assertThat(peer.end.takes(1)).isOne();
                peer.pass(SECOND);
                assertThat(posted).noneMatch(CompletableFuture::isDone);
                assertThat(peer.end.unsafe().outboundBuffer().totalPendingWriteBytes())
                        .isLessThan(QueuePairSettings.DEFAULT.transmitWindow() + 64 * 1024);
            }
            peer.pass(SECOND);
            assertThat(reason(peer).detail()).contains("transmit timeout: no progress");
            assertThat(posted).allMatch(CompletableFuture::isCompletedExceptionally);
            assertThat(source.refCnt()).as("references to the memory").isOne();
            source.release();
        }
    }

    @Test
    void aPeerThatTakesBytesHasNotTakenNothing() {
        Duration timeout = SECOND.multipliedBy(2);
        try (SimulatedPeer peer =
                peer(settings().transmitTimeout(timeout).closeTimeout(timeout).build())) {
            peer.end.takes(0);
            peer.sends(readRequest(1, 200_000), readRequest(2, 200_000));
            for (int second = 0; second < 20; second++) {
                peer.pass(SECOND);
                peer.end.takes(5);
                assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
                // What is queued meanwhile is no loss of progress.
                if (second < 10) {
                    peer.sends(readRequest(3 + second, 0));
                }
            }
            peer.queuePair().close();
            for (int second = 0; second < 20; second++) {
                peer.pass(SECOND);
                peer.end.takes(5);
                assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.DRAINING);
            }
            peer.pass(timeout);
            peer.pass(timeout);
            assertThat(reason(peer).endedBy()).isEqualTo(EndedBy.TIMEOUT);
        }
    }

    @Test
    @Requirement("RDMAP-47")
    void theTimeForAResponseStartsWhenItsRequestIsTaken() {
        try (SimulatedPeer peer = peer(settings().responseTimeout(SECOND).build())) {
            peer.end.takes(0);
            ByteBuf source = Unpooled.directBuffer(MIB, MIB).writerIndex(MIB);
            List<CompletableFuture<?>> posted = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                posted.add(peer.queuePair().write(source, new RemoteBuffer(1, 0, MIB)));
            }
            posted.add(peer.queuePair().fetchAdd(new RemoteBuffer(1, 0, Long.BYTES), 1));
            peer.end.runTasks();
            for (int second = 0; second < 10; second++) {
                peer.end.takes(300_000);
                peer.pass(SECOND);
            }
            assertThat(peer.queuePair().counters().get(Counter.READS_REQUESTED)).isZero();
            assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
            peer.end.takes(Long.MAX_VALUE - 1);
            assertThat(peer.queuePair().counters().get(Counter.READS_REQUESTED)).isOne();
            peer.pass(SECOND.multipliedBy(2));
            assertThat(reason(peer).detail()).contains("no response data");
            assertThat(posted).allMatch(CompletableFuture::isDone);
            source.release();
        }
    }

    @Test
    @Requirement("RDMAP-47")
    void aResponseHasItsWholeTimeAfterItsRequestIsTaken() {
        try (SimulatedPeer peer = peer(settings().responseTimeout(SECOND).build())) {
            peer.end.takes(0);
            peer.queuePair().fetchAdd(new RemoteBuffer(1, 0, Long.BYTES), 1);
            peer.end.runTasks();
            peer.pass(SECOND.minusMillis(1));
            peer.end.takes(Long.MAX_VALUE - 1);
            peer.pass(SECOND.minusMillis(1));
            assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
            peer.pass(Duration.ofMillis(1));
            assertThat(reason(peer).detail()).contains("no response data");
        }
    }

    /** The peer has taken the atomic, and takes a byte a second of the Write after it. */
    @Test
    @Requirement("RDMAP-47")
    void laterRequestsDoNotStopTheClockOfAResponse() {
        try (SimulatedPeer peer = peer(settings().responseTimeout(SECOND).build())) {
            peer.end.takes(0);
            peer.queuePair().fetchAdd(new RemoteBuffer(1, 0, Long.BYTES), 1);
            peer.end.runTasks();
            ByteBuf source = Unpooled.directBuffer(MIB, MIB).writerIndex(MIB);
            peer.queuePair().write(source, new RemoteBuffer(1, 0, MIB));
            peer.end.runTasks();
            peer.end.takes(1000);
            assertThat(peer.queuePair().counters().get(Counter.READS_REQUESTED)).isOne();
            for (int second = 0; second < 2; second++) {
                peer.end.takes(1);
                peer.pass(SECOND);
            }
            assertThat(peer.queuePair().state()).as("a Terminate waits").isEqualTo(ConnectionState.DRAINING);
            peer.end.takes(Long.MAX_VALUE - 1);
            assertThat(reason(peer).detail()).contains("no response data");
            source.release();
        }
    }

    @Test
    void bytesOfAnIncompleteFpduAreNotIdle() {
        try (SimulatedPeer peer = peer(settings().idleTimeout(SECOND).build())) {
            byte[] fpdu = Segment.write(0, 0, new byte[0]).fpdu();
            for (byte each : fpdu) {
                peer.pass(SECOND.dividedBy(2));
                peer.sends(new byte[] {each});
                assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
            }
        }
    }

    @Test
    void bytesThatThePeerTakesAreNotIdle() {
        try (SimulatedPeer peer = peer(settings().idleTimeout(SECOND).build())) {
            peer.end.takes(0);
            peer.sends(readRequest(1, 1000));
            for (int i = 0; i < 20; i++) {
                peer.pass(SECOND.dividedBy(2));
                assertThat(peer.end.takes(1)).isOne();
                assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
            }
        }
    }

    @Test
    void aStreamThatHoldsItsInputIsNotIdle() {
        QueuePairSettings settings = settings()
                .idleTimeout(SECOND)
                .receiveTimeout(Duration.ofMinutes(1))
                .build();
        try (SimulatedPeer peer = peer(settings)) {
            peer.sends(Segment.send(1, new byte[1]));
            for (int i = 0; i < 20; i++) {
                peer.pass(SECOND);
                assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
            }
            peer.pass(SECOND.dividedBy(2));
            ByteBuf buffer = Unpooled.buffer(1);
            CompletableFuture<Completion> received = peer.queuePair().receive(buffer);
            peer.end.runTasks();
            assertThat(received).isCompleted();
            peer.pass(SECOND.dividedBy(2));
            assertThat(peer.queuePair().state()).as("a message was delivered").isEqualTo(ConnectionState.READY);
            peer.pass(SECOND);
            peer.pass(SECOND);
            assertThat(peer.queuePair().state()).isNotEqualTo(ConnectionState.READY);
        }
    }

    @Test
    void aStreamWhoseApplicationDoesNotReadIsNotIdle() {
        try (SimulatedPeer peer = peer(settings().idleTimeout(SECOND).build())) {
            peer.end.config().setAutoRead(false);
            for (int i = 0; i < 20; i++) {
                peer.pass(SECOND);
                assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
            }
            peer.end.config().setAutoRead(true);
            peer.pass(SECOND);
            peer.pass(SECOND);
            assertThat(peer.queuePair().state()).isNotEqualTo(ConnectionState.READY);
        }
    }

    @Test
    void anIncompleteFpduEndsAlsoWhileTheApplicationDoesNotRead() {
        MpaSettings mpa = MpaSettings.builder().fpduTimeout(SECOND).build();
        try (SimulatedPeer peer = peer(settings().mpa(mpa).build())) {
            peer.sends(new byte[1]);
            peer.end.config().setAutoRead(false);
            peer.pass(SECOND);
            peer.pass(SECOND);
            assertThat(reason(peer).error()).isEqualTo(ProtocolError.MPA_CONNECTION_LOST);
        }
    }

    @Test
    void aCloseInAStallLetsTheClockOfTheResponseRun() {
        QueuePairSettings settings = settings()
                .responseTimeout(SECOND)
                .closeTimeout(Duration.ofMinutes(1))
                .receiveTimeout(Duration.ofMinutes(1))
                .build();
        try (SimulatedPeer peer = peer(settings)) {
            peer.queuePair().fetchAdd(new RemoteBuffer(1, 0, Long.BYTES), 1);
            peer.end.runTasks();
            peer.sends(Segment.send(1, new byte[1]));
            peer.pass(SECOND.multipliedBy(10));
            assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
            peer.queuePair().close();
            peer.end.runTasks();
            assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.DRAINING);
            peer.pass(SECOND);
            assertThat(reason(peer).detail()).contains("no response data");
        }
    }

    /** The peer sends no FIN, and a message for which there is no receive. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStallDoesNotStopTheClockOfAClose(boolean beforeTheClose) {
        QueuePairSettings settings = settings()
                .closeTimeout(SECOND)
                .receiveTimeout(Duration.ofMinutes(1))
                .build();
        try (SimulatedPeer peer = peer(settings)) {
            if (beforeTheClose) {
                peer.sends(Segment.send(1, new byte[1]));
            }
            peer.queuePair().close();
            peer.end.runTasks();
            if (!beforeTheClose) {
                peer.sends(Segment.send(1, new byte[1]));
            }
            peer.pass(SECOND);
            peer.pass(SECOND);
            assertThat(peer.end.isOpen()).isFalse();
            assertThat(peer.queuePair().closed()).isCompleted();
        }
    }

    /** Each of its messages waits for a receive almost as long as the close may take. */
    @Test
    void stallsDoNotDelayAClose() {
        QueuePairSettings settings = settings()
                .closeTimeout(SECOND)
                .responseTimeout(SECOND.multipliedBy(3))
                .receiveTimeout(Duration.ofMinutes(1))
                .build();
        try (SimulatedPeer peer = peer(settings)) {
            peer.queuePair().fetchAdd(new RemoteBuffer(1, 0, Long.BYTES), 1);
            peer.end.runTasks();
            peer.queuePair().close();
            Duration limit = settings.responseTimeout().multipliedBy(2).plus(settings.closeTimeout());
            Duration step = SECOND.multipliedBy(9).dividedBy(10);
            Duration passed = Duration.ZERO;
            ByteBuf buffer = Unpooled.buffer(1);
            for (int msn = 1; !peer.queuePair().closed().isDone(); msn++) {
                assertThat(passed).isLessThanOrEqualTo(limit);
                peer.sends(Segment.send(msn, new byte[1]));
                peer.pass(step);
                passed = passed.plus(step);
                if (!peer.queuePair().closed().isDone()) {
                    peer.queuePair().receive(buffer.clear());
                    peer.end.runTasks();
                }
            }
            assertThat(reason(peer).endedBy()).isEqualTo(EndedBy.TIMEOUT);
        }
    }
}
