package io.iwarp.fuzz;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.iwarp.Counter;
import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.mpa.AgreedParameters;
import io.iwarp.internal.mpa.FpduDecoder;
import io.iwarp.internal.mpa.FpduDecoder.Result;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/** The decoder of FPDUs on any bytes, with and without markers and CRC. */
class FpduFuzzTest {
    @FuzzTest(maxDuration = "2m")
    void decoder(FuzzedDataProvider data) {
        boolean crc = data.consumeBoolean();
        boolean markers = data.consumeBoolean();
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        ConnectionCounters counters = new ConnectionCounters();
        FpduDecoder decoder = new FpduDecoder(
                allocator,
                AgreedParameters.builder(Role.INITIATOR)
                        .crc(crc)
                        .receiveMarkers(markers)
                        .build(),
                counters);
        byte[] bytes = data.consumeRemainingAsBytes();
        ByteBuf wire = allocator.directBuffer(Math.max(1, bytes.length)).writeBytes(bytes);
        long found = 0;
        int index = 0;
        Result result = Result.FPDU;
        while (result == Result.FPDU) {
            int left = bytes.length - index;
            result = decoder.decode(wire, index, left);
            switch (result) {
                case FPDU -> {
                    found++;
                    require(decoder.wireLength() <= left, "an FPDU is longer than what is there");
                    require(decoder.ulpduLength() <= decoder.wireLength(), "a ULPDU is longer than its FPDU");
                    require(
                            decoder.ulpduIndex() + decoder.ulpduLength()
                                    <= decoder.ulpdu().capacity(),
                            "a ULPDU ends after its buffer");
                    index += decoder.wireLength();
                }
                case INCOMPLETE -> {
                    require(decoder.needed() > left, "more is needed though it is there");
                    require(decoder.needed() <= FpduDecoder.maxWireLength(), "more is needed than there can be");
                }
                case FAULT -> require(decoder.fault() != null, "a fault without a reason");
            }
        }
        require(counters.get(Counter.FPDUS_RECEIVED) == found, "the counter of FPDUs is wrong");
        require(decoder.position() == index, "the position in the stream is wrong");
        decoder.release();
        wire.release();
        require(allocator.metric().usedDirectMemory() == 0, "direct memory is left");
    }

    private static void require(boolean condition, String complaint) {
        if (!condition) {
            throw new AssertionError(complaint);
        }
    }
}
