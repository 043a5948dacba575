package io.iwarp.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RemoteBufferTest {
    @Test
    void theEncodingIsStagThenOffsetThenLengthBigEndian() {
        ByteBuf bytes = Unpooled.buffer();
        new RemoteBuffer(0x1234_5678, 0xFFEE_DDCC_BBAA_9988L, 0x10).encode(bytes);

        assertThat(ByteBufUtil.hexDump(bytes)).isEqualTo("12345678" + "ffeeddccbbaa9988" + "0000000000000010");
        assertThat(bytes.readableBytes()).isEqualTo(RemoteBuffer.ENCODED_LENGTH);
        bytes.release();
    }

    @Test
    void encodedFpdusAreDecoded() {
        Seeds.forEach(200, (seed, random) -> {
            long length = random.nextLong() >>> (1 + random.nextInt(62));
            long taggedOffset = random.nextLong() & ~(1L << 63);
            RemoteBuffer sent = new RemoteBuffer(random.nextInt(), taggedOffset, length);
            ByteBuf bytes = Unpooled.buffer().writeByte(7);
            sent.encode(bytes);
            bytes.writeByte(8).skipBytes(1);

            assertThat(RemoteBuffer.decode(bytes)).isEqualTo(sent);
            assertThat(bytes.readableBytes()).isEqualTo(1);
            bytes.release();
        });
    }

    @Test
    void tooFewBytesAreRefusedAndLeft() {
        ByteBuf bytes = Unpooled.buffer().writeZero(RemoteBuffer.ENCODED_LENGTH - 1);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> RemoteBuffer.decode(bytes))
                .withMessageContaining("20 bytes")
                .withMessageContaining("only 19");
        assertThat(bytes.readerIndex()).isZero();
        bytes.release();
    }

    @Test
    void rangesThatCannotExistAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RemoteBuffer(1, 0, -1))
                .withMessageContaining("18446744073709551615");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RemoteBuffer(1, -1, 2))
                .withMessageContaining("more than 2^64");
        assertThat(new RemoteBuffer(1, -1, 1).length()).isOne();
        assertThat(new RemoteBuffer(1, 0, Long.MAX_VALUE).length()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aSliceIsWithinTheWhole() {
        RemoteBuffer whole = new RemoteBuffer(5, -10, 10);

        assertThat(whole.slice(4, 6)).isEqualTo(new RemoteBuffer(5, -6, 6));
        assertThat(whole.slice(0, 10)).isEqualTo(whole);
        assertThatThrownBy(() -> whole.slice(4, 7)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> whole.slice(-1, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> whole.slice(0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void textShowsUnsignedNumbers() {
        assertThat(new RemoteBuffer(0xABCD, -1, 1))
                .hasToString("RemoteBuffer[STag 0x0000abcd, tagged offset 18446744073709551615, 1 bytes]");
    }

    @Test
    void severalBuffersAreEncodedInOrder() {
        RemoteBuffer first = new RemoteBuffer(1, 2, 3);
        RemoteBuffer second = new RemoteBuffer(-1, -8, 8);
        byte[] encoded = RemoteBuffer.encodeAll(List.of(first, second));
        assertThat(encoded)
                .hasSize(8 + 2 * RemoteBuffer.ENCODED_LENGTH)
                .startsWith('i', 'W', 'R', 'B', 0, 1, 0, 2, 0, 0, 0, 1);
        assertThat(RemoteBuffer.decodeAll(encoded)).containsExactly(first, second);
        assertThat(RemoteBuffer.decodeAll(RemoteBuffer.encodeAll(List.of()))).isEmpty();
        assertThat(RemoteBuffer.decodeAll(new byte[0])).isEmpty();
    }

    @Test
    void otherBytesAreNotTakenForBuffers() {
        byte[] text = "a text of 20 bytes..".getBytes(StandardCharsets.US_ASCII);
        for (byte[] other : List.of(new byte[1], new byte[7], new byte[20], new byte[40], text)) {
            assertNotDecoded(other, other.length + " bytes are not encoded remote buffers");
        }
        byte[] encoded = RemoteBuffer.encodeAll(List.of(new RemoteBuffer(1, 2, 3)));
        assertNotDecoded(Arrays.copyOf(encoded, encoded.length - 1), "1 encoded remote buffers have 20 bytes, not 19");
        assertNotDecoded(Arrays.copyOf(encoded, encoded.length + 20), "1 encoded remote buffers have 20 bytes, not 40");
        encoded[5] = 2;
        assertNotDecoded(encoded, "version 2 (expected: 1)");
    }

    private static void assertNotDecoded(byte[] encoded, String message) {
        assertThatThrownBy(() -> RemoteBuffer.decodeAll(encoded))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aWordIsNamedByItsByteOffset() {
        RemoteBuffer whole = new RemoteBuffer(5, 100, 24);
        assertThat(whole.word(8)).isEqualTo(new RemoteBuffer(5, 108, 8));
        assertThatThrownBy(() -> whole.word(3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a word begins at a multiple of 8 bytes, not at byte 3; the offset is in bytes: word n is at"
                                + " byte 8 * n");
        assertThatThrownBy(() -> whole.word(24)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> whole.word(-8)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
