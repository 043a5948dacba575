package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.mpa.FpduDecoder.Result;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The steady path makes no garbage, FPDU by FPDU. */
class FramingAllocationTest {

    private static final int FPDUS = 10_000;

    /** What a stray allocation of the JVM itself may cost; one object for each FPDU would cost far more. */
    private static final long TOLERATED_BYTES = FPDUS;

    /** Leak tracking allocates at each access. */
    private static final ByteBufAllocator UNTRACKED = new UnpooledByteBufAllocator(true, true);

    private final ConnectionCounters counters = new ConnectionCounters();
    private final Ulpdu ulpdu = new Ulpdu();

    @BeforeEach
    void needsAMeter() {
        assumeTrue(
                ManagementFactory.getThreadMXBean() instanceof ThreadMXBean meter
                        && meter.isThreadAllocatedMemorySupported(),
                "this JVM does not meter allocation");
        assumeTrue(PlatformDependent.hasUnsafe(), "Netty itself allocates views when it has no Unsafe");
    }

    @ParameterizedTest
    @CsvSource({"50,true", "50,false", "1442,true", "8000,false", "8000,true"})
    void encodingAndDecodingAnFpduAllocatesNothing(int length, boolean markers) {
        FpduEncoder encoder = new FpduEncoder(true, markers, counters);
        FpduDecoder decoder = new FpduDecoder(UNTRACKED, true, markers, counters);
        ByteBuf payload = UNTRACKED.directBuffer(length);
        ByteBuf wire = UNTRACKED.directBuffer(2 * length + 64);
        run(encoder, decoder, payload, wire);

        long before = allocated();
        run(encoder, decoder, payload, wire);
        long bytes = allocated() - before;

        assertThat(bytes).isLessThan(TOLERATED_BYTES);
        decoder.release();
        payload.release();
        wire.release();
    }

    @ParameterizedTest
    @CsvSource({"8000", "60000"})
    void encodingAroundAPayloadSentByReferenceAllocatesNothing(int length) {
        FpduEncoder encoder = new FpduEncoder(true, false, counters);
        ByteBuf payload = UNTRACKED.directBuffer(length);
        ByteBuf wire = UNTRACKED.directBuffer(64);
        around(encoder, payload, wire);

        long before = allocated();
        around(encoder, payload, wire);
        long bytes = allocated() - before;

        assertThat(bytes).isLessThan(TOLERATED_BYTES);
        payload.release();
        wire.release();
    }

    private void run(FpduEncoder encoder, FpduDecoder decoder, ByteBuf payload, ByteBuf wire) {
        for (int i = 0; i < FPDUS; i++) {
            ulpdu.header().clear().writeLong(i);
            encoder.encode(ulpdu.payload(payload, 8, payload.capacity() - 8), wire.clear());
            if (decoder.decode(wire, 0, wire.writerIndex()) != Result.FPDU) {
                throw new AssertionError(decoder.fault());
            }
        }
    }

    private void around(FpduEncoder encoder, ByteBuf payload, ByteBuf wire) {
        for (int i = 0; i < FPDUS; i++) {
            ulpdu.header().clear().writeLong(i);
            encoder.encodeHead(ulpdu.payload(payload, 0, payload.capacity()), wire.clear());
            encoder.encodeTrailer(ulpdu, wire);
        }
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
