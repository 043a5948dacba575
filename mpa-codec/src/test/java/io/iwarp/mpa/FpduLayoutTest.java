package io.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.Requirement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FpduLayoutTest {

    @ParameterizedTest
    @CsvSource({"0,2,8", "1,1,8", "2,0,8", "3,3,12", "42,0,48", "19,3,28", "65535,3,65544"})
    @Requirement({"MPA-9", "MPA-11"})
    void paddingBringsTheFpduToAMultipleOfFour(int ulpdu, int pad, int fpdu) {
        assertThat(FpduLayout.padLength(ulpdu)).isEqualTo(pad);
        assertThat(FpduLayout.fpduLength(ulpdu)).isEqualTo(fpdu);
    }
}
