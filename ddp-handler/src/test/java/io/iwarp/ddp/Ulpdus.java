package io.iwarp.ddp;

import io.iwarp.Counters;
import io.iwarp.Role;
import io.iwarp.mpa.FpduEncoder;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.mpa.Ulpdu;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The bytes of ULPDUs as they would be inside FPDUs. */
final class Ulpdus {
    private Ulpdus() {}

    static byte[] bytes(Ulpdu ulpdu) {
        ByteBuf wire = Unpooled.buffer();
        new FpduEncoder(MpaParameters.builder(Role.INITIATOR).crc(false).build(), new Counters()).encode(ulpdu, wire);
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

    /** All segments of a message, cut for one MULPDU. */
    static List<byte[]> cut(DdpMessage message, int mulpdu) {
        return cut(new DdpSegmenter(ByteBufAllocator.DEFAULT), message, mulpdu);
    }

    static List<byte[]> cut(DdpSegmenter segmenter, DdpMessage message, int mulpdu) {
        List<byte[]> segments = new ArrayList<>();
        Ulpdu ulpdu = new Ulpdu();
        segmenter.begin(message);
        while (segmenter.busy()) {
            segmenter.cut(ulpdu, mulpdu);
            segments.add(bytes(ulpdu));
        }
        segmenter.release();
        return segments;
    }
}
