package io.iwarp.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AtomicOperationTest {
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final StreamAssociation stream = StreamAssociation.open(domain);
    private final ByteBuf memory = Unpooled.directBuffer(32, 32).writeZero(32);
    private final MemoryRegion region = domain.register(memory, AccessRight.REMOTE_ATOMIC);

    @AfterEach
    void release() {
        region.close();
        stream.close();
        domain.close();
        memory.release();
    }

    /** Bit by bit, as RFC 7306 section 5.1.1 tells it. */
    private static long addBitByBit(long number, long add, long mask) {
        long sum = 0;
        long carry = 0;
        for (int bit = 0; bit < Long.SIZE; bit++) {
            long total = (number >>> bit & 1) + (add >>> bit & 1) + carry;
            sum |= (total & 1) << bit;
            carry = (mask >>> bit & 1) == 1 ? 0 : total >>> 1;
        }
        return sum;
    }

    private static long swapBitByBit(long number, long swap, long swapMask, long compare, long compareMask) {
        for (int bit = 0; bit < Long.SIZE; bit++) {
            if ((compareMask >>> bit & 1) == 1 && (number >>> bit & 1) != (compare >>> bit & 1)) {
                return number;
            }
        }
        long result = 0;
        for (int bit = 0; bit < Long.SIZE; bit++) {
            long from = (swapMask >>> bit & 1) == 1 ? swap : number;
            result |= (from >>> bit & 1) << bit;
        }
        return result;
    }

    @Test
    @Requirement({"EXT-7", "EXT-8"})
    void agreesWithTheBitwisePseudoCode() {
        AtomicOperation operation = new AtomicOperation();
        Seeds.forEach(100, (seed, random) -> {
            for (int i = 0; i < 3_000; i++) {
                long number = number(random);
                long data = number(random);
                long mask = mask(random.nextInt(6), random.nextLong(), random.nextLong());
                long sum = operation.fetchAdd(data, mask).apply(number);
                if (sum != addBitByBit(number, data, mask)) {
                    fail("%x + %x under mask %x gave %x", number, data, mask, sum);
                }
                long compareMask = mask(random.nextInt(6), random.nextLong(), random.nextLong());
                long compare = random.nextInt(3) == 0 ? number(random) : number ^ (random.nextLong() & ~compareMask);
                long swapped =
                        operation.compareSwap(data, mask, compare, compareMask).apply(number);
                if (swapped != swapBitByBit(number, data, mask, compare, compareMask)) {
                    fail("%x, compare %x/%x, swap %x/%x gave %x", number, compare, compareMask, data, mask, swapped);
                }
            }
        });
    }

    /** Any number, and those that carry far: runs of ones, their neighbours, and single bits. */
    private static long number(Random random) {
        long any = random.nextLong();
        return switch (random.nextInt(4)) {
            case 0 -> -1L >>> any;
            case 1 -> (-1L << any) + random.nextInt(3) - 1;
            case 2 -> 1L << any;
            default -> any;
        };
    }

    @Test
    @Requirement({"EXT-3", "EXT-7", "EXT-8"})
    void agreesWithThePseudoCodeInRegisteredMemoryAsWell() {
        TaggedBuffer tagged = stream.lookup(region.stag());
        AtomicOperation operation = new AtomicOperation();
        Seeds.forEach(10, (seed, random) -> {
            long expected = region.getVolatile(16);
            for (int i = 0; i < 2_000; i++) {
                long data = number(random);
                long mask = mask(random.nextInt(6), random.nextLong(), random.nextLong());
                tagged.execute(16, operation.fetchAdd(data, mask));
                assertThat(operation.original()).isEqualTo(expected);
                expected = addBitByBit(expected, data, mask);
                assertThat(number(16)).isEqualTo(expected);
                long compare = random.nextBoolean() ? expected : random.nextLong();
                tagged.execute(16, operation.compareSwap(data, -1, compare, mask));
                assertThat(operation.original()).isEqualTo(expected);
                expected = swapBitByBit(expected, data, -1, compare, mask);
                assertThat(number(16)).isEqualTo(expected);
            }
        });
        assertThat(number(8)).as("the neighbours").isZero();
        assertThat(number(24)).isZero();
    }

    /** All fields, none, single bits, few bits, many bits and bytes. */
    private static long mask(int kind, long random, long more) {
        return switch (kind) {
            case 0 -> 0;
            case 1 -> -1;
            case 2 -> 1L << random;
            case 3 -> random & more & 0x5555_5555_5555_5555L;
            case 4 -> 0x8080_8080_8080_8080L;
            default -> random;
        };
    }

    private long number(int index) {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? memory.getLongLE(index) : memory.getLong(index);
    }

    @Test
    @Requirement({"EXT-10", "EXT-13"})
    void operatesInNativeByteOrderAndReturnsTheOriginal() {
        TaggedBuffer tagged = stream.lookup(region.stag());
        memory.setByte(8, 1);
        AtomicOperation operation = new AtomicOperation();
        assertThat(tagged.execute(8, operation.fetchAdd(0x0102, 0))).isTrue();
        long found = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 1 : 1L << 56;
        assertThat(operation.original()).isEqualTo(found);
        assertThat(number(8)).isEqualTo(found + 0x0102);
        assertThat(tagged.execute(8, operation.compareSwap(7, -1, 8, -1))).isTrue();
        assertThat(number(8)).as("unequal, so untouched").isEqualTo(operation.original());
        assertThat(tagged.execute(8, operation.compareSwap(7, -1, 0, 0))).isTrue();
        assertThat(operation.original()).isEqualTo(found + 0x0102);
        assertThat(number(8)).isEqualTo(7);
        region.invalidate();
        assertThat(tagged.execute(8, operation.fetchAdd(1, 0))).isFalse();
        assertThat(number(8)).isEqualTo(7);
    }

    @Test
    @Requirement({"EXT-6", "EXT-9"})
    void onlyAddressesThatAreMultiplesOfEightWillDo() {
        TaggedBuffer tagged = stream.lookup(region.stag());
        for (int offset = 0; offset <= 24; offset++) {
            boolean aligned = (memory.memoryAddress() + offset) % 8 == 0;
            assertThat(tagged.isAligned(offset)).as("offset %d", offset).isEqualTo(aligned);
        }
        assertThatThrownBy(() -> region.fetchAdd(4, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("offset 4 do not lie in one buffer at an address that is a multiple of 8;");
    }
}
