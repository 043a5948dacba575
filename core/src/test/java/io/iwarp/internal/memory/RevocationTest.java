package io.iwarp.internal.memory;

import static io.iwarp.internal.memory.AccessVerdict.GRANTED;
import static io.iwarp.internal.memory.AccessVerdict.INVALID_STAG;
import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RevocationTest {
    private final ByteBuf memory = PooledByteBufAllocator.DEFAULT.directBuffer(8, 8);
    private final ByteBuf payload = Unpooled.wrappedBuffer(new byte[] {1, 2, 3, 4});
    private final ProtectionDomain domain = ProtectionDomain.create();
    private StreamAssociation stream;
    private MemoryRegion region;
    private TaggedBuffer tagged;

    @BeforeEach
    void register() {
        memory.setZero(0, 8);
        stream = StreamAssociation.open(domain);
        region = domain.region()
                .buffers(memory)
                .baseTaggedOffset(100)
                .rights(REMOTE_WRITE)
                .register();
        tagged = stream.lookup(region.stag());
    }

    @AfterEach
    void close() {
        region.close();
        stream.close();
        domain.close();
        payload.release();
        assertThat(memory.refCnt()).isOne();
        memory.release();
    }

    private String bytes() {
        return ByteBufUtil.hexDump(memory, 0, 8);
    }

    @Test
    @Requirement("SEC-4")
    void placementPutsThePayloadAtItsTaggedOffsetAndNowhereElse() {
        assertThat(tagged.check(stream, REMOTE_WRITE, 103, 2)).isEqualTo(GRANTED);
        assertThat(tagged.place(103, payload, 1, 2)).isTrue();

        assertThat(bytes()).isEqualTo("0000000203000000");
        assertThat(payload.readableBytes()).isEqualTo(4);
        assertThat(payload.refCnt()).isOne();
    }

    @Test
    @Requirement({"SEC-4", "SEC-24"})
    void placementOutsideTheRegionIsRefusedEvenWithoutACheck() {
        for (long taggedOffset : new long[] {0, 99, 105, 108, -1}) {
            assertThatThrownBy(() -> tagged.place(taggedOffset, payload, 0, 4))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContaining("is not within STag 0x");
        }
        assertThatThrownBy(() -> tagged.place(100, payload, 0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(bytes()).isEqualTo("0000000000000000");
    }

    @Test
    @Requirement({"SEC-5", "SEC-6", "DDP-74"})
    void afterInvalidateTheStagIsUnknownAndNothingIsPlaced() {
        region.invalidate();

        assertThat(stream.lookup(region.stag())).isNull();
        assertThat(tagged.check(stream, REMOTE_WRITE, 100, 1)).isEqualTo(INVALID_STAG);
        assertThat(tagged.place(100, payload, 0, 4)).isFalse();
        assertThat(bytes()).isEqualTo("0000000000000000");
        assertThat(region.isValid()).isFalse();
    }

    @Test
    void anInvalidatedRegionStillHasItsMemoryForLocalUse() {
        region.invalidate();
        region.invalidate();

        region.setBytes(0, payload.slice(0, 4));
        assertThat(bytes()).isEqualTo("0102030400000000");
        assertThat(memory.refCnt()).isEqualTo(2);
        assertThatExceptionOfType(RegionClosedException.class)
                .isThrownBy(region::remoteBuffer)
                .withMessageMatching("region STag 0x[0-9a-f]{8} was invalidated; .*");
        assertThat(region).asString().endsWith("[REMOTE_WRITE], invalidated]");
    }

    @Test
    @Requirement({"SEC-5", "SEC-6", "DDP-74"})
    void afterCloseNothingIsPlacedAndUseIsAnError() {
        ByteSpan receiveBuffer = new ByteSpan();
        receiveBuffer.cover(region.slice(0, region.length()));
        region.close();

        assertThat(stream.lookup(region.stag())).isNull();
        assertThat(tagged.place(100, payload, 0, 4)).isFalse();
        assertThatIllegalStateException().isThrownBy(() -> receiveBuffer.put(0, payload, 0, 4));
        assertThat(bytes()).isEqualTo("0000000000000000");
        assertThatExceptionOfType(RegionClosedException.class)
                .isThrownBy(region::remoteBuffer)
                .withMessageMatching("region STag 0x[0-9a-f]{8} was closed; .*");
        assertThatExceptionOfType(RegionClosedException.class)
                .isThrownBy(() -> region.view(0, 1))
                .withMessageContaining("was closed");
        assertThat(region).asString().endsWith("[REMOTE_WRITE], closed]");
    }

    /** Otherwise its caller would read bytes that still change. */
    @Test
    void whoClosesSecondWaitsForTheSameChange() throws Exception {
        RegionMemory bytes = ((DefaultMemoryRegion) region).memory();
        AtomicBoolean changing = new AtomicBoolean(true);
        assertThat(bytes.enter()).isTrue();
        FutureTask<Boolean> first = new FutureTask<>(() -> closedDuring(changing));
        new Thread(first, "closes first").start();
        while (bytes.enter()) {
            bytes.leave();
        }
        FutureTask<Boolean> second = new FutureTask<>(() -> closedDuring(changing));
        Thread secondThread = new Thread(second, "closes");
        secondThread.start();
        GateTest.awaitSpinning(secondThread);
        changing.set(false);
        bytes.leave();
        assertThat(first.get()).as("closed during the change").isFalse();
        assertThat(second.get()).as("closed during the change").isFalse();
    }

    private boolean closedDuring(AtomicBoolean changing) {
        region.close();
        return changing.get();
    }

    @Test
    void theMemoryCanBeRegisteredAgainUnderAnotherStag() {
        region.close();
        try (MemoryRegion again = domain.register(memory, REMOTE_WRITE)) {
            assertThat(again.stag()).isNotEqualTo(region.stag());
            assertThat(stream.lookup(again.stag()).place(0, payload, 0, 4)).isTrue();
        }
        assertThat(bytes()).isEqualTo("0102030400000000");
    }

    @Test
    void revokingOneRegionLeavesAnotherOverTheSameMemoryAlone() {
        try (MemoryRegion other = domain.register(memory, REMOTE_WRITE)) {
            region.invalidate();
            assertThat(stream.lookup(other.stag()).place(4, payload, 0, 4)).isTrue();
        }
        assertThat(bytes()).isEqualTo("0000000001020304");
    }

    @Test
    void textShowsStagAndRangeButNoBytes() {
        assertThat(tagged.toString())
                .isEqualTo(String.format("STag 0x%08x, 8 bytes from tagged offset 100, [REMOTE_WRITE]", tagged.stag()));
        assertThat(tagged.baseTaggedOffset()).isEqualTo(100);
        assertThat(tagged.length()).isEqualTo(8);
    }
}
