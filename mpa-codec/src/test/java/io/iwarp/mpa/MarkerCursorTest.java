package io.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.testing.Requirement;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MarkerCursorTest {

    private static final int[] LENGTHS = IntStream.concat(IntStream.rangeClosed(0, 1199), IntStream.of(64768))
            .toArray();

    @Test
    @Requirement({"MPA-17", "MPA-21", "MPA-25"})
    void agreesWithInsertionByteByByteForEverySizeAtEveryAlignment() {
        for (int start = 0; start < MarkerLayout.INTERVAL; start += FpduLayout.ALIGNMENT) {
            for (int ulpduLength : LENGTHS) {
                ReferenceFramer model = new ReferenceFramer(false, true, start);
                byte[] wire = model.frame(new byte[ulpduLength]);
                MarkerCursor cursor = new MarkerCursor(start);
                int fpduLength = FpduLayout.fpduLength(ulpduLength);

                assertThat(cursor.markersIn(fpduLength))
                        .as("markers of ULPDU %d at %d", ulpduLength, start)
                        .isEqualTo(model.markersInserted());
                assertThat(cursor.wireLength(fpduLength)).isEqualTo(wire.length);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 32, (1L << 32) - 512, 1L << 33, (1L << 62)})
    @Requirement("MPA-27")
    void goesOnUndisturbedWhereTcpSequenceNumbersWrap(long boundary) {
        MarkerCursor far = new MarkerCursor(boundary - 100);
        MarkerCursor near = new MarkerCursor(512 - 100);

        assertThat(far.toNextMarker()).isEqualTo(100);
        assertThat(far.wireLength(2000)).isEqualTo(near.wireLength(2000));
        far.advance(100);
        assertThat(far.atMarker()).isTrue();
        assertThat(far.position()).isEqualTo(boundary);
        far.advance(8);
        assertThat(far.atMarker()).isFalse();
        assertThat(far.toNextMarker()).isEqualTo(504);
    }

    @Test
    void startsAtAMarker() {
        MarkerCursor cursor = new MarkerCursor();

        assertThat(cursor.atMarker()).isTrue();
        assertThat(cursor.toNextMarker()).isEqualTo(512);
    }

    @ParameterizedTest
    @ValueSource(longs = {-4, 1, 2, 511})
    void refusesPositionsWhereNoFpduCanStart(long position) {
        assertThatThrownBy(() -> new MarkerCursor(position))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("" + position)
                .hasMessageContaining("multiple of 4");
    }
}
