package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The receiver against a model that is written from RFC 5041 section 7.1, and against bytes of any kind. */
class DdpReceiverModelTest {
    private static final int REGION = 64;
    private static final int MARGIN = 32;
    private static final byte CANARY = 0x5A;
    private static final byte[] MARGIN_CONTENT = new byte[MARGIN];
    /** Without leak detection, which would record each access: the memory is the test's own and released by it. */
    private static final ByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(true, true);

    static {
        Arrays.fill(MARGIN_CONTENT, CANARY);
    }

    @Test
    @Requirement({
        "DDP-15", "DDP-32", "DDP-54", "DDP-55", "DDP-56", "DDP-57", "DDP-58", "DDP-59", "DDP-61", "DDP-62", "DDP-63",
        "DDP-64", "DDP-66", "DDP-68"
    })
    void agreesWithTheModelOnEverySegment() {
        Seeds.forEach(1500, (seed, random) -> {
            try (Model model = new Model(random)) {
                for (int i = 0; i < 20; i++) {
                    model.receiveOne();
                }
            }
        });
    }

    @Test
    @Requirement({"DDP-23", "DDP-64", "DDP-66"})
    void bytesOfAnyKindChangeNothingOutsideTheirBuffers() {
        Seeds.forEach(1500, (seed, random) -> {
            try (Model model = new Model(random)) {
                for (int i = 0; i < 10; i++) {
                    byte[] ulpdu = model.segment(random.nextBoolean()).ulpdu();
                    for (int flips = random.nextInt(4); flips > 0; flips--) {
                        ulpdu[random.nextInt(ulpdu.length)] ^= (byte) (1 << random.nextInt(8));
                    }
                    model.peer.receives(Arrays.copyOf(ulpdu, random.nextInt(ulpdu.length + 8)));
                    model.assertMargins();
                }
                assertThat(model.peer.ulp.faults).hasSizeLessThanOrEqualTo(1);
            }
        });
    }

    /** A stream with one region and posted buffers that lie between canaries. */
    private static final class Model implements AutoCloseable {
        final ReceiverFixture peer = new ReceiverFixture();
        private final Random random;
        private final List<ByteBuf> memories = new ArrayList<>();
        private final ByteBuf regionMemory = memory();
        private final ByteBuf regionSlice = regionMemory.slice(MARGIN, REGION);
        private final long base;
        private final MemoryRegion region;
        private final int[] next = {1, 1, 1, 1};
        private final List<List<Posted>> posted =
                List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        private final byte[] expectedRegion = new byte[REGION];
        private int expectedDeliveries;
        private boolean silent;

        /** A posted buffer and what must be in it. */
        private static final class Posted {
            final ByteBuf memory;
            final byte[] expected;
            final BitSet arrived = new BitSet();
            boolean complete;

            Posted(ByteBuf memory, int room) {
                this.memory = memory;
                this.expected = new byte[room];
            }
        }

        Model(Random random) {
            this.random = random;
            base = switch (random.nextInt(3)) {
                case 0 -> 0;
                case 1 -> 1000;
                default -> -REGION;
            };
            region = peer.keep(peer.domain
                    .region()
                    .buffers(regionSlice)
                    .baseTaggedOffset(base)
                    .rights(AccessRight.REMOTE_WRITE)
                    .register());
            for (int queue = 0; queue < 4; queue++) {
                for (int i = random.nextInt(4); i > 0; i--) {
                    Posted buffer = new Posted(memory(), random.nextInt(REGION));
                    UntaggedBuffer untagged = new UntaggedBuffer();
                    untagged.sink().wrap(buffer.memory, MARGIN, buffer.expected.length);
                    peer.ulp.post(queue, untagged);
                    posted.get(queue).add(buffer);
                }
            }
        }

        private ByteBuf memory() {
            ByteBuf memory = ALLOCATOR.directBuffer(REGION + 2 * MARGIN, REGION + 2 * MARGIN);
            byte[] content = new byte[REGION + 2 * MARGIN];
            Arrays.fill(content, CANARY);
            Arrays.fill(content, MARGIN, MARGIN + REGION, (byte) 0);
            memory.setBytes(0, content);
            memories.add(memory);
            return memory;
        }

        /** Mostly a legal segment; some field may be a little off. */
        Segment segment(boolean tagged) {
            byte[] payload = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(20)];
            random.nextBytes(payload);
            Segment segment = tagged
                    ? Segment.tagged(anyStag(), base + near(REGION))
                    : Segment.untagged(oneIn(15) ? random.nextInt() : random.nextInt(4), near(3));
            if (!tagged) {
                segment = segment.offset(
                        oneIn(10) ? random.nextLong() : random.nextInt(random.nextBoolean() ? 4 : REGION));
            }
            if (random.nextInt(3) > 0) {
                segment = segment.last(false);
            }
            if (oneIn(30)) {
                segment = segment.ddpVersion(random.nextInt(4));
            }
            return segment.payload(payload);
        }

        private int anyStag() {
            return oneIn(15) ? random.nextInt() : region.stag();
        }

        private boolean oneIn(int n) {
            return random.nextInt(n) == 0;
        }

        private int near(int range) {
            return oneIn(15) ? random.nextInt(3 * range) - range : random.nextInt(range);
        }

        void receiveOne() {
            byte[] ulpdu = segment(random.nextBoolean()).ulpdu();
            ProtocolError expected = silent ? null : expect(Ulpdus.segment(ulpdu));
            int faults = peer.ulp.faults.size();
            peer.receives(ulpdu);
            if (expected == null) {
                assertThat(peer.ulp.faults).hasSize(faults);
            } else {
                silent = true;
                assertThat(peer.ulp.faults).hasSize(1);
                assertThat(peer.ulp.faults.get(0).error()).isEqualTo(expected);
            }
            assertThat(peer.ulp.events).hasSize(expectedDeliveries + peer.ulp.faults.size());
            assertMemory();
        }

        private @Nullable ProtocolError expect(DdpSegment segment) {
            if (segment.tagged()) {
                return segment.version() != 1 ? ProtocolError.DDP_TAGGED_INVALID_VERSION : expectTagged(segment);
            }
            if (segment.version() != 1) {
                return ProtocolError.DDP_UNTAGGED_INVALID_VERSION;
            }
            if (segment.queueNumber() < 0 || segment.queueNumber() > 3) {
                return ProtocolError.DDP_UNTAGGED_INVALID_QN;
            }
            return expectUntagged(segment);
        }

        private @Nullable ProtocolError expectTagged(DdpSegment segment) {
            int length = segment.payloadLength();
            if (length > 0) {
                BigInteger from = new BigInteger(Long.toUnsignedString(segment.taggedOffset()));
                BigInteger to = from.add(BigInteger.valueOf(length));
                BigInteger first = new BigInteger(Long.toUnsignedString(base));
                if (segment.stag() != region.stag()) {
                    return ProtocolError.DDP_TAGGED_INVALID_STAG;
                }
                if (to.bitLength() > 64 && !to.equals(BigInteger.ONE.shiftLeft(64))) {
                    return ProtocolError.DDP_TAGGED_TO_WRAP;
                }
                if (from.compareTo(first) < 0 || to.compareTo(first.add(BigInteger.valueOf(REGION))) > 0) {
                    return ProtocolError.DDP_TAGGED_BASE_OR_BOUNDS;
                }
                segment.buffer()
                        .getBytes(
                                segment.payloadIndex(),
                                expectedRegion,
                                from.subtract(first).intValue(),
                                length);
            }
            expectedDeliveries += segment.last() ? 1 : 0;
            return null;
        }

        private @Nullable ProtocolError expectUntagged(DdpSegment segment) {
            List<Posted> queue = posted.get(segment.queueNumber());
            long ahead = Integer.toUnsignedLong(segment.msn()) - next[segment.queueNumber()];
            if (ahead == 0 && queue.isEmpty()) {
                return ProtocolError.DDP_UNTAGGED_NO_BUFFER;
            }
            if (ahead < 0 || ahead >= queue.size() || queue.get((int) ahead).complete) {
                return ProtocolError.DDP_UNTAGGED_MSN_OUT_OF_RANGE;
            }
            Posted buffer = queue.get((int) ahead);
            if (segment.messageOffset() > buffer.expected.length) {
                return ProtocolError.DDP_UNTAGGED_INVALID_MO;
            }
            int from = (int) segment.messageOffset();
            if (from + segment.payloadLength() > buffer.expected.length) {
                return ProtocolError.DDP_UNTAGGED_MESSAGE_TOO_LONG;
            }
            int end = from + segment.payloadLength();
            buffer.arrived.set(from, end);
            if (segment.last() && buffer.arrived.nextClearBit(0) < end) {
                return ProtocolError.DDP_UNTAGGED_INVALID_MO;
            }
            segment.buffer().getBytes(segment.payloadIndex(), buffer.expected, from, segment.payloadLength());
            buffer.complete = segment.last();
            while (!queue.isEmpty() && queue.get(0).complete) {
                queue.remove(0);
                next[segment.queueNumber()]++;
                expectedDeliveries++;
            }
            return null;
        }

        private void assertNothingBehind(ByteBuf memory, int room) {
            byte[] behind = new byte[REGION - room];
            memory.getBytes(MARGIN + room, behind);
            assertThat(Arrays.equals(behind, new byte[behind.length])).isTrue();
        }

        private void assertMemory() {
            assertMargins();
            assertThat(ReceiverFixture.contentOf(region)).isEqualTo(expectedRegion);
            for (List<Posted> queue : posted) {
                for (Posted buffer : queue) {
                    byte[] content = new byte[buffer.expected.length];
                    buffer.memory.getBytes(MARGIN, content);
                    assertThat(content).isEqualTo(buffer.expected);
                    assertNothingBehind(buffer.memory, buffer.expected.length);
                }
            }
        }

        void assertMargins() {
            byte[] margin = new byte[MARGIN];
            for (ByteBuf memory : memories) {
                memory.getBytes(0, margin);
                assertThat(Arrays.equals(margin, MARGIN_CONTENT)).isTrue();
                memory.getBytes(MARGIN + REGION, margin);
                assertThat(Arrays.equals(margin, MARGIN_CONTENT)).isTrue();
            }
        }

        @Override
        public void close() {
            peer.close();
            memories.forEach(ByteBuf::release);
        }
    }
}
