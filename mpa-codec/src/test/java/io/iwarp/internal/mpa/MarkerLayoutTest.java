package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.Requirement;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MarkerLayoutTest {

    private static final int[] LENGTHS = IntStream.concat(IntStream.rangeClosed(0, 1199), IntStream.of(64768))
            .toArray();

    @Test
    @Requirement({"MPA-17", "MPA-21", "MPA-25"})
    void agreesWithInsertionByteByByteForEverySizeAtEveryAlignment() {
        for (int start = 0; start < MarkerLayout.INTERVAL; start += FpduEncoder.ALIGNMENT) {
            for (int ulpduLength : LENGTHS) {
                ReferenceFramer model = new ReferenceFramer(false, true, start);
                byte[] wire = model.frame(new byte[ulpduLength]);
                int fpduLength = FpduEncoder.fpduLength(ulpduLength);

                assertThat(MarkerLayout.countIn(start, fpduLength))
                        .as("markers of ULPDU %d at %d", ulpduLength, start)
                        .isEqualTo(model.markersInserted());
                assertThat(MarkerLayout.wireLength(start, fpduLength)).isEqualTo(wire.length);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 32, (1L << 32) - 512, 1L << 33, (1L << 62)})
    @Requirement("MPA-27")
    void positionsSurviveTcpSequenceWrap(long boundary) {
        long far = boundary - 100;

        assertThat(MarkerLayout.bytesToNext(far)).isEqualTo(100);
        assertThat(MarkerLayout.wireLength(far, 2000)).isEqualTo(MarkerLayout.wireLength(512 - 100, 2000));
        assertThat(MarkerLayout.isAt(boundary)).isTrue();
        assertThat(MarkerLayout.isAt(boundary + 8)).isFalse();
        assertThat(MarkerLayout.bytesToNext(boundary + 8)).isEqualTo(504);
    }

    @Test
    void aStreamStartsWithAMarker() {
        assertThat(MarkerLayout.isAt(0)).isTrue();
        assertThat(MarkerLayout.bytesToNext(0)).isEqualTo(512);
    }
}
