package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a receiver ignores may hold anything: each message type with each reserved bit, and with an STag where it
 * invalidates none. The STag is one that the peer could invalidate.
 */
class IgnoredFieldsTest {
    private static final byte[] BYTE = {7};

    private enum Junk {
        DDP_BIT_2(0, 0x20),
        DDP_BIT_3(0, 0x10),
        DDP_BIT_4(0, 0x08),
        DDP_BIT_5(0, 0x04),
        RDMAP_BIT_2(1, 0x20),
        RDMAP_BIT_3(1, 0x10),
        RDMAP_BITS_2_AND_3(1, 0x30),
        INVALIDATE_STAG(2, 0);

        private final int oneByte;
        private final int bits;

        Junk(int oneByte, int bits) {
            this.oneByte = oneByte;
            this.bits = bits;
        }

        byte[] in(Segment segment, int stag) {
            byte[] ulpdu = segment.ulpdu();
            if (this == INVALIDATE_STAG) {
                ByteBuffer.wrap(ulpdu).putInt(oneByte, stag);
            } else {
                ulpdu[oneByte] |= (byte) bits;
            }
            return Segment.fpdu(ulpdu);
        }
    }

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf bytes = Unpooled.directBuffer(8, 8);
    private final List<MemoryRegion> regions = new ArrayList<>();

    @AfterEach
    void release() {
        regions.forEach(MemoryRegion::close);
        domain.close();
        bytes.release();
    }

    private MemoryRegion regionOf(QueuePair queuePair) {
        MemoryRegion region = queuePair
                .region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, 8)
                .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC)
                .register();
        regions.add(region);
        return region;
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DDP-14", "EXT-1", "RDMAP-5", "RDMAP-8"})
    void aRequestIsTakenWhateverItsIgnoredFieldsHold(Junk junk) {
        List<String> completed = new ArrayList<>();
        try (SimulatedPeer peer = SimulatedPeer.ofResponder(domain, QueuePairSettings.DEFAULT, qp -> {
            qp.setCompletionListener((same, completion) -> completed.add(completion.toString()));
            for (int i = 1; i <= 6; i++) {
                qp.receiveQueue().receive(i, bytes.clear());
            }
        })) {
            MemoryRegion region = regionOf(peer.queuePair());
            int stag = region.stag();
            List<Segment> messages = new ArrayList<>(List.of(
                    Segment.send(1, BYTE),
                    Segment.send(2, BYTE).opcode(5),
                    Segment.immediate(3, 8),
                    Segment.immediate(4, 9).opcode(9),
                    Segment.readRequest(1, 0x1234, 5, 1, stag, 3),
                    Segment.fetchAdd(2, stag, 0, 1, 0)));
            if (junk != Junk.INVALIDATE_STAG) {
                messages.add(0, Segment.write(stag, 3, BYTE));
                messages.add(Segment.send(5, BYTE)
                        .opcode(4)
                        .invalidateStag(regionOf(peer.queuePair()).stag()));
                messages.add(Segment.send(6, BYTE)
                        .opcode(6)
                        .invalidateStag(regionOf(peer.queuePair()).stag()));
            } else {
                peer.sends(Segment.write(stag, 3, BYTE));
            }
            for (Segment message : messages) {
                peer.sends(junk.in(message, stag));
                assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
            }
            assertThat(peer.hears())
                    .isEqualTo(Segment.readResponse(0x1234, 5, BYTE).ulpdu());
            assertThat(peer.hears()[1]).as("an Atomic Response").isEqualTo((byte) 0x4b);
            assertThat(peer.hearsNothing()).isTrue();
            boolean invalidates = junk != Junk.INVALIDATE_STAG;
            assertThat(completed).hasSize(invalidates ? 6 : 4);
            assertThat(regions).first().matches(MemoryRegion::isValid);
            assertThat(regions.stream().skip(1)).hasSize(invalidates ? 2 : 0).noneMatch(MemoryRegion::isValid);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DDP-14", "EXT-1", "RDMAP-5", "RDMAP-8"})
    void aResponseIsTakenWhateverItsIgnoredFieldsHold(Junk junk) {
        try (SimulatedPeer peer = SimulatedPeer.ofInitiator(domain, QueuePairSettings.DEFAULT, qp -> {})) {
            MemoryRegion region = regionOf(peer.queuePair());
            CompletableFuture<Long> added = peer.queuePair().fetchAdd(new RemoteBuffer(1, 0, 8), 1);
            CompletableFuture<Completion> read = peer.queuePair().read(bytes.clear(), new RemoteBuffer(1, 0, 8));
            peer.hears();
            int sink = ByteBuffer.wrap(peer.hears()).getInt(18);
            Segment response = Segment.readResponse(sink, 0, new byte[8]);
            peer.sends(junk.in(Segment.atomicResponse(1, 1, 42), region.stag()));
            peer.sends(junk == Junk.INVALIDATE_STAG ? response.fpdu() : junk.in(response, 0));
            assertThat(added).isCompletedWithValue(42L);
            assertThat(read).isCompletedWithValueMatching(Completion::successful);
            assertThat(region.isValid()).isTrue();
            assertThat(peer.hearsNothing()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DDP-14", "RDMAP-5", "RDMAP-8", "RDMAP-44"})
    void aTerminateIsUnderstoodWhateverItsIgnoredFieldsHold(Junk junk) {
        try (SimulatedPeer peer = SimulatedPeer.ofInitiator(domain, QueuePairSettings.DEFAULT, qp -> {})) {
            MemoryRegion region = regionOf(peer.queuePair());
            Segment terminate = Segment.terminate("01010000");
            peer.sends(junk.in(terminate, region.stag()));
            assertThat(peer.queuePair().closed()).isCompleted();
            CloseReason reason = peer.queuePair().closed().join();
            assertThat(reason.endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
            assertThat(reason.error()).isEqualTo(ProtocolError.RDMAP_BASE_OR_BOUNDS);
            assertThat(peer.hearsNothing()).isTrue();
        }
    }
}
