package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ProtocolError;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
    private final ProtectionDomain domain = device.allocateProtectionDomain();
    private final List<SimulatedPeer> peers = new ArrayList<>();
    private final List<byte[]> delivered = new ArrayList<>();

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
                queuePair -> queuePair.completionListener((qp, completion) -> {
                    ByteBuf buffer = completion.buffer();
                    delivered.add(ByteBufUtil.getBytes(buffer));
                    buffer.release();
                }));
        peers.add(peer);
        return peer.speaksFirst();
    }

    private static boolean open(SimulatedPeer peer) {
        return !peer.queuePair().closed().isDone();
    }

    private static void assertRefused(SimulatedPeer peer) {
        assertThat(peer.queuePair().closed()).isCompleted();
        var reason = peer.queuePair().closed().join();
        assertThat(reason.error()).isEqualTo(ProtocolError.DDP_UNTAGGED_NO_BUFFER);
        assertThat(reason.toString()).contains("maxManagedReceiveBytes");
    }

    @Test
    void messagesThatBeginCostFourTimesWhatHasCome() {
        for (int i = 0; i < 4; i++) {
            SimulatedPeer peer = peer();
            for (int msn = 1; msn <= DEPTH; msn++) {
                peer.sends(Segment.send(msn, BYTE).last(false));
            }
            assertThat(open(peer)).isTrue();
        }
        assertThat(device.managedReceiveBytes()).isEqualTo(4L * 4 * DEPTH);
    }

    @Test
    void segmentsBehindGapsEndTheStreamsThatWouldHoldTooMuch() {
        for (int i = 0; i < 4; i++) {
            SimulatedPeer peer = peer();
            for (int msn = 1; msn <= DEPTH && open(peer); msn++) {
                peer.sends(Segment.send(msn, BYTE).offset(MIB - 1).last(false));
                assertThat(device.managedReceiveBytes()).isLessThanOrEqualTo(LIMIT);
            }
            assertRefused(peer);
            assertThat(device.managedReceiveBytes()).isZero();
        }
    }

    @Test
    @Requirement("SEC-13")
    void whoHoldsMostIsRefusedFirstAndOthersAreServed() {
        SimulatedPeer hoarder = peer();
        for (int msn = 1; msn <= 4; msn++) {
            hoarder.sends(Segment.send(msn, BYTE).offset(MIB - 1).last(false));
        }
        assertThat(device.managedReceiveBytes()).isEqualTo(LIMIT / 2);
        SimulatedPeer honest = peer();
        honest.sends(Segment.send(1, new byte[50_000]).last(false));

        hoarder.sends(Segment.send(5, BYTE).offset(MIB - 1).last(false));

        assertRefused(hoarder);
        honest.sends(Segment.send(1, new byte[50_000]).offset(50_000));
        assertThat(delivered).singleElement().isEqualTo(new byte[100_000]);
        assertThat(open(honest)).isTrue();
    }

    @Test
    void aMessageIsReservedUntilItIsDelivered() {
        SimulatedPeer peer = peer();
        peer.sends(Segment.send(2, BYTE));
        assertThat(device.managedReceiveBytes()).isEqualTo(1);
        byte[] content = new byte[60_000];
        Arrays.fill(content, (byte) 7);
        for (int from = 0; from < 10 * content.length; from += content.length) {
            peer.sends(Segment.send(1, content).offset(from).last(false));
            assertThat(device.managedReceiveBytes()).isLessThanOrEqualTo(4L * (from + content.length) + 1);
        }
        assertThat(delivered).isEmpty();
        peer.sends(Segment.send(1, content).offset(10L * content.length));

        byte[] whole = new byte[11 * content.length];
        Arrays.fill(whole, (byte) 7);
        assertThat(delivered).containsExactly(whole, BYTE);
        assertThat(device.managedReceiveBytes()).isZero();
    }

    @Test
    void theLimitIsAtLeastOneByte() {
        assertThat(device.maxManagedReceiveBytes()).isEqualTo(LIMIT);
        assertThatThrownBy(() -> IwarpDevice.builder().maxManagedReceiveBytes(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxManagedReceiveBytes");
    }
}
