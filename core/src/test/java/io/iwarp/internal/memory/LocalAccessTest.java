package io.iwarp.internal.memory;

import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What this side does with the bytes of its own regions. */
class LocalAccessTest {
    private final ProtectionDomain domain = ProtectionDomain.create();

    @AfterEach
    void closeDomain() {
        domain.close();
    }

    private static ByteBuf direct(int... bytes) {
        ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(bytes.length, bytes.length);
        for (int oneByte : bytes) {
            buffer.writeByte(oneByte);
        }
        return buffer;
    }

    @Test
    void viewsAndCopiesOfAnyPartOverAnyPiecesShowItsBytes() {
        Seeds.forEach(200, (seed, random) -> {
            List<ByteBuf> pieces = new ArrayList<>();
            int total = 0;
            for (int count = 1 + random.nextInt(6); count > 0; count--) {
                int length = 1 + random.nextInt(50);
                pieces.add(PooledByteBufAllocator.DEFAULT.directBuffer(length, length));
                total += length;
            }
            byte[] model = new byte[total];
            random.nextBytes(model);
            try (MemoryRegion region = domain.region().buffers(pieces).register()) {
                ByteBuf source = Unpooled.wrappedBuffer(model);
                region.setBytes(0, source);
                assertThat(source.isReadable()).isFalse();
                for (int i = 0; i < 20; i++) {
                    int offset = random.nextInt(total + 1);
                    int length = random.nextInt(total - offset + 1);
                    ByteBuf expected = Unpooled.wrappedBuffer(model, offset, length);
                    ByteBuf view = region.view(offset, length);
                    assertThat(view).isEqualTo(expected);
                    assertThat(view.isReadOnly()).isTrue();
                    view.release();
                    ByteBuf copy = Unpooled.buffer(random.nextInt(total + 2)).writeByte(1);
                    region.getBytes(offset, copy, length);
                    assertThat(copy.skipBytes(1)).isEqualTo(expected);
                    assertThat(Unpooled.wrappedBuffer(region.getBytes(offset, length)))
                            .isEqualTo(expected);
                }
            }
            assertThat(pieces).allMatch(piece -> piece.refCnt() == 1);
            pieces.forEach(ByteBuf::release);
        });
    }

    @Test
    void setBytesFromAnOverlappingBufferMovesTheBytes() {
        Seeds.forEach(300, (seed, random) -> {
            List<ByteBuf> pieces = new ArrayList<>();
            int total = 0;
            for (int count = 1 + random.nextInt(4); count > 0; count--) {
                int length = 1 + random.nextInt(20);
                pieces.add(PooledByteBufAllocator.DEFAULT.directBuffer(length, length));
                total += length;
            }
            byte[] model = new byte[total];
            random.nextBytes(model);
            try (MemoryRegion region = domain.region().buffers(pieces).register()) {
                region.setBytes(0, Unpooled.wrappedBuffer(model));
                for (int i = 0; i < 20; i++) {
                    int length = random.nextInt(total + 1);
                    int from = random.nextInt(total - length + 1);
                    int to = random.nextInt(total - length + 1);
                    ByteBuf source = random.nextBoolean() ? region.buffer(from, length) : region.view(from, length);
                    region.setBytes(to, source);
                    assertThat(source.isReadable()).isFalse();
                    source.release();
                    System.arraycopy(model, from, model, to, length);
                    int start = random.nextInt(pieces.size());
                    ByteBuf piece = pieces.get(start);
                    int count = Math.min(piece.capacity(), total - to);
                    int offset = pieces.subList(0, start).stream()
                            .mapToInt(ByteBuf::capacity)
                            .sum();
                    region.setBytes(to, piece.slice(0, count));
                    System.arraycopy(model, offset, model, to, count);
                    ByteBuf all = region.view(0, total);
                    assertThat(all).isEqualTo(Unpooled.wrappedBuffer(model));
                    all.release();
                }
            }
            assertThat(pieces).allMatch(piece -> piece.refCnt() == 1);
            pieces.forEach(ByteBuf::release);
        });
    }

    @Test
    void aBufferOfARegionIsWritableAndCannotGrow() {
        ByteBuf first = direct(1, 2, 3, 4);
        ByteBuf second = direct(5, 6);
        MemoryRegion region = domain.region().buffers(first, second).register();
        ByteBuf buffer = region.buffer(1, 4);
        assertThat(buffer.isReadOnly()).isFalse();
        assertThat(buffer.readableBytes()).isEqualTo(4);
        assertThat(buffer.clear().isWritable(5)).isFalse();
        assertThatThrownBy(() -> buffer.writeZero(5)).isInstanceOf(IndexOutOfBoundsException.class);
        buffer.clear().writeInt(0x0a0b0c0d);
        assertThat(first).isEqualTo(Unpooled.wrappedBuffer(new byte[] {1, 0x0a, 0x0b, 0x0c}));
        assertThat(second).isEqualTo(Unpooled.wrappedBuffer(new byte[] {0x0d, 6}));
        ByteBuf empty = region.buffer(3, 0);
        assertThat(empty.isReadable()).isFalse();
        empty.release();
        region.close();
        assertThat(buffer.getByte(0)).as("its memory is valid").isEqualTo((byte) 0x0a);
        assertThatThrownBy(() -> region.buffer(0, 1)).isInstanceOf(RegionClosedException.class);
        buffer.release();
        assertThat(first.refCnt()).isEqualTo(1);
        first.release();
        second.release();
    }

    @Test
    void aViewIsTheMemoryAndNotACopyOfIt() {
        ByteBuf first = direct(1, 2, 3, 4);
        ByteBuf second = direct(5, 6, 7, 8);
        try (MemoryRegion region = domain.region().buffers(first, second).register()) {
            ByteBuf inOne = region.view(1, 3);
            ByteBuf inBoth = region.view(2, 4);
            first.setByte(2, 33);
            second.setByte(0, 55);

            assertThat(ByteBufUtil.getBytes(inOne)).containsExactly(2, 33, 4);
            assertThat(inOne.nioBufferCount()).isOne();
            assertThat(ByteBufUtil.getBytes(inBoth)).containsExactly(33, 4, 55, 6);
            assertThat(inBoth.nioBuffers()).allMatch(ByteBuffer::isReadOnly).allMatch(ByteBuffer::isDirect);
            inOne.release();
            inBoth.release();
        }
        first.release();
        second.release();
    }

    @Test
    void aViewKeepsTheMemoryOfAClosedRegionUntilItIsReleased() {
        MemoryRegion region = ((DefaultRegionBuilder) domain.region())
                .allocate(PooledByteBufAllocator.DEFAULT, 24, 16)
                .register();
        ByteBuf first = ((DefaultMemoryRegion) region).memory().piece(0);
        ByteBuf second = ((DefaultMemoryRegion) region).memory().piece(1);
        region.setBytes(12, Unpooled.copyLong(42));
        ByteBuf view = region.view(12, 8);
        region.close();

        assertThat(view.readLong()).isEqualTo(42);
        assertThat(domain.registeredBytes()).isZero();
        assertThat(first.refCnt()).isOne();
        assertThat(second.refCnt()).isOne();
        view.release();
        assertThat(first.refCnt()).isZero();
        assertThat(second.refCnt()).isZero();
    }

    @Test
    void viewShowsPeerWritesUntilInvalidation() {
        StreamAssociation stream = StreamAssociation.open(domain);
        MemoryRegion region = domain.allocate(8, REMOTE_WRITE);
        TaggedBuffer tagged = stream.lookup(region.stag());
        ByteBuf view = region.view(0, 8);
        tagged.place(0, Unpooled.copyLong(1), 0, 8);
        assertThat(view.getLong(0)).isEqualTo(1);
        region.invalidate();
        tagged.place(0, Unpooled.copyLong(2), 0, 8);
        assertThat(view.getLong(0)).isEqualTo(1);
        view.release();
        region.close();
        stream.close();
    }

    @Test
    void numbersAreReadInNativeOrderOverAnyPieces() {
        ByteBuf memory = PooledByteBufAllocator.DEFAULT.directBuffer(64, 64);
        try (MemoryRegion region = domain.region()
                .buffers(memory.slice(0, 16), memory.slice(32, 8), memory.slice(40, 24))
                .register()) {
            for (int i = 0; i < 6; i++) {
                region.setVolatile(8L * i, -i - 1);
            }
            long[] all = new long[6];
            region.getLongs(0, all);
            assertThat(all).containsExactly(-1, -2, -3, -4, -5, -6);
            long[] some = new long[3];
            region.getLongs(8, some);
            assertThat(some).containsExactly(-2, -3, -4);
            region.getLongs(48, new long[0]);
            assertThatThrownBy(() -> region.getLongs(32, some)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> region.getLongs(4, some))
                    .withMessageContaining("the 8 bytes at offset 4 do not lie in one buffer at an address");
        }
        try (MemoryRegion region = domain.region()
                .buffers(memory.slice(0, 20), memory.slice(24, 20))
                .register()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> region.getLongs(0, new long[3]))
                    .withMessageContaining("the 8 bytes at offset 16 do not lie in one buffer");
        }
        assertThat(memory.refCnt()).isOne();
        memory.release();
    }

    @Test
    void rangeOutsideIsRefusedBeforeACopy() {
        ByteBuf four = Unpooled.buffer(4, 4).writeInt(-1);
        MemoryRegion region = domain.allocate(8);
        List<ThrowingCallable> beyond = List.of(
                () -> region.view(5, 4),
                () -> region.view(-1, 1),
                () -> region.view(0, -1),
                () -> region.view(Long.MAX_VALUE, 1),
                () -> region.getBytes(5, four.clear(), 4),
                () -> region.getBytes(0, four.clear(), -1),
                () -> region.getBytes(0, -1),
                () -> region.setBytes(5, four.setIndex(0, 4)),
                () -> region.setBytes(-1, four.setIndex(0, 4)));
        for (ThrowingCallable access : beyond) {
            assertThatThrownBy(access).isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThatThrownBy(() -> region.getBytes(0, four.clear(), 5)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(four.getInt(0)).isEqualTo(-1);
        assertThat(region.getVolatile(0)).isZero();
        region.close();
        for (ThrowingCallable access : List.<ThrowingCallable>of(
                () -> region.view(0, 8),
                () -> region.getLongs(0, new long[1]),
                () -> region.getBytes(0, four.clear(), 4),
                () -> region.getBytes(0, 4),
                () -> region.setBytes(0, four.setIndex(0, 4)))) {
            assertThatExceptionOfType(RegionClosedException.class)
                    .isThrownBy(access)
                    .withMessageMatching("region STag .* was closed; .*");
        }
    }

    @Test
    void aViewThatNoBufferCanHoldIsRefused() {
        ByteBuf mebibyte = PooledByteBufAllocator.DEFAULT.directBuffer(1 << 20, 1 << 20);
        try (MemoryRegion region =
                domain.region().buffers(Collections.nCopies(2048, mebibyte)).register()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> region.view(0, region.length()))
                    .withMessage("a buffer has at most 2147483647 bytes, not 2147483648; take several, one after the"
                            + " other");
            ByteBuf most = region.view(1, Integer.MAX_VALUE);
            assertThat(most.readableBytes()).isEqualTo(Integer.MAX_VALUE);
            most.release();
        }
        assertThat(mebibyte.refCnt()).isOne();
        mebibyte.release();
    }

    @Test
    void viewOfAFreedBufferIsRefused() {
        ByteBuf good = direct(1, 2, 3, 4);
        ByteBuf freed = direct(5, 6, 7, 8);
        MemoryRegion region = domain.region().buffers(good, freed).register();
        freed.release(2);

        assertThatIllegalStateException().isThrownBy(() -> region.view(2, 4)).withMessageContaining("freed or resized");
        assertThat(good.refCnt()).isEqualTo(2);
        assertThatThrownBy(region::close).isInstanceOf(IllegalStateException.class);
        good.release();
    }
}
