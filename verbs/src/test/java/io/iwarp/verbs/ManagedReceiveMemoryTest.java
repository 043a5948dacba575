package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the messages that a peer begins cost the other side, whose receives are managed. */
class ManagedReceiveMemoryTest {
    private static final int MIB = 1 << 20;
    private static final int LIMIT = 8 * MIB;
    private static final int DEPTH = 128;
    private static final byte[] BYTE = {'x'};

    private final IwarpDevice device =
            IwarpDevice.builder().maxManagedReceiveBytes(LIMIT).build();
    private final ProtectionDomain domain = device.createProtectionDomain();
    private final List<SimulatedPeer> peers = new ArrayList<>();
    private final List<byte[]> delivered = new ArrayList<>();
    private final List<Integer> capacities = new ArrayList<>();

    @AfterEach
    void release() {
        peers.forEach(SimulatedPeer::close);
        assertThat(device.managedReceiveBytes()).isZero();
        domain.close();
    }

    private SimulatedPeer peer() {
        QueuePairSettings settings = QueuePairSettings.builder()
                .receiveQueueDepth(DEPTH)
                .managedReceiveBytes(MIB)
                .build();
        SimulatedPeer peer = SimulatedPeer.ofResponder(
                domain,
                settings,
                queuePair -> queuePair.setCompletionListener((qp, completion) -> {
                    ByteBuf buffer = completion.buffer();
                    delivered.add(ByteBufUtil.getBytes(buffer));
                    capacities.add(buffer.capacity());
                    buffer.release();
                }));
        peers.add(peer);
        return peer.speaksFirst();
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static boolean open(SimulatedPeer peer) {
        return !peer.queuePair().closed().isDone();
    }

    @Test
    @Requirement("DDP-32")
    void anIncompleteMessageCostsFourTimesWhatArrived() {
        for (int i = 0; i < 4; i++) {
            SimulatedPeer peer = peer();
            peer.sends(Segment.send(1, BYTE).last(false));
            assertThat(open(peer)).isTrue();
        }
        assertThat(device.managedReceiveBytes()).isEqualTo(4L * 4);
    }

    @Test
    @Requirement({"DDP-32", "SEC-13"})
    void aGapEndsTheStreamAndHoldsNothing() {
        SimulatedPeer peer = peer();
        peer.sends(Segment.send(1, BYTE).offset(MIB - 1).last(false));
        assertThat(peer.queuePair().closed().join().error()).isEqualTo(ProtocolError.DDP_UNTAGGED_INVALID_MO);
        assertThat(device.managedReceiveBytes()).isZero();
    }

    @Test
    @Requirement("SEC-13")
    void aMessageBeforeTheEndOfTheOneBeforeEndsTheStream() {
        SimulatedPeer peer = peer();
        peer.sends(Segment.send(1, BYTE).last(false), Segment.send(2, BYTE).last(false));
        assertThat(peer.queuePair().closed().join().error()).isEqualTo(ProtocolError.DDP_UNTAGGED_MSN_OUT_OF_RANGE);
        assertThat(device.managedReceiveBytes()).isZero();
    }

    @Test
    @Requirement("DDP-35")
    void repeatedAndOverlappingSegmentsAreLegal() {
        byte[] whole = bytes(300);
        SimulatedPeer peer = peer();
        for (int[] range : new int[][] {{0, 100}, {0, 100}, {50, 200}, {10, 60}, {200, 300}}) {
            peer.sends(Segment.send(1, Arrays.copyOfRange(whole, range[0], range[1]))
                    .offset(range[0])
                    .last(range[1] == whole.length));
        }
        assertThat(delivered).containsExactly(whole);
    }

    @Test
    @Requirement("SEC-13")
    void aDeliveredBufferIsAtMostTwiceAsLongAsItsMessage() {
        SimulatedPeer peer = peer();
        int[][] lengths = {{50_000, 1}, {50_000, 40_000}, {50_000, 100_000}, {50_000, 0}, {60_000, 60_000, 60_000, 1}};
        int msn = 0;
        for (int[] parts : lengths) {
            int total = Arrays.stream(parts).sum();
            byte[] whole = bytes(total);
            msn++;
            int from = 0;
            for (int i = 0; i < parts.length; i++) {
                int to = from + parts[i];
                for (int cut = from; cut == from || cut < to; cut += 60_000) {
                    int end = Math.min(to, cut + 60_000);
                    peer.sends(Segment.send(msn, Arrays.copyOfRange(whole, cut, end))
                            .offset(cut)
                            .last(i == parts.length - 1 && end == to));
                }
                from = to;
            }
            assertThat(delivered.remove(0)).isEqualTo(whole);
            assertThat(capacities.remove(0)).isBetween(total, 2 * total);
            assertThat(device.managedReceiveBytes()).isZero();
        }
    }

    @Test
    void aMessageIsReservedUntilItIsDelivered() {
        SimulatedPeer peer = peer();
        byte[] whole = bytes(11 * 60_000);
        for (int from = 0; from < 10 * 60_000; from += 60_000) {
            peer.sends(Segment.send(1, Arrays.copyOfRange(whole, from, from + 60_000))
                    .offset(from)
                    .last(false));
            assertThat(device.managedReceiveBytes()).isBetween(from + 60_000L, 4L * (from + 60_000));
        }
        assertThat(delivered).isEmpty();
        peer.sends(Segment.send(1, Arrays.copyOfRange(whole, 10 * 60_000, whole.length))
                .offset(10L * 60_000));
        assertThat(delivered).containsExactly(whole);
        assertThat(device.managedReceiveBytes()).isZero();
    }

    /** Begins a message that holds a MiB and is not completed. */
    private SimulatedPeer hoarder() {
        return peer().sends(
                        Segment.send(1, new byte[60_000]).last(false),
                        Segment.send(1, new byte[60_000]).offset(60_000).last(false),
                        Segment.send(1, new byte[60_000]).offset(120_000).last(false),
                        Segment.send(1, new byte[60_000]).offset(180_000).last(false),
                        Segment.send(1, new byte[60_000]).offset(240_000).last(false));
    }

    private static boolean reads(SimulatedPeer peer) {
        return peer.end.config().isAutoRead();
    }

    @Test
    @Requirement({"SEC-13", "MPA-77"})
    void aMessageWaitsForMemoryUntilHoardersTimeOut() {
        List<SimulatedPeer> hoarders = new ArrayList<>();
        for (int i = 0; i < LIMIT / MIB; i++) {
            hoarders.add(hoarder());
        }
        assertThat(device.managedReceiveBytes()).isEqualTo(LIMIT);
        hoarders.forEach(hoarder -> hoarder.pass(Duration.ofSeconds(10)));
        SimulatedPeer honest = peer();
        honest.sends(Segment.send(1, new byte[50_000]).last(false));
        assertThat(reads(honest)).isFalse();
        assertThat(open(honest)).isTrue();
        assertThat(delivered).isEmpty();

        hoarders.forEach(hoarder -> hoarder.pass(Duration.ofSeconds(60)));
        assertThat(hoarders).noneMatch(ManagedReceiveMemoryTest::open);
        honest.pass(Duration.ofSeconds(59));
        assertThat(reads(honest)).isTrue();
        honest.sends(Segment.send(1, new byte[50_000]).offset(50_000));
        assertThat(delivered).singleElement().isEqualTo(new byte[100_000]);
        assertThat(open(honest)).isTrue();
    }

    @Test
    @Requirement({"SEC-13", "MPA-77"})
    void theTimeoutOfTheMessageBoundsTheWait() {
        for (int i = 0; i < LIMIT / MIB; i++) {
            hoarder();
        }
        SimulatedPeer honest = peer();
        honest.sends(Segment.send(1, new byte[50_000]).last(false));
        honest.pass(Duration.ofSeconds(59));
        assertThat(open(honest)).isTrue();
        honest.pass(Duration.ofSeconds(2));
        honest.hearsTerminate("1202 0000");
        CloseReason reason = honest.queuePair().closed().join();
        assertThat(reason.endedBy()).isEqualTo(EndedBy.TIMEOUT);
        assertThat(reason.detail()).contains("message 1 ", "PT1M", "maxManagedReceiveBytes");
    }

    @Test
    @Requirement("SEC-13")
    void theOldestMessageGetsWhatItNeeds() {
        SimulatedPeer oldest = peer().sends(Segment.send(1, new byte[60_000]).last(false));
        List<SimulatedPeer> hoarders = new ArrayList<>();
        for (int i = 0; i < LIMIT / MIB; i++) {
            hoarders.add(hoarder());
        }
        assertThat(reads(hoarders.get(hoarders.size() - 1))).isFalse();
        byte[] whole = bytes(MIB);
        for (int from = 0; from < MIB; from += 60_000) {
            int to = Math.min(MIB, from + 60_000);
            oldest.sends(Segment.send(1, Arrays.copyOfRange(whole, from, to))
                    .offset(from)
                    .last(to == MIB));
        }
        assertThat(delivered).containsExactly(whole);
        assertThat(device.managedReceiveBytes()).isLessThanOrEqualTo(LIMIT);
        assertThat(hoarders).allMatch(ManagedReceiveMemoryTest::open);
    }

    @Test
    @Requirement("SEC-13")
    void aMessageInOneSegmentNeedsNoneOfTheLimit() {
        for (int i = 0; i <= LIMIT / MIB; i++) {
            hoarder();
        }
        peer().sends(Segment.send(1, new byte[60_000]));
        assertThat(delivered).hasSize(1);
    }

    @Test
    @Requirement("SEC-13")
    void aStreamThatEndsWhileItWaitsLeavesNothing() {
        List<SimulatedPeer> hoarders = new ArrayList<>();
        for (int i = 0; i < LIMIT / MIB; i++) {
            hoarders.add(hoarder());
        }
        SimulatedPeer waits = hoarder();
        SimulatedPeer next = peer().sends(Segment.send(1, new byte[100]).last(false));
        assertThat(reads(next)).isFalse();
        hoarders.get(3).queuePair().abort();
        hoarders.get(3).end.runTasks();
        waits.queuePair().abort();
        waits.end.runTasks();
        next.end.runTasks();
        assertThat(reads(next)).isTrue();
        next.sends(Segment.send(1, new byte[100]).offset(100));
        assertThat(delivered).hasSize(1);
    }

    @Test
    void theDeviceForgetsAStreamThatHasEnded() {
        WeakReference<QueuePair> ended = new WeakReference<>(hoarder().queuePair());
        peers.remove(0).close();
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            System.gc();
            return ended.get() == null;
        });
    }

    @Test
    void theLimitIsAtLeastOneByte() {
        assertThat(device.maxManagedReceiveBytes()).isEqualTo(LIMIT);
        assertThatThrownBy(() -> IwarpDevice.builder().maxManagedReceiveBytes(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxManagedReceiveBytes");
    }
}
