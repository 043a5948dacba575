package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The four numbers of a CmpSwap: each gets to its own place. */
class CompareSwapTest {
    @Test
    void eachNumberHasItsPlace() {
        CompareSwap numbers = CompareSwap.compare(1, 2).swap(3, 4);
        assertThat(numbers.compareData()).isEqualTo(1);
        assertThat(numbers.compareMask()).isEqualTo(2);
        assertThat(numbers.swapData()).isEqualTo(3);
        assertThat(numbers.swapMask()).isEqualTo(4);
        assertThat(numbers).hasToString("CompareSwap[swap 0x3 mask 0x4, compare 0x1 mask 0x2]");
    }

    @Test
    void withoutMasksAllBitsCount() {
        CompareSwap numbers = CompareSwap.compare(5).swap(6);
        assertThat(numbers.compareMask()).isEqualTo(-1);
        assertThat(numbers.swapMask()).isEqualTo(-1);
    }

    @Test
    void withoutAComparisonTheSwapAlwaysHappens() {
        CompareSwap numbers = CompareSwap.always().swap(9);
        assertThat(numbers.compareMask()).isZero();
        assertThat(numbers.swapData()).isEqualTo(9);
    }
}
