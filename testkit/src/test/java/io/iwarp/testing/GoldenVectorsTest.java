package io.iwarp.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

class GoldenVectorsTest {
    @Test
    void findsAVectorByItsTitle() {
        assertThat(GoldenVectors.bytes("MPA Reply rev1 rejected"))
                .startsWith('M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e', 'p')
                .hasSize(20);
    }

    @Test
    void findsAVectorByABeginningThatOnlyItHas() {
        assertThat(GoldenVectors.bytes("RFC5044 Fig 5")).hasSize(52).endsWith(0x52, 0x23, 0x99, 0x83);
    }

    @Test
    void refusesABeginningOfSeveralTitles() {
        assertThatThrownBy(() -> GoldenVectors.bytes("Terminate,"))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessageContaining("names 4 vectors");
    }

    @Test
    void readsVectorsThatStandInTheMiddleOfANote() {
        assertThat(GoldenVectors.bytes("next FPDU begins with marker 0")).hasSize(8);
    }

    @Test
    void handsOutCopies() {
        GoldenVectors.bytes("MPA Reply rev1 rejected")[0] = 0;
        assertThat(GoldenVectors.bytes("MPA Reply rev1 rejected")[0]).isEqualTo((byte) 'M');
    }

    @Test
    void refusesAVectorOfAnotherLengthThanItSays() {
        assertThatThrownBy(() -> GoldenVectors.parse("# t  (3 octets)\n  00 01\n"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has 2");
    }
}
