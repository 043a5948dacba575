package io.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.memory.IwarpDevice;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** FPDUs whose rest does not come: what they cost, all together as well, and for how long. */
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

    /** An FPDU without a CRC whose ULPDU has so many bytes. */
    private static byte[] fpdu(int ulpdu) {
        byte[] bytes = new byte[FpduLayout.fpduLength(ulpdu)];
        Unpooled.wrappedBuffer(bytes).setShort(0, ulpdu);
        return bytes;
    }

    private static void advance(FramingChannel end, Duration time) {
        end.channel.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
        end.channel.runScheduledPendingTasks();
    }

    private static List<ProtocolError> faults(FramingChannel end) {
        return end.seen.stream()
                .filter(MpaEvent.Fault.class::isInstance)
                .map(event -> ((MpaEvent.Fault) event).fault().error())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 20, 64, 1_000, 20_000})
    void anFpduCostsNoMoreThanFourTimesWhatHasComeOfIt(int come) {
        IwarpDevice device = IwarpDevice.create();
        FramingChannel end = established(device);
        byte[] bytes = fpdu(LARGE);

        end.receive(Arrays.copyOf(bytes, come));

        assertThat(device.partialFpduBytes())
                .isBetween((long) come, (long) Math.max(PartialFpdu.SMALLEST_CAPACITY, PartialFpdu.GROWTH * come));
        end.receive(Arrays.copyOfRange(bytes, come, bytes.length));
        assertThat(device.partialFpduBytes()).isZero();
        assertThat(end.seen).last().isEqualTo(new byte[LARGE]);
    }

    /** It is the buffer that must be small, not only the account. */
    @Test
    void theBufferGrowsWithWhatArrives() {
        PartialFpdu partial = new PartialFpdu(ByteBufAllocator.DEFAULT, null);
        byte[] bytes = fpdu(LARGE);
        int index = 0;
        for (int come : new int[] {20, 300, 5_000, bytes.length}) {
            index = partial.fill(Unpooled.wrappedBuffer(bytes), index, come, bytes.length);
            assertThat(index).isEqualTo(come);
            assertThat(partial.peek().capacity()).isBetween(come, Math.max(256, 4 * come));
        }
        partial.release();
    }

    @Test
    void theStreamsOfADeviceHoldNoMoreThanItsLimitTogether() {
        IwarpDevice device =
                IwarpDevice.builder().maximumPartialFpduBytes(100_000).build();
        FramingChannel first = established(device);
        FramingChannel second = established(device);
        first.receive(Arrays.copyOf(fpdu(LARGE), 60_000));
        assertThat(device.partialFpduBytes()).isEqualTo(FpduLayout.fpduLength(LARGE));

        second.receive(Arrays.copyOf(fpdu(LARGE), 60_000));

        assertThat(faults(second)).containsExactly(ProtocolError.DDP_LOCAL_CATASTROPHIC);
        assertThat(faults(first)).isEmpty();
        first.close();
        assertThat(device.partialFpduBytes()).isZero();
        assertThatThrownBy(() -> IwarpDevice.builder().maximumPartialFpduBytes(65_791))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maximumPartialFpduBytes");
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
        assertThat(end.seen).last().asString().contains("21 bytes of it had come");
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
        end.onUlpdu = (ctx, ulpdu) -> ulpdu.stall();
        byte[] bytes = fpdu(8);
        byte[] oneAndAHalf = Arrays.copyOf(bytes, bytes.length + 4);
        System.arraycopy(bytes, 0, oneAndAHalf, bytes.length, 4);
        end.receive(Arrays.copyOf(bytes, 4));
        end.receive(Arrays.copyOfRange(bytes, 4, bytes.length));
        for (int i = 0; i < 5; i++) {
            advance(end, TIMEOUT);
        }
        end.onUlpdu = (ctx, ulpdu) -> {};
        end.channel.read();
        end.receive(Arrays.copyOf(bytes, 4));
        advance(end, TIMEOUT.minusMillis(1));
        assertThat(faults(end)).isEmpty();
        end.receive(Arrays.copyOfRange(bytes, 4, bytes.length));
        advance(end, TIMEOUT.multipliedBy(2));
        assertThat(faults(end)).isEmpty();
    }

    /** The half came before the stall was over, and nothing comes after it. */
    @Test
    void anFpduThatStopsBehindAStallEndsTheStream() {
        FramingChannel end = established(IwarpDevice.create());
        end.onUlpdu = (ctx, ulpdu) -> ulpdu.stall();
        byte[] bytes = fpdu(8);
        byte[] oneAndAHalf = Arrays.copyOf(bytes, bytes.length + 4);
        System.arraycopy(bytes, 0, oneAndAHalf, bytes.length, 4);
        end.receive(oneAndAHalf);
        advance(end, TIMEOUT.multipliedBy(3));
        end.onUlpdu = (ctx, ulpdu) -> {};
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
        for (Duration wrong : List.of(Duration.ofNanos(1), Duration.ofHours(25), Duration.ofMillis(-1))) {
            assertThatThrownBy(() -> MpaSettings.builder().fpduTimeout(wrong).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("fpduTimeout");
        }
        assertThat(MpaSettings.builder().fpduTimeout(Duration.ZERO).build().fpduTimeout())
                .isZero();
    }
}
