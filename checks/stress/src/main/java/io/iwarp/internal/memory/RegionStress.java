package io.iwarp.internal.memory;

import io.iwarp.internal.Settings;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RegionClosedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Cases of {@link MemoryRegion} and {@link MemoryWindow}: an invalidated one stays invalid and leaks nothing. */
public final class RegionStress {
    private RegionStress() {}

    /** A region and a device of its own. */
    static class Registered {
        static final int LENGTH = 256;
        private static final ByteBuf SOURCE =
                Unpooled.unreleasableBuffer(UnpooledByteBufAllocator.DEFAULT.directBuffer(LENGTH, LENGTH));

        static {
            while (SOURCE.isWritable()) {
                SOURCE.writeByte(1);
            }
        }

        final DefaultIwarpDevice device = new DefaultIwarpDevice(Settings.DEFAULT, new Random(1));
        final ProtectionDomain domain = device.createProtectionDomain();
        final StreamAssociation stream = StreamAssociation.open(domain);
        final ByteBuf memory =
                UnpooledByteBufAllocator.DEFAULT.directBuffer(LENGTH, LENGTH).setZero(0, LENGTH);
        final MemoryRegion region =
                domain.region().buffers(memory).rights(AccessRight.REMOTE_WRITE).register();
        private int sumAtEnd;

        final boolean place() {
            TaggedBuffer buffer = stream.lookup(region.stag());
            return buffer != null && buffer.place(0, SOURCE, 0, LENGTH);
        }

        final void remember() {
            sumAtEnd = sum();
        }

        private int sum() {
            int sum = 0;
            for (int i = 0; i < LENGTH; i++) {
                sum += memory.getByte(i);
            }
            return sum;
        }

        final boolean isAsRemembered() {
            int sum = sum();
            return sum == sumAtEnd && (sum == 0 || sum == LENGTH);
        }
    }

    /** A peer's bytes are placed while the region is invalidated. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "placed before")
    @Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "not placed")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the memory changed after invalidate() had returned, or in part")
    @State
    public static class InvalidateBesidePlacement extends Registered {
        private boolean placed;

        /** Places. */
        @Actor
        public void loop() {
            placed = place();
        }

        /** Invalidates the STag. */
        @Actor
        public void owner() {
            region.invalidate();
            remember();
        }

        /** Looks again. */
        @Arbiter
        public void rest(ZZ_Result result) {
            result.r1 = placed;
            result.r2 = isAsRemembered() && !place();
            region.close();
            memory.release();
        }
    }

    /** A peer's bytes are placed while the region is closed. */
    @JCStressTest
    @Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "placed before")
    @Outcome(id = "false, true, true", expect = Expect.ACCEPTABLE, desc = "not placed")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the memory changed after close() had returned, or was not let go of")
    @State
    public static class CloseBesidePlacement extends Registered {
        private boolean placed;

        /** Places. */
        @Actor
        public void loop() {
            placed = place();
        }

        /** Closes the region. */
        @Actor
        public void owner() {
            region.close();
            remember();
        }

        /** Looks again. */
        @Arbiter
        public void rest(ZZZ_Result result) {
            result.r1 = placed;
            result.r2 = isAsRemembered() && !place();
            result.r3 = memory.refCnt() == 1 && device.regionCount() == 0;
            memory.release();
        }
    }

    /** Numbers are changed while a peer reads the bytes around them, and this side reads and copies them. */
    @JCStressTest
    @Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "each number was read whole")
    @Outcome(expect = Expect.FORBIDDEN, desc = "part of a number was read")
    @State
    public static class ReadBesideChangeOfNumbers extends Registered {
        private static final int START = 3;
        private final ByteBuf response = UnpooledByteBufAllocator.DEFAULT.directBuffer(LENGTH, LENGTH);
        private final ByteBuf copy = Unpooled.buffer(LENGTH, LENGTH);
        private final long[] numbers = new long[LENGTH / Long.BYTES];

        /** Changes each number from 0 to -1. */
        @Actor
        public void owner() {
            for (int i = 0; i < LENGTH; i += Long.BYTES) {
                region.setVolatile(i, -1);
            }
        }

        /** Reads for a peer, from an address that is not aligned to one that is, then for this side. */
        @Actor
        public void loop() {
            TaggedBuffer buffer = Objects.requireNonNull(stream.lookup(region.stag()));
            buffer.fetch(START, response, 0, LENGTH - START);
            region.getLongs(0, numbers);
            region.getBytes(0, copy, LENGTH);
        }

        /** Looks at what was read. */
        @Arbiter
        public void rest(ZZZ_Result result) {
            result.r1 = areWhole(response, Long.BYTES - START);
            result.r2 = Arrays.stream(numbers).allMatch(number -> number == 0 || number == -1);
            result.r3 = areWhole(copy, 0);
            region.close();
            memory.release();
            response.release();
        }

        private static boolean areWhole(ByteBuf bytes, int first) {
            boolean whole = true;
            for (int i = first; i + Long.BYTES <= LENGTH - START; i += Long.BYTES) {
                whole &= bytes.getLong(i) == 0 || bytes.getLong(i) == -1;
            }
            return whole;
        }
    }

    /** A window is bound for a stream while its region is closed. */
    @JCStressTest
    @Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "bound before, and ended with the region")
    @Outcome(id = "false, true, true", expect = Expect.ACCEPTABLE, desc = "not bound")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a window outlives its region, or is left in the device or the stream")
    @State
    public static class BindBesideClose extends Registered {
        private @Nullable MemoryWindow window;

        /** Binds. */
        @Actor
        public void binder() {
            try {
                window = stream.window(region, 0, 1).bind();
            } catch (RegionClosedException closed) {
                // Not bound.
            }
        }

        /** Closes. */
        @Actor
        public void owner() {
            region.close();
        }

        /** Looks for what is left. */
        @Arbiter
        public void rest(ZZZ_Result result) {
            MemoryWindow bound = window;
            result.r1 = bound != null;
            result.r2 = bound == null || (!bound.isValid() && stream.lookup(bound.stag()) == null);
            result.r3 = stream.holderCount() == 0 && device.windowCount() == 0;
            memory.release();
        }
    }

    /** A window is bound for a stream while the stream ends. */
    @JCStressTest
    @Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "bound before, and ended with the stream")
    @Outcome(id = "false, true, true", expect = Expect.ACCEPTABLE, desc = "not bound")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a window outlives its stream, or is left in the device or the stream")
    @State
    public static class BindBesideEndOfStream extends Registered {
        private @Nullable MemoryWindow window;

        /** Binds. */
        @Actor
        public void binder() {
            try {
                window = stream.window(region, 0, 1).bind();
            } catch (RegionClosedException closed) {
                // Not bound.
            }
        }

        /** Ends the stream. */
        @Actor
        public void loop() {
            stream.close();
        }

        /** Looks for what is left. */
        @Arbiter
        public void rest(ZZZ_Result result) {
            MemoryWindow bound = window;
            result.r1 = bound != null;
            result.r2 = bound == null || (!bound.isValid() && device.stags().find(bound.stag()) == null);
            result.r3 = device.windowCount() == 0;
            region.close();
            memory.release();
        }
    }
}
