package io.iwarp.benchmarks.micro;

import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.mpa.AgreedParameters;
import io.iwarp.internal.mpa.FpduDecoder;
import io.iwarp.internal.mpa.FpduEncoder;
import io.iwarp.internal.mpa.Ulpdu;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What MPA costs for one FPDU: length, padding, CRC32C, and markers to put in or take out. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FpduBenchmark {
    private static final int MARKER_INTERVAL = 512;
    private static final int HEADER_BYTES = 14;

    /** Bytes of the ULPDU, the DDP header in it included; 64768 is the largest that is sent. */
    @Param({"64", "1460", "64768"})
    int size;

    @Param({"true", "false"})
    boolean crc;

    @Param({"false", "true"})
    boolean markers;

    private final Ulpdu ulpdu = new Ulpdu();
    private FpduEncoder encoder;
    private FpduDecoder decoder;
    private ByteBuf payload;
    private ByteBuf encoded;
    private ByteBuf stream;
    private int index;

    /** Makes a ULPDU, and a stream of FPDUs to be decoded over and over. */
    @Setup
    public void open() {
        PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
        ulpdu.header().writeZero(HEADER_BYTES);
        payload = allocator.directBuffer(size).writeZero(size - HEADER_BYTES);
        ulpdu.payload(payload, 0, size - HEADER_BYTES);
        AgreedParameters parameters = AgreedParameters.builder(Role.INITIATOR)
                .crc(crc)
                .sendMarkers(markers)
                .receiveMarkers(markers)
                .build();
        encoder = new FpduEncoder(parameters, new ConnectionCounters());
        decoder = new FpduDecoder(allocator, parameters, new ConnectionCounters());
        encoded = allocator.directBuffer(2 * FpduDecoder.maxWireLength());
        stream = allocator.directBuffer();
        // It may begin again where the next marker is as far away as at its beginning.
        do {
            encoder.encode(ulpdu, stream);
        } while (markers && encoder.position() % MARKER_INTERVAL != 0);
    }

    /** Gives the buffers back. */
    @TearDown
    public void close() {
        decoder.release();
        stream.release();
        encoded.release();
        payload.release();
    }

    /** Encodes an FPDU into a buffer, its payload copied: small ones go this way, and with markers all. */
    @Benchmark
    public int encode() {
        encoder.encode(ulpdu, encoded.clear());
        return encoded.writerIndex();
    }

    /** Checks an FPDU and finds its ULPDU. */
    @Benchmark
    public int decode() {
        if (index == stream.writerIndex()) {
            index = 0;
        }
        FpduDecoder.Result result = decoder.decode(stream, index, stream.writerIndex() - index);
        if (result != FpduDecoder.Result.FPDU) {
            throw new IllegalStateException("the FPDU at byte " + index + " is " + result);
        }
        index += decoder.wireLength();
        return decoder.ulpduLength();
    }
}
