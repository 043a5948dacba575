package io.iwarp.internal.memory;

import static io.iwarp.memory.AccessRight.REMOTE_ATOMIC;
import static io.iwarp.memory.AccessRight.REMOTE_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Atomics of the application on registered memory, alone and together with those of peers. */
@Timeout(120)
class LocalAtomicsTest {
    private static final VarHandle NUMBER =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final StreamAssociation stream = StreamAssociation.open(domain);
    private final StreamAssociation sibling = StreamAssociation.open(domain);
    private final ByteBuffer bytes =
            ByteBuffer.allocateDirect(24).alignedSlice(8).slice(0, 16);
    private final ByteBuf memory = Unpooled.wrappedBuffer(bytes);
    private final MemoryRegion region = domain.register(memory, REMOTE_ATOMIC, REMOTE_READ);

    @AfterEach
    void close() {
        region.close();
        stream.close();
        sibling.close();
        domain.close();
        memory.release();
    }

    private long number(int offset) {
        return (long) NUMBER.getVolatile(bytes, offset);
    }

    @Test
    void numbersAreThoseThatVarHandlesSeeInNativeOrder() {
        region.setVolatile(8, 0x0102030405060708L);
        assertThat(number(8)).isEqualTo(0x0102030405060708L);
        assertThat(memory.getByte(8)).isEqualTo((byte) (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 8 : 1));
        NUMBER.setVolatile(bytes, 8, -5L);
        assertThat(region.getVolatile(8)).isEqualTo(-5);
        assertThat(region.fetchAdd(8, 7)).isEqualTo(-5);
        assertThat(region.compareSwap(8, 3, 9)).as("unequal").isEqualTo(2);
        assertThat(number(8)).isEqualTo(2);
        assertThat(region.compareSwap(8, 2, Long.MIN_VALUE)).isEqualTo(2);
        assertThat(number(8)).isEqualTo(Long.MIN_VALUE);
        assertThat(region.fetchAdd(8, -1)).isEqualTo(Long.MIN_VALUE);
        assertThat(number(8)).isEqualTo(Long.MAX_VALUE);
        assertThat(number(0)).isZero();
    }

    private List<ThrowingCallable> accesses(long offset) {
        return List.of(
                () -> region.getVolatile(offset),
                () -> region.setVolatile(offset, 1),
                () -> region.fetchAdd(offset, 1),
                () -> region.compareSwap(offset, 0, 1));
    }

    @Test
    void misalignedOffsetsAreRefusedWithAdviceAndOthersAsOutOfBounds() {
        for (ThrowingCallable access : accesses(4)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(access)
                    .withMessageContaining("the 8 bytes at offset 4")
                    .withMessageContaining("use offsets that are multiples");
        }
        for (long offset : new long[] {-8, 16, 1L << 40}) {
            for (ThrowingCallable access : accesses(offset)) {
                assertThatThrownBy(access).isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
        assertThat(number(0)).isZero();
        assertThat(number(8)).isZero();
    }

    @Test
    void theyOutliveTheStagButNotTheRegion() {
        region.invalidate();
        region.setVolatile(0, 41);
        assertThat(region.fetchAdd(0, 1)).isEqualTo(41);
        region.close();
        for (ThrowingCallable access : accesses(0)) {
            assertThatExceptionOfType(RegionClosedException.class)
                    .isThrownBy(access)
                    .withMessageMatching("region STag .* was closed; .*");
        }
        assertThat(number(0)).isEqualTo(42);
    }

    /** One way to add 1, of which a thread takes many. */
    private interface Adder {
        void addOne();
    }

    @Test
    @Requirement("EXT-4")
    void eightThreadsOfPeersAndOfTheApplicationLoseNoAddition() throws Exception {
        int additions = 200_000;
        MemoryWindow window = sibling.window(region, 8, 8).rights(REMOTE_ATOMIC).bind();
        TaggedBuffer byRegion = stream.lookup(region.stag());
        TaggedBuffer byWindow = sibling.lookup(window.stag());
        long topBits = 0x8000_0000_8000_0000L;
        List<Adder> adders = List.of(
                adder(byRegion, 8, new AtomicOperation().fetchAdd(1, 0)),
                adder(byRegion, 8, new AtomicOperation().fetchAdd(1, 0)),
                adder(byWindow, 0, new AtomicOperation().fetchAdd(1, topBits)),
                adder(byWindow, 0, new AtomicOperation().fetchAdd(1, Long.MIN_VALUE)),
                () -> NUMBER.getAndAdd(bytes, 8, 1L),
                () -> region.fetchAdd(8, 1),
                this::addByCompareSwap,
                swapper(byWindow));
        run(adders, additions);
        assertThat(number(8)).isEqualTo((long) additions * adders.size());
        assertThat(number(0)).isZero();
    }

    private static Adder adder(TaggedBuffer target, long taggedOffset, AtomicOperation operation) {
        return () -> target.execute(taggedOffset, operation);
    }

    private void addByCompareSwap() {
        long found = region.getVolatile(8);
        for (long expected = found + 1; expected != found; ) {
            expected = found;
            found = region.compareSwap(8, expected, expected + 1);
        }
    }

    private static Adder swapper(TaggedBuffer target) {
        AtomicOperation operation = new AtomicOperation();
        return () -> {
            long expected = 0;
            target.execute(0, operation.compareSwap(1, -1, 0, -1));
            while (operation.original() != expected) {
                expected = operation.original();
                target.execute(0, operation.compareSwap(expected + 1, -1, expected, -1));
            }
        };
    }

    @Test
    @Requirement("EXT-7")
    void fieldsOfOneNumberCountApartFromEachOther() throws Exception {
        int additions = 300_000;
        TaggedBuffer tagged = stream.lookup(region.stag());
        long byteFields = 0x8080_8080_8080_8080L;
        List<Adder> adders = new ArrayList<>();
        for (int field = 0; field < 4; field++) {
            adders.add(adder(tagged, 0, new AtomicOperation().fetchAdd(1L << (8 * field), byteFields)));
        }
        run(adders, additions);
        long each = additions & 0xff;
        assertThat(each).as("the fields have overflowed and show a remainder").isNotZero();
        assertThat(number(0)).isEqualTo(each * 0x0101_0101L);
    }

    private static void run(List<Adder> adders, int additions) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(adders.size());
        CyclicBarrier start = new CyclicBarrier(adders.size());
        List<Future<?>> all = new ArrayList<>();
        for (Adder adder : adders) {
            all.add(threads.submit(() -> {
                start.await();
                for (int i = 0; i < additions; i++) {
                    adder.addOne();
                }
                return null;
            }));
        }
        for (Future<?> one : all) {
            one.get();
        }
        threads.shutdown();
    }

    @Test
    void nothingIsAllocatedPerOperation() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ByteBuf response = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(16));
        AtomicOperation operation = new AtomicOperation();
        int count = 20_000;
        operations(operation, response, count);

        long before = threads.getCurrentThreadAllocatedBytes();
        operations(operation, response, count);
        long perRound = (threads.getCurrentThreadAllocatedBytes() - before) / count;

        assertThat(perRound).isZero();
        response.release();
    }

    private void operations(AtomicOperation operation, ByteBuf response, int count) {
        for (int i = 0; i < count; i++) {
            TaggedBuffer tagged = stream.lookup(region.stag());
            if (tagged == null || !tagged.isAligned(8)) {
                throw new AssertionError("refused");
            }
            tagged.execute(8, operation.fetchAdd(i, i));
            tagged.execute(8, operation.compareSwap(i, -1, operation.original(), i));
            tagged.fetch(0, response, 0, 16);
            region.setVolatile(8, region.fetchAdd(8, 1) + region.getVolatile(8) + region.compareSwap(8, i, 1));
        }
    }
}
