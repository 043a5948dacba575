package io.iwarp.internal.memory;

import static io.iwarp.internal.memory.AccessVerdict.BOUNDS;
import static io.iwarp.internal.memory.AccessVerdict.GRANTED;
import static io.iwarp.internal.memory.AccessVerdict.INVALID_STAG;
import static io.iwarp.internal.memory.AccessVerdict.NOT_ASSOCIATED;
import static io.iwarp.internal.memory.AccessVerdict.NO_RIGHT;
import static io.iwarp.internal.memory.AccessVerdict.WRAP;
import static io.iwarp.memory.AccessRight.LOCAL_WRITE;
import static io.iwarp.memory.AccessRight.REMOTE_ATOMIC;
import static io.iwarp.memory.AccessRight.REMOTE_READ;
import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.math.BigInteger;
import java.util.Collections;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AccessCheckTest {
    private static final long LENGTH = 1000;
    private static final BigInteger TWO_TO_64 = BigInteger.ONE.shiftLeft(64);

    private final ByteBuf memory = PooledByteBufAllocator.DEFAULT.directBuffer((int) LENGTH, (int) LENGTH);
    private final IwarpDevice device = IwarpDevice.create();
    private final ProtectionDomain domain = device.createProtectionDomain();
    private StreamAssociation stream;

    @BeforeEach
    void openStream() {
        stream = StreamAssociation.open(domain);
    }

    @AfterEach
    void closeAll() {
        stream.close();
        domain.close();
        assertThat(memory.refCnt()).isOne();
        memory.release();
    }

    private static AccessVerdict check(StreamAssociation stream, MemoryRegion region, long taggedOffset, long length) {
        TaggedBuffer found = stream.lookup(region.stag());
        return found == null ? INVALID_STAG : found.check(stream, REMOTE_WRITE, taggedOffset, length);
    }

    @Test
    @Requirement({"DDP-59", "SEC-1", "DDP-71"})
    void aStreamOfAnotherDomainIsNotAssociated() {
        ProtectionDomain otherDomain = device.createProtectionDomain();
        StreamAssociation stranger = StreamAssociation.open(otherDomain);
        try (MemoryRegion region = domain.register(memory, REMOTE_WRITE)) {
            assertThat(check(stream, region, 0, LENGTH)).isEqualTo(GRANTED);
            assertThat(check(stranger, region, 0, LENGTH)).isEqualTo(NOT_ASSOCIATED);
        }
        stranger.close();
        otherDomain.close();
    }

    @Test
    @Requirement({"DDP-59", "SEC-1", "SEC-14"})
    void anStagOfAnotherDeviceIsUnknown() {
        ProtectionDomain otherDomain = ProtectionDomain.create();
        StreamAssociation stranger = StreamAssociation.open(otherDomain);
        try (MemoryRegion region = domain.register(memory, REMOTE_WRITE)) {
            assertThat(stranger.lookup(region.stag())).isNull();
        }
        stranger.close();
        otherDomain.close();
    }

    @Test
    @Requirement({"DDP-70", "DDP-72", "DDP-73", "DDP-74", "SEC-2", "SEC-3"})
    void anStagOfOneStreamWorksOnNoOtherStreamOfTheDomain() {
        StreamAssociation sibling = StreamAssociation.open(domain);
        try (MemoryRegion region =
                stream.region().buffers(memory).rights(REMOTE_WRITE).register()) {
            assertThat(check(stream, region, 0, 1)).isEqualTo(GRANTED);
            assertThat(check(sibling, region, 0, 1)).isEqualTo(NOT_ASSOCIATED);
            assertThat(stream.lookup(region.stag()).isStreamScoped()).isTrue();
        }
        sibling.close();
    }

    @Test
    @Requirement({"DDP-70", "DDP-73"})
    void anStagOfTheDomainWorksOnAllItsStreams() {
        StreamAssociation sibling = StreamAssociation.open(domain);
        try (MemoryRegion region = domain.register(memory, REMOTE_WRITE)) {
            assertThat(check(stream, region, 0, 1)).isEqualTo(GRANTED);
            assertThat(check(sibling, region, 0, 1)).isEqualTo(GRANTED);
            assertThat(stream.lookup(region.stag()).isStreamScoped()).isFalse();
        }
        sibling.close();
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DDP-60", "SEC-5"})
    void exactlyTheRightsThatWereNamedAreGranted(AccessRight named) {
        try (MemoryRegion region = domain.register(memory, named)) {
            TaggedBuffer tagged = stream.lookup(region.stag());
            for (AccessRight asked : AccessRight.values()) {
                assertThat(tagged.check(stream, asked, 0, 1)).isEqualTo(asked == named ? GRANTED : NO_RIGHT);
            }
            assertThat(region.rights()).containsExactly(named);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"SEC-19", "DDP-60"})
    void noRightIsGrantedByDefault(AccessRight asked) {
        try (MemoryRegion region = domain.register(memory)) {
            assertThat(stream.lookup(region.stag()).check(stream, asked, 0, 1)).isEqualTo(NO_RIGHT);
            assertThat(region.rights()).isEmpty();
        }
    }

    @Test
    @Requirement({"DDP-61", "DDP-62", "SEC-4"})
    void boundsAreExactToTheByte() {
        long base = 0x1_0000_0000L;
        try (MemoryRegion region = domain.region()
                .buffers(memory)
                .baseTaggedOffset(base)
                .rights(REMOTE_WRITE)
                .register()) {
            assertThat(check(stream, region, base, LENGTH)).isEqualTo(GRANTED);
            assertThat(check(stream, region, base + LENGTH - 1, 1)).isEqualTo(GRANTED);
            assertThat(check(stream, region, base - 1, 1)).isEqualTo(BOUNDS);
            assertThat(check(stream, region, base, LENGTH + 1)).isEqualTo(BOUNDS);
            assertThat(check(stream, region, base + LENGTH - 1, 2)).isEqualTo(BOUNDS);
            assertThat(check(stream, region, base + LENGTH, 1)).isEqualTo(BOUNDS);
            assertThat(check(stream, region, 0, 1)).isEqualTo(BOUNDS);
            assertThat(check(stream, region, 0, -1)).isEqualTo(BOUNDS);
        }
    }

    @Test
    @Requirement({"DDP-63", "SEC-4"})
    void wrapIsDistinguishedFromOutOfBounds() {
        try (MemoryRegion region = domain.register(memory, REMOTE_WRITE)) {
            assertThat(check(stream, region, -1, 2)).isEqualTo(WRAP);
            assertThat(check(stream, region, 1, -1)).isEqualTo(BOUNDS);
            assertThat(check(stream, region, 2, -1)).isEqualTo(WRAP);
            assertThat(check(stream, region, -1, 1)).isEqualTo(BOUNDS);
        }
    }

    @Test
    @Requirement({"DDP-61", "DDP-62", "DDP-63"})
    void aRegionMayEndAtTwoToThe64() {
        try (MemoryRegion region = domain.region()
                .buffers(memory)
                .baseTaggedOffset(-LENGTH)
                .rights(REMOTE_WRITE)
                .register()) {
            assertThat(check(stream, region, -LENGTH, LENGTH)).isEqualTo(GRANTED);
            assertThat(check(stream, region, -1, 1)).isEqualTo(GRANTED);
            assertThat(check(stream, region, -1, 2)).isEqualTo(WRAP);
            assertThat(check(stream, region, -LENGTH - 1, 1)).isEqualTo(BOUNDS);
            assertThat(check(stream, region, 0, 0)).isEqualTo(BOUNDS);
        }
    }

    @Test
    @Requirement({"DDP-59", "DDP-60", "DDP-63"})
    void theFirstCheckThatFailsIsTheVerdict() {
        ProtectionDomain otherDomain = device.createProtectionDomain();
        StreamAssociation stranger = StreamAssociation.open(otherDomain);
        MemoryRegion region = domain.register(memory, REMOTE_WRITE);
        TaggedBuffer tagged = stream.lookup(region.stag());

        assertThat(tagged.check(stranger, REMOTE_READ, -1, 2)).isEqualTo(NOT_ASSOCIATED);
        assertThat(tagged.check(stream, REMOTE_READ, -1, 2)).isEqualTo(NO_RIGHT);
        assertThat(tagged.check(stream, REMOTE_WRITE, -1, 2)).isEqualTo(WRAP);
        assertThat(tagged.check(stream, REMOTE_WRITE, LENGTH, 1)).isEqualTo(BOUNDS);
        region.close();
        assertThat(tagged.check(stranger, REMOTE_READ, -1, 2)).isEqualTo(INVALID_STAG);

        stranger.close();
        otherDomain.close();
    }

    @Test
    @Requirement({"DDP-61", "DDP-62", "DDP-63", "SEC-4"})
    void verdictsAgreeWithExactArithmetic() {
        Seeds.forEach(500, (seed, random) -> {
            int pieces = random.nextBoolean() ? 1 : 1 + random.nextInt(5);
            long length = pieces * LENGTH;
            long base = random.nextInt(4) == 0 ? -length : interesting(random, 0, length);
            if (base != 0 && Long.compareUnsigned(length, -base) > 0) {
                base = -length;
            }
            try (MemoryRegion region = domain.region()
                    .buffers(Collections.nCopies(pieces, memory))
                    .baseTaggedOffset(base)
                    .rights(REMOTE_WRITE, REMOTE_ATOMIC, LOCAL_WRITE)
                    .register()) {
                for (int i = 0; i < 200; i++) {
                    long taggedOffset = interesting(random, base, length);
                    long count = interesting(random, random.nextBoolean() ? 0 : base + length - taggedOffset, length);
                    assertThat(check(stream, region, taggedOffset, count))
                            .as("base %x, length %x, offset %x, count %x", base, length, taggedOffset, count)
                            .isEqualTo(exactVerdict(base, length, taggedOffset, count));
                }
            }
        });
    }

    /** A value at or near an edge of the range, of 2^63 or of 2^64, or any value. */
    private static long interesting(Random random, long base, long length) {
        long near = random.nextInt(5) - 2L;
        return switch (random.nextInt(7)) {
            case 0 -> base + near;
            case 1 -> base + length + near;
            case 2 -> near;
            case 3 -> Long.MIN_VALUE + near;
            case 4 -> random.nextLong();
            case 5 -> base + random.nextInt((int) length);
            default -> base + length - near * LENGTH;
        };
    }

    private static AccessVerdict exactVerdict(long base, long length, long taggedOffset, long count) {
        BigInteger from = unsigned(taggedOffset);
        BigInteger to = from.add(unsigned(count));
        if (to.compareTo(TWO_TO_64) > 0) {
            return WRAP;
        }
        BigInteger first = unsigned(base);
        BigInteger end = first.add(BigInteger.valueOf(length));
        return from.compareTo(first) >= 0 && to.compareTo(end) <= 0 ? GRANTED : BOUNDS;
    }

    private static BigInteger unsigned(long value) {
        return new BigInteger(Long.toUnsignedString(value));
    }
}
