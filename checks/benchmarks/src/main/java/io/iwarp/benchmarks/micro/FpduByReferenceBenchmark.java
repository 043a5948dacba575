package io.iwarp.benchmarks.micro;

import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.mpa.AgreedParameters;
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

/** What is encoded for an FPDU whose payload goes to the socket by reference: large ones without markers. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FpduByReferenceBenchmark {
    private static final int HEADER_BYTES = 14;

    /** Bytes of the ULPDU. */
    @Param({"1460", "64768"})
    int size;

    @Param({"true", "false"})
    boolean crc;

    private final Ulpdu ulpdu = new Ulpdu();
    private FpduEncoder encoder;
    private ByteBuf payload;
    private ByteBuf encoded;

    /** Makes a ULPDU. */
    @Setup
    public void open() {
        PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
        ulpdu.header().writeZero(HEADER_BYTES);
        payload = allocator.directBuffer(size).writeZero(size - HEADER_BYTES);
        ulpdu.payload(payload, 0, size - HEADER_BYTES);
        encoder = new FpduEncoder(
                AgreedParameters.builder(Role.INITIATOR).crc(crc).build(), new ConnectionCounters());
        encoded = allocator.directBuffer();
    }

    /** Gives the buffers back. */
    @TearDown
    public void close() {
        encoded.release();
        payload.release();
    }

    /** Encodes what goes before and behind the payload. */
    @Benchmark
    public int encodeByReference() {
        encoder.encodeHead(ulpdu, encoded.clear());
        encoder.encodeTrailer(ulpdu, encoded);
        return encoded.writerIndex();
    }
}
