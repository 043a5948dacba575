package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.memory.ByteSpan;
import io.iwarp.internal.mpa.AgreedParameters;
import io.iwarp.internal.mpa.FpduDecoder;
import io.iwarp.testing.Captures;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What Linux siw put on the wire. */
class SiwCaptureTest {
    private static final int MPA_FRAME_LENGTH = 20;
    private static final int PD_LENGTH_OFFSET = 18;

    @ParameterizedTest
    @EnumSource
    @Requirement({"DDP-11", "DDP-14", "DDP-15", "DDP-20", "DDP-21", "DDP-22"})
    void theSameMessagesMakeTheSameBytes(Captures capture) {
        for (byte[] direction : List.of(
                capture.conversation().initiator(), capture.conversation().responder())) {
            SendBuffer buffer = Ulpdus.buffer();
            List<byte[]> ulpdus = ulpdus(direction, capture == Captures.SIW_CRC);
            assertThat(ulpdus).hasSizeGreaterThan(3);
            for (byte[] ulpdu : ulpdus) {
                assertThat(Ulpdus.cut(buffer, messageOf(Ulpdus.segment(ulpdu)), 1442))
                        .containsExactly(ulpdu);
            }
        }
    }

    private static DdpMessage messageOf(DdpSegment segment) {
        DdpMessage message = new DdpMessage();
        if (segment.tagged()) {
            message.tagged(segment.control(), segment.stag(), segment.taggedOffset());
        } else {
            message.untagged(segment.control(), segment.rsvdUlp(), segment.queueNumber());
        }
        ByteSpan payload = message.payload();
        payload.wrap(segment.buffer(), segment.payloadIndex(), segment.payloadLength());
        return message;
    }

    private static List<byte[]> ulpdus(byte[] stream, boolean crc) {
        ByteBuf bytes = Unpooled.wrappedBuffer(stream);
        int index = MPA_FRAME_LENGTH + bytes.getUnsignedShort(PD_LENGTH_OFFSET);
        FpduDecoder decoder = new FpduDecoder(
                ByteBufAllocator.DEFAULT,
                AgreedParameters.builder(Role.INITIATOR).crc(crc).build(),
                new ConnectionCounters());
        List<byte[]> ulpdus = new ArrayList<>();
        while (decoder.decode(bytes, index, stream.length - index) == FpduDecoder.Result.FPDU) {
            ulpdus.add(ByteBufUtil.getBytes(decoder.ulpdu(), decoder.ulpduIndex(), decoder.ulpduLength()));
            index += decoder.wireLength();
        }
        assertThat(index).isEqualTo(stream.length);
        return ulpdus;
    }
}
