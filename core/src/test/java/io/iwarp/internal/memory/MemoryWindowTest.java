package io.iwarp.internal.memory;

import static io.iwarp.internal.memory.AccessVerdict.BOUNDS;
import static io.iwarp.internal.memory.AccessVerdict.GRANTED;
import static io.iwarp.internal.memory.AccessVerdict.NOT_ASSOCIATED;
import static io.iwarp.internal.memory.AccessVerdict.NO_RIGHT;
import static io.iwarp.memory.AccessRight.REMOTE_READ;
import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.internal.Settings;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.memory.ResourceLimitException;
import io.iwarp.memory.WindowBuilder;
import io.iwarp.testing.Effort;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MemoryWindowTest {
    private final IwarpDevice device = IwarpDevice.builder().maxWindows(2).build();
    private final ProtectionDomain domain = device.createProtectionDomain();
    private final StreamAssociation stream = StreamAssociation.open(domain);
    private final StreamAssociation other = StreamAssociation.open(domain);
    private final ByteBuf memory = Unpooled.directBuffer(64, 64).writeZero(64);
    private final MemoryRegion region = domain.register(memory);

    @AfterEach
    void release() {
        region.close();
        stream.close();
        other.close();
        domain.close();
        assertThat(device.windowCount()).isZero();
        memory.release();
    }

    @Test
    @Requirement("SEC-5")
    void showsItsPartOfTheRegionUnderAnStagAndRightsOfItsOwn() {
        MemoryWindow window = stream.window(region, 16, 8)
                .baseTaggedOffset(1000)
                .rights(REMOTE_WRITE)
                .bind();
        assertThat(window.stag()).isNotEqualTo(region.stag());
        assertThat(window.remoteBuffer()).isEqualTo(new RemoteBuffer(window.stag(), 1000, 8));
        TaggedBuffer tagged = stream.lookup(window.stag());
        assertThat(tagged.check(stream, REMOTE_WRITE, 1000, 8)).isEqualTo(GRANTED);
        assertThat(tagged.check(stream, REMOTE_WRITE, 999, 1)).isEqualTo(BOUNDS);
        assertThat(tagged.check(stream, REMOTE_WRITE, 1000, 9)).isEqualTo(BOUNDS);
        assertThat(tagged.check(stream, REMOTE_READ, 1000, 8)).isEqualTo(NO_RIGHT);
        assertThat(tagged.check(other, REMOTE_WRITE, 1000, 8)).isEqualTo(NOT_ASSOCIATED);
        ByteBuf bytes = Unpooled.wrappedBuffer(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
        assertThat(tagged.place(1000, bytes, 0, 8)).isTrue();
        assertThat(memory.getLong(16)).isEqualTo(0x0102030405060708L);
        assertThat(memory.getLong(8)).isZero();
        assertThat(memory.getLong(24)).isZero();
        ByteBuf fetched = Unpooled.buffer(8);
        assertThat(tagged.fetch(1004, fetched, 0, 4)).isTrue();
        assertThat(fetched.getInt(0)).isEqualTo(0x05060708);
    }

    @Test
    @Requirement({"SEC-7", "RDMAP-39"})
    void onlyThePeerOfItsStreamInvalidatesIt() {
        MemoryWindow own = stream.window(region, 0, 8).bind();
        MemoryWindow shared = region.window(0, 8).bind();
        assertThat(other.invalidate(own.stag())).isEqualTo(InvalidationVerdict.NOT_PERMITTED);
        assertThat(stream.invalidate(shared.stag())).isEqualTo(InvalidationVerdict.NOT_PERMITTED);
        assertThat(stream.invalidate(region.stag())).isEqualTo(InvalidationVerdict.NOT_PERMITTED);
        assertThat(own.isValid()).isTrue();
        assertThat(stream.invalidate(own.stag())).isEqualTo(InvalidationVerdict.INVALIDATED);
        assertThat(own.isValid()).isFalse();
        assertThat(stream.lookup(own.stag())).isNull();
        assertThat(stream.invalidate(own.stag())).isEqualTo(InvalidationVerdict.UNKNOWN);
        assertThatThrownBy(own::remoteBuffer).hasMessageContaining("invalidated");
        assertThat(region.isValid()).isTrue();
    }

    @Test
    void endsWithItsRegionItsStreamAndTheLimit() {
        MemoryWindow ofStream = other.window(region, 0, 8).bind();
        MemoryWindow ofDomain = region.window(8, 56).bind();
        assertThatThrownBy(() -> region.window(0, 1).bind())
                .isInstanceOf(ResourceLimitException.class)
                .hasMessageContaining("maxWindows");
        other.close();
        assertThat(ofStream.isValid()).isFalse();
        assertThat(ofDomain.isValid()).isTrue();
        assertThatThrownBy(() -> other.window(region, 0, 8).bind())
                .isInstanceOf(RegionClosedException.class)
                .hasMessageContaining("stream was closed");
        region.invalidate();
        assertThat(ofDomain.isValid()).isFalse();
        assertThatThrownBy(() -> region.window(0, 8).bind()).hasMessageContaining("invalidated");
    }

    @Test
    void liesWithinItsRegionAndBelowTheEndOfTaggedOffsets() {
        assertThatThrownBy(() -> region.window(0, 65)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> region.window(64, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> region.window(0, 8).baseTaggedOffset(-7).bind())
                .isInstanceOf(IllegalArgumentException.class);
        region.window(0, 8).baseTaggedOffset(-8).bind().close();
    }

    @Test
    @Requirement("SEC-7")
    void aRegionOfOneStreamHasWindowsOfThatStreamOnly() {
        MemoryRegion own = stream.region().buffers(memory).register();
        MemoryWindow window = own.window(0, 8).bind();
        assertThat(stream.lookup(window.stag()).isStreamScoped()).isTrue();
        assertThat(other.invalidate(window.stag())).isEqualTo(InvalidationVerdict.NOT_PERMITTED);
        assertThatThrownBy(() -> other.window(own, 0, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bind the window in a region of all streams");
        assertThat(stream.window(own, 0, 8).bind().isValid()).isTrue();
        assertThat(stream.invalidate(own.stag())).isEqualTo(InvalidationVerdict.INVALIDATED);
        assertThat(window.isValid()).isFalse();
        assertThat(device.windowCount()).isZero();
        own.close();
    }

    @Test
    void aStreamOfAnotherDomainIsRefused() {
        ProtectionDomain foreign = device.createProtectionDomain();
        try (StreamAssociation stranger = StreamAssociation.open(foreign)) {
            assertThatThrownBy(() -> stranger.window(region, 0, 8))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("different protection domains");
        }
        foreign.close();
    }

    @Test
    @Requirement({"SEC-5", "SEC-8"})
    void everyBindDrawsAnStagThatDiesWithItsWindow() {
        WindowBuilder builder = region.window(8, 8).rights(REMOTE_WRITE);
        Set<Integer> stags = new HashSet<>(Set.of(region.stag()));
        ByteBuf bytes = Unpooled.wrappedBuffer(new byte[8]);
        for (int i = 0; i < 1000; i++) {
            MemoryWindow window = builder.bind();
            assertThat(stags.add(window.stag())).isTrue();
            TaggedBuffer tagged = stream.lookup(window.stag());
            window.close();
            window.invalidate();
            assertThat(tagged.place(0, bytes, 0, 8)).isFalse();
            assertThat(stream.lookup(window.stag())).isNull();
            assertThat(device.windowCount()).isZero();
        }
        assertThat(region.isValid()).isTrue();
    }

    @Test
    @Requirement({"SEC-4", "SEC-5"})
    void overlappingWindowsKeepTheirOwnRights() {
        ByteBuf second = Unpooled.directBuffer(64, 64).writeZero(64);
        MemoryRegion pieces = domain.region().buffers(memory, second).register();
        MemoryWindow writable =
                pieces.window(56, 16).rights(REMOTE_WRITE).baseTaggedOffset(-16).bind();
        MemoryWindow readable =
                pieces.window(60, 8).rights(REMOTE_READ).baseTaggedOffset(7).bind();
        TaggedBuffer write = stream.lookup(writable.stag());
        TaggedBuffer read = stream.lookup(readable.stag());
        assertThat(write.check(stream, REMOTE_WRITE, -16, 16)).isEqualTo(GRANTED);
        assertThat(write.check(stream, REMOTE_READ, -16, 16)).isEqualTo(NO_RIGHT);
        assertThat(write.check(stream, REMOTE_WRITE, -17, 1)).isEqualTo(BOUNDS);
        assertThat(read.check(stream, REMOTE_READ, 7, 9)).isEqualTo(BOUNDS);
        byte[] sent = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
        assertThat(write.place(-16, Unpooled.wrappedBuffer(sent), 0, 16)).isTrue();
        assertThat(memory.toString(56, 8, StandardCharsets.US_ASCII)).isEqualTo("01234567");
        assertThat(second.toString(0, 8, StandardCharsets.US_ASCII)).isEqualTo("89abcdef");
        assertThat(memory.getByte(55)).isZero();
        assertThat(second.getByte(8)).isZero();
        ByteBuf fetched = Unpooled.buffer(10, 10).writeZero(10);
        assertThat(read.fetch(7, fetched, 1, 8)).isTrue();
        assertThat(fetched.toString(1, 8, StandardCharsets.US_ASCII)).isEqualTo("456789ab");
        assertThat(fetched.getByte(0)).isZero();
        assertThat(fetched.getByte(9)).isZero();
        assertThatThrownBy(() -> read.fetch(6, fetched, 0, 8)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> read.fetch(8, fetched, 0, 8)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> read.fetch(8, fetched, 0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        writable.close();
        assertThat(read.fetch(7, fetched, 0, 8)).isTrue();
        pieces.close();
        assertThat(read.fetch(7, fetched, 0, 8)).isFalse();
        assertThat(second.refCnt()).isOne();
        second.release();
    }

    @Test
    @Requirement("SEC-6")
    void invalidationEndsWindowsThatAreBeingBound() throws Exception {
        ExecutorService binder = Executors.newSingleThreadExecutor();
        for (int round = 0; round < Effort.rounds(150); round++) {
            AtomicInteger drawn = new AtomicInteger();
            DefaultIwarpDevice counting = new DefaultIwarpDevice(Settings.DEFAULT, new CountingRandom(drawn));
            ProtectionDomain pd = counting.createProtectionDomain();
            MemoryRegion target = pd.register(memory);
            WindowBuilder builder = target.window(0, 8);
            Future<?> binding = binder.submit(() -> {
                while (target.isValid()) {
                    bindIfValid(builder);
                }
            });
            while (drawn.get() < 2 + round % 50) {
                Thread.onSpinWait();
            }
            target.invalidate();
            for (int stag = 1; stag <= drawn.get(); stag++) {
                assertThat(counting.stags().find(stag))
                        .as("STag %d in round %d", stag, round)
                        .isNull();
            }
            binding.get();
            assertThat(counting.windowCount()).isZero();
            target.close();
            pd.close();
        }
        binder.shutdown();
    }

    private static void bindIfValid(WindowBuilder builder) {
        try {
            builder.bind();
        } catch (RegionClosedException e) {
            assertThat(e).hasMessageContaining("invalidated");
        }
    }

    /** Draws 1, 2, 3 and so on, so that a test can look for every STag there is. */
    private static final class CountingRandom extends Random {
        private static final long serialVersionUID = 1;
        private final AtomicInteger drawn;

        CountingRandom(AtomicInteger drawn) {
            this.drawn = drawn;
        }

        @Override
        public int nextInt() {
            return drawn.incrementAndGet();
        }
    }

    @Test
    @Requirement({"SEC-13", "SEC-17"})
    void theNumberOfWindowsIsLimitedAndGivenBack() {
        assertThat(device.maxWindows()).isEqualTo(2);
        assertThat(IwarpDevice.create().maxWindows()).isEqualTo(1_048_576);
        assertThatThrownBy(() -> IwarpDevice.builder().maxWindows(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(": 0 (expected: at least 1)");
        MemoryWindow first = region.window(0, 1).bind();
        region.window(0, 1).bind();
        assertThat(device.windowCount()).isEqualTo(2);
        assertThatThrownBy(() -> region.window(0, 1).bind()).isInstanceOf(ResourceLimitException.class);
        first.close();
        first.close();
        assertThat(device.windowCount()).isOne();
        region.window(0, 1).bind();
        region.invalidate();
        assertThatThrownBy(() -> region.window(0, 1).bind()).isInstanceOf(RegionClosedException.class);
        assertThat(device.windowCount()).as("a bind that failed counts nothing").isZero();
    }

    @Test
    void anInvalidatedWindowIsHeldByNeitherItsRegionNorItsStream() {
        MemoryWindow window = stream.window(region, 0, 8).bind();
        assertThat(((DefaultMemoryRegion) region).boundWindows()).containsExactly((DefaultMemoryWindow) window);
        assertThat(stream.holderCount()).isOne();

        window.invalidate();

        assertThat(((DefaultMemoryRegion) region).boundWindows()).isEmpty();
        assertThat(stream.holderCount()).isZero();
    }

    /** The region's owner takes it back while another thread is between the two steps of binding a window. */
    @Test
    void streamDropsWindowOfRegionInvalidatedDuringBind() {
        ((DefaultIwarpDevice) device).windowQuota().reserve(0);
        DefaultMemoryWindow window = ((DefaultMemoryRegion) region).bind(stream, AccessRights.of(), 0, 0, 8);
        region.invalidate();
        assertThat(window.tieToStream()).isTrue();
        assertThat(stream.holderCount()).isZero();
        assertThat(device.windowCount()).isZero();
    }
}
