package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class CoverageTest {
    private final Coverage coverage = new Coverage();

    @Test
    @Requirement("DDP-35")
    void agreesWithABitSetInAnyOrder() {
        Seeds.forEach(2000, (seed, random) -> {
            Coverage tested = new Coverage();
            BitSet arrived = new BitSet();
            int range = 1 + random.nextInt(300);
            int longest = 1 + random.nextInt(random.nextBoolean() ? 3 : 40);
            for (int i = 0; i < 100; i++) {
                int offset = random.nextInt(range);
                int length = random.nextInt(longest);
                BitSet with = (BitSet) arrived.clone();
                with.set(offset, offset + length);
                boolean fits = pieces(with) <= Coverage.MAX_PIECES || pieces(with) <= pieces(arrived);

                assertThat(tested.fits(offset, length)).isEqualTo(fits);
                if (fits) {
                    long expected = with.nextClearBit(0);
                    assertThat(tested.contiguousWith(offset, length)).isEqualTo(expected);
                    assertThat(tested.add(offset, length)).isEqualTo(with.cardinality() - arrived.cardinality());
                    arrived = with;
                    assertThat(tested.arrived()).isEqualTo(arrived.cardinality());
                    assertThat(tested.contiguous()).isEqualTo(expected);
                    assertThat(tested).hasToString(describe(arrived));
                }
            }
            tested.clear();
            assertThat(tested).hasToString("Coverage[0..0]");
            assertThat(tested.contiguousWith(1, 1)).isZero();
        });
    }

    /** Counts the ranges after the first missing byte. */
    private static int pieces(BitSet bytes) {
        int pieces = 0;
        for (int at = next(bytes, bytes.nextClearBit(0)); at >= 0; at = next(bytes, bytes.nextClearBit(at))) {
            pieces++;
        }
        return pieces;
    }

    private static int next(BitSet bytes, int from) {
        return bytes.nextSetBit(from);
    }

    private static String describe(BitSet bytes) {
        int contiguous = bytes.nextClearBit(0);
        StringBuilder text = new StringBuilder("Coverage[0..").append(contiguous);
        for (int at = next(bytes, contiguous); at >= 0; at = next(bytes, bytes.nextClearBit(at))) {
            text.append(", ").append(at).append("..").append(bytes.nextClearBit(at));
        }
        return text.append(']').toString();
    }

    @Test
    void oneRangeJoinsAllPiecesThatThereAre() {
        for (long pieces = 1; pieces <= Coverage.MAX_PIECES; pieces++) {
            Coverage tested = new Coverage();
            for (long i = 0; i < pieces; i++) {
                assertThat(tested.add(2 * i + 1, 1)).isEqualTo(1);
            }
            assertThat(tested.contiguousWith(0, 2 * pieces - 1)).isEqualTo(2 * pieces);
            assertThat(tested.add(0, 2 * pieces - 1)).isEqualTo(pieces);
            assertThat(tested.contiguous()).isEqualTo(2 * pieces);
        }
    }

    @Test
    void offsetsReachTheMaximumLengthOfAMessage() {
        assertThat(coverage.add(0xFFFF_FFFEL, 1)).isEqualTo(1);
        assertThat(coverage.add(0, 0xFFFF_FFFEL)).isEqualTo(0xFFFF_FFFEL);
        assertThat(coverage.contiguous()).isEqualTo(0xFFFF_FFFFL);
    }
}
