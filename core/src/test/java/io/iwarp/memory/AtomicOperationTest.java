package io.iwarp.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AtomicOperationTest {
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final StreamAssociation stream = domain.openStream();
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
    @Requirement({"EXT-3", "EXT-7", "EXT-8"})
    void agreesWithTheBitwisePseudoCodeOverTenMillionCases() {
        AtomicOperation operation = new AtomicOperation();
        Seeds.forEach(100, (seed, random) -> {
            for (int i = 0; i < 50_000; i++) {
                long number = random.nextLong();
                long data = random.nextLong();
                long mask = mask(random.nextInt(6), random.nextLong(), random.nextLong());
                assertThat(operation.fetchAdd(data, mask).apply(number)).isEqualTo(addBitByBit(number, data, mask));
                long compareMask = mask(random.nextInt(6), random.nextLong(), random.nextLong());
                long compare = random.nextInt(3) == 0 ? random.nextLong() : number ^ (random.nextLong() & ~compareMask);
                assertThat(operation
                                .compareSwap(data, mask, compare, compareMask)
                                .apply(number))
                        .isEqualTo(swapBitByBit(number, data, mask, compare, compareMask));
            }
        });
    }

    /** All fields, none, single bits, few bits, many bits and octets. */
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
    void worksOnTheNumberInTheOrderOfThisMachineAndReturnsWhatItFound() {
        TaggedBuffer tagged = stream.lookup(region.stag());
        memory.setByte(8, 1);
        AtomicOperation operation = new AtomicOperation();
        assertThat(tagged.execute(8, operation.fetchAdd(0x0102, 0))).isTrue();
        long found = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 1 : 1L << 56;
        assertThat(operation.original()).isEqualTo(found);
        assertThat(number(8)).isEqualTo(found + 0x0102);
        assertThat(tagged.execute(8, operation.compareSwap(7, -1, 8, -1))).isTrue();
        assertThat(number(8)).as("unequal, so untouched").isEqualTo(operation.original());
        assertThat(region.execute(8, operation.compareSwap(7, -1, 0, 0))).isEqualTo(found + 0x0102);
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
        assertThatThrownBy(() -> region.execute(4, new AtomicOperation()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no multiple of 8");
    }
}
