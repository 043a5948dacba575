package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.InputBudget;
import io.iwarp.testing.ExhaustedAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

/** Bytes in several pieces have to be copied; if there is no memory for that, they are let go of all the same. */
class NoMemoryForACopyTest {
    @Test
    void bytesInSeveralPieces() {
        ByteBufAllocator exhausted = new ExhaustedAllocator();
        ConnectionCounters counters = new ConnectionCounters();
        FpduInput input = new FpduInput(
                exhausted, new FpduDecoder(exhausted, true, false, counters), new InputBudget(1 << 20), () -> {});
        ByteBuf pieces = Unpooled.compositeBuffer().addComponents(true, bytes(), bytes());

        assertThat(failureOf(() -> input.add(pieces))).isInstanceOf(OutOfMemoryError.class);

        assertThat(pieces.refCnt()).isZero();
    }

    private static ByteBuf bytes() {
        return Unpooled.directBuffer(1).writeByte(1);
    }

    /** JUnit gives up all tests for an OutOfMemoryError. */
    private static Throwable failureOf(Runnable call) {
        try {
            call.run();
        } catch (OutOfMemoryError failure) {
            return failure;
        }
        throw new AssertionError("there was memory");
    }
}
