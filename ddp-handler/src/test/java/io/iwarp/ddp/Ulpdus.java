package io.iwarp.ddp;

import io.iwarp.Role;
import io.iwarp.internal.ByteBudget;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.SendReservation;
import io.iwarp.internal.mpa.AgreedParameters;
import io.iwarp.internal.mpa.FpduEncoder;
import io.iwarp.internal.mpa.Ulpdu;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The bytes of ULPDUs as they would be inside FPDUs. */
final class Ulpdus {
    private static final ChannelFuture TAKEN = new EmbeddedChannel().newSucceededFuture();

    private Ulpdus() {}

    static byte[] bytes(Ulpdu ulpdu) {
        ByteBuf wire = Unpooled.buffer();
        new FpduEncoder(AgreedParameters.builder(Role.INITIATOR).crc(false).build(), new ConnectionCounters())
                .encode(ulpdu, wire);
        return ByteBufUtil.getBytes(wire, FpduEncoder.ULPDU_LENGTH_LENGTH, ulpdu.length());
    }

    /** The ULPDU in an FPDU without markers. */
    static byte[] ofFpdu(byte[] fpdu) {
        int length = (fpdu[0] & 0xFF) << 8 | (fpdu[1] & 0xFF);
        return Arrays.copyOfRange(fpdu, FpduEncoder.ULPDU_LENGTH_LENGTH, FpduEncoder.ULPDU_LENGTH_LENGTH + length);
    }

    static DdpSegment segment(byte[] ulpdu) {
        return new DdpSegment().wrap(Unpooled.wrappedBuffer(ulpdu), 0, ulpdu.length);
    }

    static SendBuffer buffer() {
        return buffer(DdpSegment.FIRST_MSN);
    }

    static SendBuffer buffer(int firstMsn) {
        return new SendBuffer(
                ByteBufAllocator.DEFAULT,
                DdpHandler.DEFAULT_TRANSMIT_WINDOW,
                new SendReservation(new ByteBudget(Long.MAX_VALUE)),
                firstMsn);
    }

    /** A buffer whose next segments are those of a message. */
    static SendBuffer bufferOf(DdpMessage message) {
        SendBuffer buffer = buffer();
        send(buffer, message);
        return buffer;
    }

    static void send(SendBuffer buffer, DdpMessage message) {
        buffer.add(message);
        buffer.flush();
    }

    /** The transport takes all that was cut. */
    static void take(SendBuffer buffer) {
        buffer.endBurst(TAKEN);
        buffer.removeBurst(true);
        while (buffer.takeSent() != null) {}
    }

    /** All segments of a message, cut for one MULPDU. */
    static List<byte[]> cut(DdpMessage message, int mulpdu) {
        return cut(buffer(), message, mulpdu);
    }

    static List<byte[]> cut(SendBuffer buffer, DdpMessage message, int mulpdu) {
        List<byte[]> segments = new ArrayList<>();
        Ulpdu ulpdu = new Ulpdu();
        send(buffer, message);
        while (buffer.sendable()) {
            buffer.cut(ulpdu, mulpdu);
            segments.add(bytes(ulpdu));
        }
        buffer.releaseCopy();
        return segments;
    }
}
