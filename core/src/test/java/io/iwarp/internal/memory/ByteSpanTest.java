package io.iwarp.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.LocalBuffer;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.testing.Seeds;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ByteSpanTest {
    private static final List<ByteBufAllocator> ALLOCATORS =
            List.of(PooledByteBufAllocator.DEFAULT, UnpooledByteBufAllocator.DEFAULT, new AdaptiveByteBufAllocator());

    private final ProtectionDomain domain = ProtectionDomain.create();

    @AfterEach
    void closeDomain() {
        domain.close();
    }

    @Test
    void copiesOverPiecesMatchAnArray() {
        Seeds.forEach(300, (seed, random) -> {
            List<ByteBuf> pieces = new ArrayList<>();
            int total = 0;
            for (int count = 1 + random.nextInt(8); count > 0; count--) {
                int length = 1 + random.nextInt(random.nextBoolean() ? 3 : 100);
                pieces.add(allocator(random).directBuffer(length, length).setZero(0, length));
                total += length;
            }
            try (MemoryRegion region = domain.region().buffers(pieces).register()) {
                byte[] model = new byte[total];
                for (int i = 0; i < 30; i++) {
                    int origin = random.nextInt(total + 1);
                    int length = random.nextInt(total - origin + 1);
                    ByteSpan span = over(region.slice(origin, length));
                    copyIn(span, model, origin, random);
                    copyOut(span, model, origin, random);
                }
                assertThat(bytes(pieces)).isEqualTo(model);
            }
            pieces.forEach(ByteBuf::release);
        });
    }

    @Test
    void copiesOverOneBufferMatchAnArray() {
        Seeds.forEach(100, (seed, random) -> {
            int total = 1 + random.nextInt(200);
            ByteBuf buffer = anyBuffer(total, random).setZero(0, total);
            byte[] model = new byte[total];
            for (int i = 0; i < 20; i++) {
                int origin = random.nextInt(total + 1);
                ByteSpan span = new ByteSpan().wrap(buffer, origin, random.nextInt(total - origin + 1));
                copyIn(span, model, origin, random);
                copyOut(span, model, origin, random);
            }
            assertThat(bytes(List.of(buffer))).isEqualTo(model);
            buffer.release();
        });
    }

    @Test
    void regionBuffersAndDerivedOnesReportPeerChanges() {
        ByteBuf memory = PooledByteBufAllocator.DEFAULT.directBuffer(8, 8);
        ByteBuf more = PooledByteBufAllocator.DEFAULT.directBuffer(8, 8);
        try (MemoryRegion region = domain.region().buffers(memory, more).register()) {
            ByteBuf inOnePiece = region.buffer(1, 6);
            ByteBuf inTwo = region.buffer(4, 8);
            ByteBuf view = region.view(0, 16);
            List<ByteBuf> derived = List.of(
                    inOnePiece,
                    inTwo,
                    view,
                    inOnePiece.slice(1, 2),
                    inTwo.duplicate(),
                    view.slice(2, 9).slice(1, 1),
                    inTwo.asReadOnly().readSlice(3));
            assertThat(derived).noneMatch(ByteSpanTest::peersMayChange);
            MemoryWindow window =
                    region.window(0, 4).rights(AccessRight.REMOTE_ATOMIC).bind();
            assertThat(derived).allMatch(ByteSpanTest::peersMayChange);
            assertThat(memory).as("a buffer of the application").matches(buffer -> !peersMayChange(buffer));
            window.close();
            assertThat(derived).noneMatch(ByteSpanTest::peersMayChange);
            inOnePiece.release();
            inTwo.release();
            view.release();
        }
        assertThat(memory.release()).isTrue();
        assertThat(more.release()).isTrue();
    }

    private static boolean peersMayChange(ByteBuf buffer) {
        return new ByteSpan().wrap(buffer, 0, buffer.capacity()).peersMayChange();
    }

    @ParameterizedTest
    @EnumSource(AccessRight.class)
    void aPeerMayChangeTheBytesWhileAnStagGrantsIt(AccessRight right) {
        boolean changing = right == AccessRight.REMOTE_WRITE || right == AccessRight.REMOTE_ATOMIC;
        ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(8, 8);
        try (MemoryRegion region = domain.register(buffer, right)) {
            ByteSpan span = whole(region);
            assertThat(span.peersMayChange()).as("by the region").isEqualTo(changing);
            MemoryWindow window = region.window(0, 4).rights(right).bind();
            window.close();
            assertThat(span.peersMayChange()).as("still by the region").isEqualTo(changing);
        }
        try (MemoryRegion region = domain.register(buffer)) {
            ByteSpan span = whole(region);
            MemoryWindow window = region.window(0, 4).rights(right).bind();
            assertThat(span.peersMayChange()).as("by the window").isEqualTo(changing);
            window.close();
            assertThat(span.peersMayChange()).as("by nothing any more").isFalse();
        }
        buffer.release();
    }

    @Test
    void thePiecesOfASpanFollowEachOther() {
        Seeds.forEach(100, (seed, random) -> {
            List<ByteBuf> pieces = new ArrayList<>();
            int total = 0;
            for (int count = 1 + random.nextInt(6); count > 0; count--) {
                int length = 1 + random.nextInt(20);
                ByteBuf piece = allocator(random).directBuffer(length, length);
                for (int i = 0; i < length; i++) {
                    piece.setByte(i, total++);
                }
                pieces.add(piece);
            }
            try (MemoryRegion region = domain.region().buffers(pieces).register()) {
                int origin = random.nextInt(total);
                int length = 1 + random.nextInt(total - origin);
                ByteSpan span = over(region.slice(origin, length));
                int oneByte = 0;
                while (oneByte < length) {
                    int run = span.contiguousAt(oneByte);
                    assertThat(run).isPositive();
                    for (int end = oneByte + run; oneByte < end; oneByte++) {
                        assertThat(span.bufferAt(oneByte).getUnsignedByte(span.indexAt(oneByte)))
                                .isEqualTo((short) (origin + oneByte));
                    }
                }
                assertThat(oneByte).isEqualTo(length);
            }
            pieces.forEach(ByteBuf::release);
        });
    }

    @Test
    void offsetsBeyondFourGibibytesReachTheRightByte() {
        int pieceLength = 1 << 20;
        ByteBuf piece = PooledByteBufAllocator.DEFAULT.directBuffer(pieceLength, pieceLength);
        piece.setZero(0, pieceLength);
        ByteBuf bytes = Unpooled.copiedBuffer(new byte[] {1, 2, 3, 4});
        try (MemoryRegion region =
                domain.region().buffers(Collections.nCopies(5000, piece)).register()) {
            ByteSpan span = whole(region);
            long offset = (4999L << 20) - 2;
            span.put(offset, bytes, 0, 4);

            assertThat(piece.getShort(pieceLength - 2)).isEqualTo((short) 0x0102);
            assertThat(piece.getShort(0)).isEqualTo((short) 0x0304);
            assertThat(span.indexAt(offset)).isEqualTo(pieceLength - 2);
            assertThat(span.contiguousAt(offset)).isEqualTo(2);
            bytes.setZero(0, 4);
            span.get(offset, bytes, 0, 4);
            assertThat(ByteBufUtil.hexDump(bytes)).isEqualTo("01020304");
            assertThatThrownBy(() -> span.put((5000L << 20) - 3, bytes, 0, 4))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        bytes.release();
        piece.release();
    }

    @Test
    void rangesOutsideTheSpanAreRefusedBeforeAnyByteChanges() {
        ByteBuf buffer = Unpooled.buffer(10).setZero(0, 10);
        ByteBuf other = Unpooled.copiedBuffer(new byte[] {1, 2, 3, 4});
        ByteSpan span = new ByteSpan().wrap(buffer, 2, 5);

        assertThatThrownBy(() -> span.put(2, other, 0, 4)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> span.put(-1, other, 0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> span.get(5, other, 0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> span.bufferAt(5)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> span.indexAt(5)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> span.contiguousAt(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> span.wrap(buffer, 8, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(ByteBufUtil.hexDump(buffer, 0, 10)).isEqualTo("00".repeat(10));
        buffer.release();
        other.release();
    }

    @Test
    void bytesOutsideTheOtherBufferAreNeitherReadNorWritten() {
        ByteBuf memory = PooledByteBufAllocator.DEFAULT.directBuffer(16, 16).setZero(0, 16);
        ByteBuf backing = Unpooled.buffer(32).setZero(0, 32);
        ByteBuf part = backing.slice(8, 8);
        try (MemoryRegion region = domain.register(memory)) {
            ByteSpan span = whole(region);
            assertThatThrownBy(() -> span.put(0, part, 1, 8)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> span.get(0, part, -1, 8)).isInstanceOf(IndexOutOfBoundsException.class);
        }
        backing.release();
        memory.release();
    }

    @Test
    void aClearedSpanCoversNothing() {
        ByteBuf buffer = Unpooled.buffer(10);
        ByteSpan span = new ByteSpan().wrap(buffer, 2, 5);
        assertThat(span.length()).isEqualTo(5);
        span.clear();

        assertThat(span.length()).isZero();
        span.put(0, buffer, 0, 0);
        span.get(0, buffer, 0, 0);
        span.release();
        assertThatThrownBy(() -> span.bufferAt(0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(buffer.refCnt()).isOne();
        buffer.release();
    }

    @Test
    void textShowsLengthAndWhatIsCovered() {
        ByteBuf buffer = Unpooled.buffer(10);
        ByteSpan span = new ByteSpan();
        assertThat(span).hasToString("ByteSpan[0 bytes of nothing]");
        assertThat(span.wrap(buffer, 2, 5))
                .asString()
                .startsWith("ByteSpan[5 bytes of ")
                .contains("cap: 10");
        buffer.release();
        try (MemoryRegion region =
                domain.region().allocate(PooledByteBufAllocator.DEFAULT, 8).register()) {
            assertThat(whole(region)).hasToString("ByteSpan[8 bytes of a region]");
        }
    }

    @Test
    void aSpanOverABufferTakesNoReferenceAndReleasesThatOfItsUser() {
        ByteBuf buffer = Unpooled.buffer(10);
        ByteSpan span = new ByteSpan().wrap(buffer, 0, 10);
        assertThat(buffer.refCnt()).isOne();
        buffer.retain();
        span.release();
        assertThat(buffer.refCnt()).isOne();
        buffer.release();
    }

    @Test
    void aSpanOverAClosedRegionFailsInsteadOfTouchingFreedMemory() {
        ByteBuf bytes = Unpooled.buffer(8).writeLong(1);
        MemoryRegion region =
                domain.region().allocate(PooledByteBufAllocator.DEFAULT, 8).register();
        LocalBuffer piece = region.slice(0, 8);
        ByteSpan span = over(piece);
        region.close();

        assertThatIllegalStateException().isThrownBy(() -> span.put(0, bytes, 0, 8));
        assertThatIllegalStateException().isThrownBy(() -> span.get(0, bytes, 0, 8));
        assertThatIllegalStateException().isThrownBy(() -> span.bufferAt(0));
        assertThatExceptionOfType(RegionClosedException.class)
                .isThrownBy(() -> ByteSpan.retain(ByteSpan.region(piece), ByteSpan.offset(piece), piece.length()));
        bytes.release();
    }

    /** Another thread may close the region while this one takes its reference. */
    @Test
    void releasedMemoryIsRefusedLikeAClosedRegion() {
        MemoryRegion region =
                domain.region().allocate(PooledByteBufAllocator.DEFAULT, 8).register();
        LocalBuffer piece = region.slice(0, 8);
        ByteSpan.release(ByteSpan.region(piece));

        assertThatThrownBy(() -> ByteSpan.retain(ByteSpan.region(piece), ByteSpan.offset(piece), piece.length()))
                .isInstanceOf(RegionClosedException.class)
                .hasMessageContaining("register the memory again");
        assertThatIllegalStateException().isThrownBy(region::close);
    }

    @Test
    void retainedSpanKeepsMemoryOfAClosedRegion() {
        ByteBuf bytes = Unpooled.buffer(8).writeLong(0x0102_0304_0506_0708L);
        MemoryRegion region =
                domain.region().allocate(PooledByteBufAllocator.DEFAULT, 8).register();
        LocalBuffer piece = region.slice(0, 8);
        ByteSpan span = over(piece);
        ByteBuf memory = span.bufferAt(0);
        span.put(0, bytes, 0, 8);
        ByteSpan.retain(ByteSpan.region(piece), ByteSpan.offset(piece), piece.length());
        region.close();

        bytes.setZero(0, 8);
        assertThatIllegalStateException().isThrownBy(() -> span.put(0, bytes, 0, 8));
        span.get(0, bytes, 0, 8);
        assertThat(bytes.getLong(0)).isEqualTo(0x0102_0304_0506_0708L);
        assertThat(span.bufferAt(0)).isSameAs(memory);
        assertThat(memory.refCnt()).isOne();
        new ByteSpan().release();
        span.release();
        assertThat(memory.refCnt()).isZero();
        bytes.release();
    }

    @Test
    void releasingMoreOftenThanRetainingIsReported() {
        MemoryRegion region =
                domain.region().allocate(PooledByteBufAllocator.DEFAULT, 8).register();
        ByteSpan span = whole(region);
        region.close();

        assertThatIllegalStateException()
                .isThrownBy(span::release)
                .withMessageContaining("released more often than retained");
    }

    @Test
    void aBufferResizedUnderItsRegionIsNotTouched() {
        ByteBuf memory = PooledByteBufAllocator.DEFAULT.directBuffer(8);
        ByteBuf bytes = Unpooled.buffer(8).writeLong(-1);
        try (MemoryRegion region = domain.register(memory)) {
            memory.capacity(100_000).setZero(0, 8);
            assertThatIllegalStateException()
                    .isThrownBy(() -> whole(region).put(0, bytes, 0, 8))
                    .withMessageContaining("freed or resized");
            assertThatIllegalStateException().isThrownBy(() -> whole(region).get(0, bytes, 0, 8));
            assertThat(memory.getLong(0)).isZero();
            memory.capacity(8);
        }
        bytes.release();
        memory.release();
    }

    private static ByteSpan whole(MemoryRegion region) {
        return over(region.slice(0, region.length()));
    }

    private static ByteSpan over(LocalBuffer piece) {
        ByteSpan span = new ByteSpan();
        span.cover(piece);
        return span;
    }

    private static ByteBufAllocator allocator(Random random) {
        return ALLOCATORS.get(random.nextInt(ALLOCATORS.size()));
    }

    private static void copyIn(ByteSpan span, byte[] model, int origin, Random random) {
        int length = (int) span.length();
        int offset = random.nextInt(length + 1);
        byte[] bytes = new byte[random.nextInt(length - offset + 1)];
        random.nextBytes(bytes);
        int margin = random.nextInt(4);
        ByteBuf src = anyBuffer(bytes.length + 2 * margin, random);
        src.setBytes(margin, bytes);
        span.put(offset, src, margin, bytes.length);
        src.release();
        System.arraycopy(bytes, 0, model, origin + offset, bytes.length);
    }

    private static void copyOut(ByteSpan span, byte[] model, int origin, Random random) {
        int length = (int) span.length();
        int offset = random.nextInt(length + 1);
        int count = random.nextInt(length - offset + 1);
        int margin = random.nextInt(4);
        ByteBuf dst = anyBuffer(count + 2 * margin, random);
        dst.setZero(0, dst.capacity());
        span.get(offset, dst, margin, count);
        byte[] expected = new byte[count + 2 * margin];
        System.arraycopy(model, origin + offset, expected, margin, count);
        assertThat(ByteBufUtil.getBytes(dst, 0, dst.capacity())).isEqualTo(expected);
        dst.release();
    }

    /** A buffer of this capacity: heap, direct, slice of either, or made of several pieces. */
    private static ByteBuf anyBuffer(int capacity, Random random) {
        ByteBufAllocator allocator = allocator(random);
        return switch (random.nextInt(5)) {
            case 0 -> allocator.heapBuffer(capacity, capacity);
            case 1 -> allocator.directBuffer(capacity, capacity);
            case 2 -> slice(allocator.heapBuffer(capacity + 6), capacity);
            case 3 -> slice(allocator.directBuffer(capacity + 6), capacity);
            default -> {
                int first = random.nextInt(capacity + 1);
                yield allocator
                        .compositeBuffer()
                        .addComponent(true, allocator.directBuffer(first + 1).writeZero(first))
                        .addComponent(
                                true, allocator.heapBuffer(capacity - first + 1).writeZero(capacity - first));
            }
        };
    }

    private static ByteBuf slice(ByteBuf whole, int capacity) {
        return whole.setIndex(3, 3 + capacity).readSlice(capacity);
    }

    private static byte[] bytes(List<ByteBuf> pieces) {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf piece : pieces) {
            all.writeBytes(piece, 0, piece.capacity());
        }
        byte[] bytes = ByteBufUtil.getBytes(all);
        all.release();
        return bytes;
    }
}
