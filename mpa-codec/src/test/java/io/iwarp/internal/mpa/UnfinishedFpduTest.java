package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.InputBudget;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.ExhaustedAllocator;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The limits of memory and time for incomplete FPDUs, of a stream and of a device. */
class UnfinishedFpduTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final MpaSettings SETTINGS =
            MpaSettings.builder().fpduTimeout(TIMEOUT).build();
    private static final int LARGE = 64_768;

    private final List<FramingChannel> ends = new ArrayList<>();

    @AfterEach
    void close() {
        ends.forEach(FramingChannel::close);
    }

    private FramingChannel established(IwarpDevice device) {
        FramingChannel end = new FramingChannel(SETTINGS, TcpSegmentSize::of, device);
        end.channel.freezeTime();
        ends.add(end.establish(Role.RESPONDER, false, false, false));
        return end;
    }

    /** An FPDU without a CRC whose ULPDU has this many bytes. */
    private static byte[] fpdu(int ulpdu) {
        byte[] bytes = new byte[FpduEncoder.fpduLength(ulpdu)];
        Unpooled.wrappedBuffer(bytes).setShort(0, ulpdu);
        return bytes;
    }

    private static void advance(FramingChannel end, Duration time) {
        end.channel.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
        end.channel.runPendingTasks();
    }

    private static List<ProtocolError> faults(FramingChannel end) {
        return end.seen.stream()
                .filter(MpaEvent.Fault.class::isInstance)
                .map(event -> ((MpaEvent.Fault) event).fault().error())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 20, 64, 1_000, 20_000})
    void partialFpduHoldsAtMostFourTimesItsBytes(int come) {
        IwarpDevice device = IwarpDevice.create();
        FramingChannel end = established(device);
        byte[] bytes = fpdu(LARGE);

        end.receive(Arrays.copyOf(bytes, come));

        assertThat(device.partialFpduBytes())
                .isBetween((long) come, (long) Math.max(FpduInput.MIN_CAPACITY, FpduInput.GROWTH * come));
        end.receive(Arrays.copyOfRange(bytes, come, bytes.length));
        assertThat(device.partialFpduBytes()).isZero();
        assertThat(end.seen).last().isEqualTo(new byte[LARGE]);
    }

    /** It is the buffer that must be small, not only the account. */
    @Test
    void theBufferGrowsWithWhatArrives() {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        FpduInput input = input(allocator, false, new InputBudget(Long.MAX_VALUE));
        byte[] bytes = fpdu(LARGE);
        int index = 0;
        for (int come : new int[] {20, 300, 5_000, bytes.length - 1}) {
            input.add(Unpooled.wrappedBuffer(bytes, index, come - index));
            index = come;
            assertThat(input.next()).isEqualTo(FpduDecoder.Result.INCOMPLETE);
            assertThat(input.held()).isEqualTo(come);
            assertThat(allocator.metric().usedDirectMemory()).isBetween((long) come, Math.max(256, 4L * come));
        }
        input.release();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void anUnfinishedFpduHoldsNoMoreThanTheLargestFpdu() {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        InputBudget budget = new InputBudget(Long.MAX_VALUE);
        FpduInput input = input(allocator, false, budget);
        byte[] bytes = fpdu(0xFFFF);
        input.add(Unpooled.wrappedBuffer(bytes, 0, 1));
        input.next();
        input.add(Unpooled.wrappedBuffer(bytes, 1, bytes.length - 2));

        assertThat(input.next()).isEqualTo(FpduDecoder.Result.INCOMPLETE);

        assertThat(allocator.metric().usedDirectMemory()).isEqualTo(FpduDecoder.maxWireLength());
        assertThat(budget.reservedBytes()).isEqualTo(FpduDecoder.maxWireLength());
        input.release();
        assertThat(budget.reservedBytes()).isZero();
    }

    @Test
    void aBufferThatCouldNotBeAllocatedIsNotCounted() {
        InputBudget budget = new InputBudget(Long.MAX_VALUE);
        FpduInput input = input(new ExhaustedAllocator(), false, budget);
        input.add(Unpooled.wrappedBuffer(fpdu(8), 0, 4));
        assertThat(failureOf(input::next)).isInstanceOf(OutOfMemoryError.class);

        input.release();

        assertThat(budget.reservedBytes()).isZero();
    }

    /** JUnit gives up all tests for an OutOfMemoryError. */
    private static @Nullable Throwable failureOf(Runnable call) {
        try {
            call.run();
            return null;
        } catch (OutOfMemoryError failure) {
            return failure;
        }
    }

    private static FpduInput input(ByteBufAllocator allocator, boolean crcAndMarkers, InputBudget budget) {
        return new FpduInput(
                allocator,
                new FpduDecoder(allocator, crcAndMarkers, crcAndMarkers, new ConnectionCounters()),
                budget,
                () -> {});
    }

    /** Markers are cut out of a ULPDU by a copy. */
    @Test
    void aStreamBetweenTwoFpdusHoldsNoBuffer() {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        FpduInput input = input(allocator, true, new InputBudget(Long.MAX_VALUE));
        byte[] bytes = new ReferenceFramer(true, true).frame(new byte[5_000]);
        input.add(allocator.directBuffer(bytes.length).writeBytes(bytes));
        assertThat(input.next()).isEqualTo(FpduDecoder.Result.FPDU);
        assertThat(input.deliver((buffer, index, length) -> length == 5_000)).isTrue();

        assertThat(input.next()).isEqualTo(FpduDecoder.Result.INCOMPLETE);

        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    private List<FramingChannel> hoard(IwarpDevice device) {
        List<FramingChannel> hoarders = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            FramingChannel hoarder = established(device);
            hoarder.receive(Arrays.copyOf(fpdu(LARGE), 30_000));
            hoarders.add(hoarder);
        }
        return hoarders;
    }

    @Test
    @Requirement("SEC-13")
    void aStreamWithoutMemoryStopsReadingAndDoesNotEnd() {
        IwarpDevice device = IwarpDevice.builder().maxPartialFpduBytes(1 << 20).build();
        List<FramingChannel> hoarders = hoard(device);
        assertThat(device.partialFpduBytes()).isLessThanOrEqualTo((1 << 20) + 30L * 30_000);
        assertThat(hoarders.get(0).channel.config().isAutoRead()).isTrue();
        assertThat(hoarders.get(29).channel.config().isAutoRead()).isFalse();
        assertThat(hoarders).allSatisfy(hoarder -> assertThat(faults(hoarder)).isEmpty());
        hoarders.forEach(FramingChannel::close);
        assertThat(device.partialFpduBytes()).isZero();
        assertThat(device.maxPartialFpduBytes()).isEqualTo(1 << 20);
        assertThat(IwarpDevice.create().maxPartialFpduBytes()).isEqualTo(256 << 20);
        assertThatThrownBy(() -> IwarpDevice.builder().maxPartialFpduBytes((1 << 20) - 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxPartialFpduBytes");
    }

    @Test
    @Requirement("SEC-13")
    void hoardersEndWithTheirTimeoutAndOthersContinue() {
        IwarpDevice device = IwarpDevice.builder().maxPartialFpduBytes(1 << 20).build();
        List<FramingChannel> hoarders = hoard(device);
        FramingChannel honest = established(device);
        byte[] whole = fpdu(40_000);
        honest.receive(Arrays.copyOf(whole, 15_000));
        assertThat(honest.channel.config().isAutoRead()).isFalse();
        advance(honest, TIMEOUT.multipliedBy(3));
        assertThat(faults(honest)).as("its peer could not send").isEmpty();

        for (FramingChannel hoarder : hoarders) {
            advance(hoarder, TIMEOUT);
        }
        advance(honest, Duration.ZERO);
        assertThat(honest.channel.config().isAutoRead()).isTrue();
        advance(honest, TIMEOUT.minusMillis(1));
        honest.receive(Arrays.copyOfRange(whole, 15_000, whole.length));
        assertThat(honest.seen).last().isEqualTo(new byte[40_000]);
        assertThat(faults(honest)).isEmpty();
        assertThat(faults(hoarders.get(0))).containsExactly(ProtocolError.MPA_CONNECTION_LOST);
    }

    /** The wait begins one millisecond before the timeout of the FPDU. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5_000})
    @Requirement("SEC-13")
    void aWaitDoesNotTakeTheTimeOfAnFpduThatBeganBefore(int waitMillis) {
        IwarpDevice device = IwarpDevice.builder().maxPartialFpduBytes(1 << 20).build();
        FramingChannel oldest = established(device);
        oldest.receive(Arrays.copyOf(fpdu(LARGE), 1));
        FramingChannel honest = established(device);
        byte[] whole = fpdu(LARGE);
        honest.receive(Arrays.copyOf(whole, 1));
        List<FramingChannel> hoarders = hoard(device);
        advance(honest, TIMEOUT.minusMillis(1));
        honest.receive(Arrays.copyOfRange(whole, 1, 40_000));
        assertThat(honest.channel.config().isAutoRead()).isFalse();
        advance(honest, Duration.ofMillis(waitMillis));
        assertThat(faults(honest)).as("its peer could not send").isEmpty();

        hoarders.forEach(FramingChannel::close);
        advance(honest, Duration.ZERO);
        assertThat(honest.channel.config().isAutoRead()).isTrue();
        advance(honest, TIMEOUT.minusMillis(1));
        assertThat(faults(honest)).isEmpty();
        advance(honest, Duration.ofMillis(1));
        assertThat(faults(honest)).containsExactly(ProtocolError.MPA_CONNECTION_LOST);
    }

    @Test
    void aReadDuringTheWaitIsMadeUpFor() {
        IwarpDevice device = IwarpDevice.builder().maxPartialFpduBytes(1 << 20).build();
        List<FramingChannel> hoarders = hoard(device);
        FramingChannel manual = established(device);
        manual.channel.config().setAutoRead(false);
        List<Object> reads = new ArrayList<>();
        manual.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void read(ChannelHandlerContext ctx) {
                reads.add(ctx);
            }
        });
        manual.receive(Arrays.copyOf(fpdu(LARGE), 15_000));
        reads.clear();
        manual.channel.read();
        assertThat(reads).isEmpty();
        hoarders.forEach(FramingChannel::close);
        advance(manual, Duration.ZERO);
        assertThat(reads).hasSize(1);
        assertThat(manual.channel.config().isAutoRead()).isFalse();
    }

    /** Under TLS a read comes in pieces: those that were read already are kept. */
    @Test
    void piecesThatWereReadAlreadyAreKept() {
        IwarpDevice device = IwarpDevice.builder().maxPartialFpduBytes(1 << 20).build();
        List<FramingChannel> hoarders = hoard(device);
        FramingChannel honest = established(device);
        byte[] whole = fpdu(LARGE);
        long before = device.partialFpduBytes();
        for (int from = 0; from < 40_000; from += 10_000) {
            honest.receive(Arrays.copyOfRange(whole, from, from + 10_000));
            assertThat(device.partialFpduBytes() - before).isEqualTo(from + 10_000);
        }
        hoarders.forEach(FramingChannel::close);
        advance(honest, Duration.ZERO);
        honest.receive(Arrays.copyOfRange(whole, 40_000, whole.length));
        assertThat(honest.seen).last().isEqualTo(new byte[LARGE]);
        assertThat(device.partialFpduBytes()).isZero();
    }

    @Test
    void anFpduThatStopsInTheMiddleEndsTheStream() {
        FramingChannel end = established(IwarpDevice.create());
        end.receive(fpdu(8));
        end.receive(Arrays.copyOf(fpdu(LARGE), 20));
        advance(end, TIMEOUT.minusMillis(1));
        // More of it does not buy more time.
        end.receive(new byte[1]);
        assertThat(faults(end)).isEmpty();
        advance(end, Duration.ofMillis(1));
        assertThat(faults(end)).containsExactly(ProtocolError.MPA_CONNECTION_LOST);
        assertThat(end.seen).last().asString().contains("21 bytes of it have arrived");
    }

    @Test
    void fpdusThatGetOnHaveEachTheirTime() {
        FramingChannel end = established(IwarpDevice.create());
        byte[] bytes = fpdu(8);
        end.receive(Arrays.copyOf(bytes, 4));
        for (int i = 0; i < 5; i++) {
            advance(end, TIMEOUT.minusMillis(1));
            end.receive(Arrays.copyOfRange(bytes, 4, bytes.length));
            end.receive(Arrays.copyOf(bytes, 4));
        }
        assertThat(faults(end)).isEmpty();
        end.receive(Arrays.copyOfRange(bytes, 4, bytes.length));
        advance(end, TIMEOUT.multipliedBy(2));
        assertThat(faults(end)).isEmpty();
        assertThat(end.channel.hasPendingTasks()).isFalse();
    }

    @Test
    void aStreamThatDoesNotReadLosesNoTime() {
        FramingChannel end = established(IwarpDevice.create());
        end.onUlpdu = (buffer, index, length) -> false;
        byte[] bytes = fpdu(8);
        byte[] oneAndAHalf = Arrays.copyOf(bytes, bytes.length + 4);
        System.arraycopy(bytes, 0, oneAndAHalf, bytes.length, 4);
        end.receive(Arrays.copyOf(bytes, 4));
        end.receive(Arrays.copyOfRange(bytes, 4, bytes.length));
        for (int i = 0; i < 5; i++) {
            advance(end, TIMEOUT);
        }
        end.onUlpdu = (buffer, index, length) -> true;
        end.channel.read();
        end.receive(Arrays.copyOf(bytes, 4));
        advance(end, TIMEOUT.minusMillis(1));
        assertThat(faults(end)).isEmpty();
        end.receive(Arrays.copyOfRange(bytes, 4, bytes.length));
        advance(end, TIMEOUT.multipliedBy(2));
        assertThat(faults(end)).isEmpty();
    }

    /** Half of the FPDU arrives before the end of the stall, and nothing after it. */
    @Test
    void partialFpduAfterAStallEndsTheStream() {
        FramingChannel end = established(IwarpDevice.create());
        end.onUlpdu = (buffer, index, length) -> false;
        byte[] bytes = fpdu(8);
        byte[] oneAndAHalf = Arrays.copyOf(bytes, bytes.length + 4);
        System.arraycopy(bytes, 0, oneAndAHalf, bytes.length, 4);
        end.receive(oneAndAHalf);
        advance(end, TIMEOUT.multipliedBy(3));
        end.onUlpdu = (buffer, index, length) -> true;
        end.channel.read();
        advance(end, TIMEOUT.minusMillis(1));
        assertThat(faults(end)).isEmpty();
        advance(end, Duration.ofMillis(1));
        assertThat(faults(end)).containsExactly(ProtocolError.MPA_CONNECTION_LOST);
    }

    @Test
    void noTimerIsLeftWhenTheConnectionEndsInsideAnFpdu() {
        FramingChannel end = established(IwarpDevice.create());
        end.receive(Arrays.copyOf(fpdu(8), 4));
        assertThat(end.timersLeft()).isTrue();
        end.closeFromWithin();
        assertThat(end.timersLeft()).isFalse();
    }

    @Test
    void theTimeoutHasItsRange() {
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofHours(25), Duration.ofMillis(-1))) {
            assertThatThrownBy(() -> MpaSettings.builder().fpduTimeout(wrong).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("fpduTimeout");
        }
    }
}
