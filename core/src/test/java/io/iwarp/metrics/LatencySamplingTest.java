package io.iwarp.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LatencySamplingTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 8, 16})
    void eachKindOfRequestHasItsShareWhereKindsAlternate(int kinds) {
        LatencySampling sampling = LatencySampling.oneIn(4);
        for (int kind = 0; kind < kinds; kind++) {
            int first = kind;
            assertThat(LongStream.range(0, 4000).filter(round -> sampling.includes(round * kinds + first)))
                    .as("kind %d of %d", kind, kinds)
                    .hasSizeBetween(950, 1050);
        }
    }

    @Test
    void oneInSoManyRequestsIsMeasured() {
        assertThat(measured(LatencySampling.EVERY_REQUEST)).isEqualTo(6400);
        assertThat(measured(LatencySampling.oneIn(4))).isBetween(1590L, 1610L);
        assertThat(measured(LatencySampling.DEFAULT)).isBetween(395L, 405L);
        assertThat(LatencySampling.DEFAULT).hasToString("one in 16 requests");
    }

    private static long measured(LatencySampling sampling) {
        return LongStream.range(0, 6400).filter(sampling::includes).count();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 3, 1 << 21})
    void onlyPowersOfTwoAreAccepted(int wrong) {
        assertThatThrownBy(() -> LatencySampling.oneIn(wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("one in " + wrong + " requests: choose a power of two within 1 to 1048576");
    }
}
