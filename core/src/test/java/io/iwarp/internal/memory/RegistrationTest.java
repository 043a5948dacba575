package io.iwarp.internal.memory;

import static io.iwarp.memory.AccessRight.LOCAL_WRITE;
import static io.iwarp.memory.AccessRight.REMOTE_READ;
import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.iwarp.internal.Settings;
import io.iwarp.memory.DomainLimits;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryLimit;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RegionBuilder;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.memory.ResourceLimitException;
import io.iwarp.testing.Requirement;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.internal.PlatformDependent;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RegistrationTest {
    private static final ByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf memory = ALLOCATOR.directBuffer(64, 64);

    @AfterEach
    void closeAll() {
        assertThat(domain.device().regionCount()).isZero();
        assertThat(domain.device().registeredBytes()).isZero();
        domain.close();
        assertThat(memory.refCnt()).isOne();
        memory.release();
    }

    static Stream<ByteBufAllocator> allocators() {
        return Stream.of(
                PooledByteBufAllocator.DEFAULT, UnpooledByteBufAllocator.DEFAULT, new AdaptiveByteBufAllocator());
    }

    @ParameterizedTest
    @MethodSource("allocators")
    void aRegionHoldsAReferenceUntilItIsClosed(ByteBufAllocator allocator) {
        ByteBuf buffer = allocator.directBuffer(100, 100);
        MemoryRegion region = domain.register(buffer, REMOTE_READ);

        assertThat(buffer.refCnt()).isEqualTo(2);
        region.invalidate();
        assertThat(buffer.refCnt()).isEqualTo(2);
        region.close();
        assertThat(buffer.refCnt()).isOne();
        region.close();
        assertThat(buffer.refCnt()).isOne();
        buffer.release();
    }

    @Test
    @Requirement("DDP-74")
    void regionCoversTheWholeBufferRegardlessOfIndexes() {
        memory.writerIndex(40).readerIndex(10);
        try (MemoryRegion region = domain.register(memory, REMOTE_WRITE, LOCAL_WRITE)) {
            assertThat(region.length()).isEqualTo(64);
            assertThat(region.baseTaggedOffset()).isZero();
            assertThat(region.rights()).containsExactlyInAnyOrder(REMOTE_WRITE, LOCAL_WRITE);
            assertThat(region.protectionDomain()).isSameAs(domain);
            assertThat(region.remoteBuffer()).isEqualTo(new RemoteBuffer(region.stag(), 0, 64));
            assertThat(region.isValid()).isTrue();
            assertThat(domain.device().registeredBytes()).isEqualTo(64);
        }
    }

    @Test
    @Requirement("DDP-74")
    void theBaseTaggedOffsetIsTheCallersChoice() {
        try (MemoryRegion region =
                domain.region().buffers(memory).baseTaggedOffset(-64).register()) {
            assertThat(region.remoteBuffer()).isEqualTo(new RemoteBuffer(region.stag(), -64, 64));
            assertThat(region.remoteBuffer(60, 4)).isEqualTo(new RemoteBuffer(region.stag(), -4, 4));
            assertThatThrownBy(() -> region.remoteBuffer(60, 5)).isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        domain.region().buffers(memory).baseTaggedOffset(-63).register())
                .withMessageContaining("18446744073709551553")
                .withMessageContaining("lower base");
    }

    @Test
    @Requirement("SEC-15")
    void buffersThatCannotBeRegisteredAreRefusedWithAdvice() {
        ByteBuf heap = Unpooled.buffer(8);
        ByteBuf released = ALLOCATOR.directBuffer(8);
        released.release();
        ByteBuf empty = ALLOCATOR.directBuffer(0, 8);
        CompositeByteBuf composite = ALLOCATOR
                .compositeDirectBuffer()
                .addComponent(true, ALLOCATOR.directBuffer(8).writeLong(1))
                .addComponent(true, ALLOCATOR.directBuffer(8).writeLong(2));

        assertRefused(heap, "not a direct buffer; take one from ByteBufAllocator.directBuffer()");
        assertRefused(released, "was released");
        assertRefused(empty, "empty");
        assertRefused(composite, "several pieces; pass each piece");
        heap.release();
        empty.release();
        composite.release();
    }

    private void assertRefused(ByteBuf buffer, String advice) {
        int references = buffer.refCnt();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> domain.register(buffer))
                .withMessageContaining(advice);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> domain.region().buffers(memory, buffer))
                .withMessageContaining(advice);
        assertThat(buffer.refCnt()).isEqualTo(references);
    }

    @Test
    @Requirement("SEC-15")
    void aBufferThatWasReleasedBeforeRegisterIsRefused() {
        ByteBuf buffer = ALLOCATOR.directBuffer(8);
        RegionBuilder builder = domain.region().buffers(memory, buffer);
        buffer.release();

        assertThatIllegalArgumentException().isThrownBy(builder::register).withMessageContaining("was released");
    }

    @Test
    void aRegionNeedsMemory() {
        assertThatIllegalStateException()
                .isThrownBy(() -> domain.region().register())
                .withMessageContaining("buffers() or allocate()");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> domain.region().buffers(List.of()))
                .withMessageContaining("at least one buffer");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> domain.region().allocate(ALLOCATOR, 0))
                .withMessageContaining("at least 1 byte");
    }

    @Test
    void aRightNamedTwiceIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> domain.register(memory, REMOTE_READ, REMOTE_WRITE, REMOTE_READ))
                .withMessageContaining("REMOTE_READ is named twice");
    }

    /** Its memory has no zero byte, and begins the given number of bytes after a multiple of 8. */
    private static final class DirtyAllocator extends AbstractByteBufAllocator {
        private final int misalignment;

        DirtyAllocator(int misalignment) {
            this.misalignment = misalignment;
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            int capacity = misalignment + initialCapacity;
            ByteBuf buffer = UnpooledByteBufAllocator.DEFAULT.directBuffer(capacity, capacity);
            for (int i = 0; i < capacity; i++) {
                buffer.setByte(i, 0xff);
            }
            return buffer.slice(misalignment, initialCapacity);
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            throw new AssertionError("a region has direct memory only");
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    /** In one piece, in several with a short last one, and where the address has to be moved to a multiple of 8. */
    @ParameterizedTest
    @CsvSource({"0, 50001, 50001", "0, 50001, 20000", "3, 50001, 50001"})
    @Requirement("SEC-4")
    void allAllocatedMemoryIsZeroSoThatNothingStaleCanBeRead(int misalignment, int length, int piece) {
        ByteBufAllocator dirty = new DirtyAllocator(misalignment);
        try (MemoryRegion region = ((DefaultRegionBuilder) domain.region())
                .allocate(dirty, length, piece)
                .register()) {
            ByteBuf view = region.view(0, length);
            assertThat(view.readableBytes()).isEqualTo(length);
            assertThat(view.forEachByte(value -> value == 0)).isEqualTo(-1);
            view.release();
        }
    }

    @Test
    void longAllocationsConsistOfSeveralBuffers() {
        MemoryRegion region = ((DefaultRegionBuilder) domain.region())
                .allocate(ALLOCATOR, 2500, 1000)
                .register();
        ByteSpan span = new ByteSpan();
        span.cover(region.slice(0, region.length()));
        ByteBuf last = span.bufferAt(2499);

        assertThat(region.length()).isEqualTo(2500);
        assertThat(span.contiguousAt(0)).isEqualTo(1000);
        assertThat(span.contiguousAt(2000)).isEqualTo(500);
        assertThat(last.capacity()).isEqualTo(500);
        region.close();
        assertThat(last.refCnt()).isZero();
    }

    @Test
    void aRegionCanBeLargerThanAnyBuffer() {
        ByteBuf mebibyte = ALLOCATOR.directBuffer(1 << 20, 1 << 20);
        try (MemoryRegion region = domain.region()
                .buffers(Collections.nCopies(5000, mebibyte))
                .baseTaggedOffset(-5000L << 20)
                .rights(REMOTE_WRITE)
                .register()) {
            assertThat(region.length()).isEqualTo(5000L << 20);
            assertThat(region.remoteBuffer().length()).isEqualTo(5000L << 20);
            assertThat(domain.device().registeredBytes()).isEqualTo(5000L << 20);
        }
        assertThat(mebibyte.refCnt()).isOne();
        mebibyte.release();
    }

    @Test
    @Requirement({"SEC-13", "SEC-17"})
    void theNumberOfRegionsIsLimited() {
        ProtectionDomain limited = IwarpDevice.builder().maxRegions(2).build().createProtectionDomain();
        MemoryRegion first = limited.register(memory);
        MemoryRegion second = limited.register(memory);

        assertThatThrownBy(() -> limited.register(memory))
                .isInstanceOfSatisfying(ResourceLimitException.class, e -> {
                    assertThat(e.setting()).isEqualTo("maxRegions");
                    assertThat(e.limit()).isEqualTo(2);
                })
                .hasMessageContaining("maxRegions of the device is 2, of which 2 are in use");
        assertThat(memory.refCnt()).isEqualTo(3);
        first.invalidate();
        limited.register(memory).close();
        first.close();
        limited.register(memory).close();
        second.close();
        limited.close();
    }

    @Test
    @Requirement({"SEC-13", "SEC-17"})
    void theNumberOfRegisteredBytesIsLimitedAcrossDomains() {
        IwarpDevice device = IwarpDevice.builder().maxRegisteredBytes(100).build();
        ProtectionDomain one = device.createProtectionDomain();
        ProtectionDomain two = device.createProtectionDomain();
        MemoryRegion region = one.register(memory);

        assertThatThrownBy(() -> two.register(memory))
                .isInstanceOfSatisfying(ResourceLimitException.class, e -> {
                    assertThat(e.setting()).isEqualTo("maxRegisteredBytes");
                    assertThat(e.limit()).isEqualTo(100);
                })
                .hasMessageContaining("64 are in use and 64 more were requested");
        assertThatThrownBy(
                        () -> two.region().allocate(ALLOCATOR, Long.MAX_VALUE).register())
                .isInstanceOf(ResourceLimitException.class);
        two.region().allocate(ALLOCATOR, 36).register().close();
        assertThat(device.registeredBytes()).isEqualTo(64);
        assertThat(device.regionCount()).isOne();
        region.close();
        two.register(memory).close();
        one.close();
        two.close();
    }

    @Test
    @Requirement({"SEC-13", "SEC-17"})
    void domainLimitsProtectOtherDomains() {
        IwarpDevice device =
                IwarpDevice.builder().maxRegions(3).maxRegisteredBytes(300).build();
        ProtectionDomain greedy = device.createProtectionDomain(
                DomainLimits.builder().maxRegions(2).maxRegisteredBytes(100).build());
        ProtectionDomain other = device.createProtectionDomain();
        MemoryRegion first = greedy.register(memory);

        assertThatThrownBy(() -> greedy.register(memory))
                .isInstanceOfSatisfying(ResourceLimitException.class, e -> {
                    assertThat(e.setting()).isEqualTo(MemoryLimit.DOMAIN_REGISTERED_BYTES.setting());
                    assertThat(e.limit()).isEqualTo(100);
                })
                .hasMessage("DomainLimits.maxRegisteredBytes of the protection domain is 100, of which 64 are in"
                        + " use and 64 more were requested; close unused regions, or create the"
                        + " domain with a higher DomainLimits.maxRegisteredBytes");
        MemoryRegion second = greedy.region().allocate(ALLOCATOR, 36).register();
        assertThatThrownBy(() -> greedy.region().allocate(ALLOCATOR, 1).register())
                .isInstanceOfSatisfying(ResourceLimitException.class, e -> {
                    assertThat(e.setting()).isEqualTo(MemoryLimit.DOMAIN_REGIONS.setting());
                    assertThat(e.limit()).isEqualTo(2);
                });
        assertThat(greedy.regionCount()).isEqualTo(2);
        assertThat(greedy.registeredBytes()).isEqualTo(100);
        assertThat(device.registeredBytes()).isEqualTo(100);
        first.close();
        MemoryRegion third = other.region().allocate(ALLOCATOR, 250).register();
        assertThatThrownBy(() -> greedy.register(memory))
                .isInstanceOfSatisfying(
                        ResourceLimitException.class,
                        e -> assertThat(e.setting()).isEqualTo(MemoryLimit.REGISTERED_BYTES.setting()));
        assertThat(greedy.registeredBytes()).as("what the device refused").isEqualTo(36);
        third.close();
        greedy.register(memory).close();
        assertThat(greedy.refusals(MemoryLimit.DOMAIN_REGIONS)).isOne();
        assertThat(greedy.refusals(MemoryLimit.DOMAIN_REGISTERED_BYTES)).isOne();
        assertThat(greedy.refusals(MemoryLimit.REGISTERED_BYTES)).isZero();
        assertThat(device.refusals(MemoryLimit.REGISTERED_BYTES)).isOne();
        assertThat(device.refusals()).isEqualTo(3);
        second.close();
        assertThat(greedy.registeredBytes()).isZero();
        greedy.close();
        other.close();
    }

    @Test
    @Requirement({"SEC-13", "SEC-15"})
    void theSinkOfAReadIsARegionOfItsStreamWithinAllLimits() {
        ProtectionDomain small = IwarpDevice.create()
                .createProtectionDomain(DomainLimits.builder().maxRegions(1).build());
        StreamAssociation stream = StreamAssociation.open(small);
        try (MemoryRegion sink = stream.registerSink(memory)) {
            assertThat(sink.rights()).containsExactly(LOCAL_WRITE);
            assertThat(((DefaultMemoryRegion) sink).stream()).isSameAs(stream);
            assertThat(sink.remoteBuffer()).isEqualTo(new RemoteBuffer(sink.stag(), 0, 64));
            assertThat(memory.refCnt()).isEqualTo(2);
            assertThatThrownBy(() -> stream.registerSink(memory)).isInstanceOf(ResourceLimitException.class);
            assertThat(stream.holderCount()).isOne();
        }
        ByteBuf heap = Unpooled.buffer(8);
        for (ByteBuf unusable : List.of(heap, memory.asReadOnly())) {
            String advice = assertThrows(IllegalArgumentException.class, () -> small.register(unusable, LOCAL_WRITE))
                    .getMessage();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> stream.registerSink(unusable))
                    .withMessage(advice);
        }
        heap.release();
        assertThat(small.registeredBytes()).isZero();
        assertThat(stream.holderCount()).isZero();
        stream.close();
        assertThatThrownBy(() -> stream.registerSink(memory)).isInstanceOf(RegionClosedException.class);
        small.close();
        assertThatThrownBy(() -> stream.registerSink(memory)).isInstanceOf(RegionClosedException.class);
    }

    @Test
    void aSinkThatIsReleasedMeanwhileTakesNothingOfTheLimits() {
        StreamAssociation stream = StreamAssociation.open(domain);
        ByteBuf released = new UnpooledDirectByteBuf(UnpooledByteBufAllocator.DEFAULT, 8, 8) {
            @Override
            public ByteBuf retain() {
                throw new IllegalReferenceCountException(0, 1);
            }
        };
        assertThatThrownBy(() -> stream.registerSink(released)).isInstanceOf(IllegalReferenceCountException.class);

        assertThat(domain.regionCount()).isZero();
        assertThat(domain.registeredBytes()).isZero();
        stream.close();
        released.release();
    }

    @Test
    void limitsHaveARangeAndADefault() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DomainLimits.builder().maxRegions(0))
                .withMessageContaining(": 0 (expected: at least 1)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DomainLimits.builder().maxRegisteredBytes(0))
                .withMessageContaining(": 0 (expected: at least 1)");
        IwarpDevice device = IwarpDevice.create();
        assertThat(device.maxRegions()).isEqualTo(1_048_576);
        assertThat(device.maxRegisteredBytes()).isEqualTo(Long.MAX_VALUE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IwarpDevice.builder().maxRegions(0))
                .withMessageContaining(": 0 (expected: at least 1)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IwarpDevice.builder().maxRegisteredBytes(0))
                .withMessageContaining(": 0 (expected: at least 1)");
    }

    @Test
    void failedRegistrationReleasesEverything() {
        ByteBufAllocator exhausted = new AllocatorForTwoBuffers();

        assertThatThrownBy(() -> ((DefaultRegionBuilder) domain.region())
                        .allocate(exhausted, 100, 20)
                        .register())
                .hasMessage("no third buffer");
        assertThat(domain.device().regionCount()).isZero();
        assertThat(domain.device().registeredBytes()).isZero();
    }

    private static final class AllocatorForTwoBuffers extends AbstractByteBufAllocator {
        private int buffers;

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            if (++buffers > 2) {
                throw new OutOfMemoryError("no third buffer");
            }
            return UnpooledByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            throw new AssertionError("a region has direct memory only");
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    @Test
    @Requirement("EXT-13")
    void allocatedMemoryBeginsWhereAtomicsCanWork() {
        ByteBufAllocator misaligned = new DirtyAllocator(3);
        for (int length : new int[] {8, 9, 4096}) {
            try (MemoryRegion region =
                    domain.region().allocate(misaligned, length).register()) {
                assertThat(region.length()).isEqualTo(length);
                assertThat(region.fetchAdd(0, 7)).isZero();
            }
        }
    }

    @Test
    void registrationWithoutStagReleasesItsBuffers() {
        Random broken = new Random() {
            @Override
            public int nextInt() {
                throw new IllegalStateException("no entropy");
            }
        };
        DefaultIwarpDevice device = new DefaultIwarpDevice(Settings.DEFAULT, broken);
        ProtectionDomain domain = device.createProtectionDomain();
        ByteBuf buffer = Unpooled.directBuffer(8, 8);
        assertThatThrownBy(() -> domain.register(buffer)).hasMessage("no entropy");
        assertThat(buffer.refCnt()).isOne();
        assertThat(device.regionCount()).isZero();
        domain.close();
        buffer.release();
    }

    @Test
    void aQuarterOfDirectMemoryIsForSendingByDefault() {
        assertThat(IwarpDevice.create().maxSendingBytes()).isEqualTo(PlatformDependent.maxDirectMemory() / 4);
        assertThat(IwarpDevice.builder().maxSendingBytes(1 << 20).build().maxSendingBytes())
                .isEqualTo(1 << 20);
    }

    @Test
    void anAllocationBeyondDirectMemoryNamesSizeLimitAndSetting() {
        assertThatExceptionOfType(ResourceLimitException.class)
                .isThrownBy(() -> domain.allocate(1L << 60))
                .withMessageContaining("cannot allocate 1152921504606846976 bytes: the JVM allows "
                        + PlatformDependent.maxDirectMemory() + " bytes")
                .withMessageEndingWith("-XX:MaxDirectMemorySize");
        assertThat(domain.registeredBytes()).isZero();
        assertThat(domain.regionCount()).isZero();
    }
}
