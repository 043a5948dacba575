package io.iwarp.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
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
    void whatWasEncodedIsDecoded() {
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
    void severalBuffersAreEncodedOneBehindTheOther() {
        RemoteBuffer first = new RemoteBuffer(1, 2, 3);
        RemoteBuffer second = new RemoteBuffer(-1, -8, 8);
        byte[] encoded = RemoteBuffer.encodeAll(List.of(first, second));
        assertThat(encoded).hasSize(2 * RemoteBuffer.ENCODED_LENGTH).startsWith(0, 0, 0, 1);
        assertThat(RemoteBuffer.decodeAll(encoded)).containsExactly(first, second);
        assertThat(RemoteBuffer.decodeAll(new byte[0])).isEmpty();
        assertThatThrownBy(() -> RemoteBuffer.decodeAll(new byte[21]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("21 bytes are not encoded remote buffers");
    }
}
