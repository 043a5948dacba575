package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class Crc32cTest {

    private final Crc32c crc = new Crc32c();

    static Stream<Arguments> publishedValues() {
        byte[] ones = new byte[32];
        Arrays.fill(ones, (byte) 0xFF);
        byte[] counting = new byte[32];
        for (int i = 0; i < counting.length; i++) {
            counting[i] = (byte) i;
        }
        return Stream.of(
                Arguments.of(new byte[32], "aa36918a"),
                Arguments.of(ones, "43aba862"),
                Arguments.of(counting, "4e79dd46"),
                Arguments.of("123456789".getBytes(StandardCharsets.US_ASCII), "839206e3"));
    }

    @ParameterizedTest
    @MethodSource("publishedValues")
    @Requirement({"MPA-32", "MPA-38"})
    void givesThePublishedDigestsLeastSignificantByteFirst(byte[] bytes, String wire) {
        ByteBuf source = Unpooled.wrappedBuffer(bytes);
        crc.update(source, 0, bytes.length);

        ByteBuf out = Unpooled.buffer(4).writeIntLE(crc.value());

        assertThat(ByteBufUtil.hexDump(out)).isEqualTo(wire);
    }

    @Test
    void givesTheSameForEveryKindOfBuffer() {
        Random random = new Random(7);
        byte[] bytes = new byte[1000];
        random.nextBytes(bytes);
        int expected = bitwise(bytes, 10, 900);
        ByteBuf pooled = PooledByteBufAllocator.DEFAULT.directBuffer(2000).writeBytes(bytes);
        ByteBuf slice = pooled.retainedSlice(5, 950);
        ByteBuf composite =
                Unpooled.wrappedBuffer(Unpooled.wrappedBuffer(bytes, 0, 333), pooled.retainedSlice(333, 667));

        assertThat(of(Unpooled.wrappedBuffer(bytes), 10)).isEqualTo(expected);
        assertThat(of(Unpooled.wrappedBuffer(bytes).asReadOnly(), 10)).isEqualTo(expected);
        assertThat(of(pooled, 10)).isEqualTo(expected);
        assertThat(of(pooled.asReadOnly(), 10)).isEqualTo(expected);
        assertThat(of(slice, 5)).isEqualTo(expected);
        assertThat(of(composite, 10)).isEqualTo(expected);
        assertThat(pooled.readerIndex()).isZero();
        assertThat(pooled.writerIndex()).isEqualTo(1000);
        slice.release();
        composite.release();
        pooled.release();
    }

    @Test
    void takesPiecesOneAfterTheOther() {
        byte[] bytes = new byte[100];
        new Random(1).nextBytes(bytes);
        ByteBuf source = Unpooled.wrappedBuffer(bytes);

        crc.update(source, 0, 7);
        crc.update(source.nioBuffer(7, 50));
        crc.update(source, 57, 43);

        assertThat(crc.value()).isEqualTo(bitwise(bytes, 0, 100));
    }

    private int of(ByteBuf bytes, int index) {
        crc.reset();
        crc.update(bytes, index, 900);
        return crc.value();
    }

    /** The definition: reflected polynomial 0x82F63B78, start and final complement. */
    private static int bitwise(byte[] bytes, int index, int length) {
        int crc = -1;
        for (int i = index; i < index + length; i++) {
            crc ^= bytes[i] & 0xFF;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ 0x82F63B78;
            }
        }
        return ~crc;
    }
}
