package io.iwarp.tools.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RpingTextTest {
    /** The second and the fourth line were printed by rdma-core's rping. */
    @ParameterizedTest
    @CsvSource({
        "16, 0, rdma-ping-0: AB",
        "64, 0, rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr",
        "20, 57, rdma-ping-57: zABCD",
        "64, 1, rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrs",
        "20, 58, rdma-ping-58: ABCDE",
        "14, 1, rdma-ping-1: ",
        "5, 1, rdma",
        "1, 1, ''",
    })
    void isWhatRpingShows(int size, long ping, String text) {
        ByteBuf buffer = Unpooled.buffer(size, size);
        RpingText.fill(buffer, ping);

        assertThat(buffer.toString(StandardCharsets.US_ASCII)).hasSize(size).endsWith("\0");
        assertThat(RpingText.shown(buffer).strip()).isEqualTo(text.strip());
        assertThat(RpingText.length(buffer)).isEqualTo(size);
    }

    @Test
    void endsAtTheFirstZeroOrWithTheBuffer() {
        assertThat(RpingText.length(ascii("abc\0def\0"))).isEqualTo(4);
        assertThat(RpingText.length(ascii("abc"))).isEqualTo(3);
        assertThat(RpingText.length(ascii(""))).isZero();
    }

    private static ByteBuf ascii(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }
}
