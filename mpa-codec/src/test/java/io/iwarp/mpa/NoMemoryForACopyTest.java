package io.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Counters;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

/** Octets that have to be copied, and no memory for it: they are let go of all the same. */
class NoMemoryForACopyTest {
    private final AbstractByteBufAllocator exhausted = new AbstractByteBufAllocator(true) {
        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            throw new OutOfMemoryError("no memory is left");
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            throw new OutOfMemoryError("no direct memory is left");
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    };

    private static ByteBuf octets() {
        return Unpooled.directBuffer(1).writeByte(1);
    }

    @Test
    void octetsInSeveralPieces() {
        Counters counters = new Counters();
        FpduInput input = new FpduInput(exhausted, new FpduDecoder(exhausted, true, false, counters), null);
        ByteBuf pieces = Unpooled.compositeBuffer().addComponents(true, octets(), octets());

        assertThat(failureOf(() -> input.add(pieces))).isInstanceOf(OutOfMemoryError.class);

        assertThat(pieces.refCnt()).isZero();
    }

    @Test
    void octetsForALocalChannel() {
        EmbeddedChannel channel = new EmbeddedChannel(new LocalTransportHandler());
        channel.config().setAllocator(exhausted);
        ByteBuf octets = octets();

        assertThat(channel.writeAndFlush(octets).cause()).isInstanceOf(OutOfMemoryError.class);

        assertThat(octets.refCnt()).isZero();
        channel.finishAndReleaseAll();
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
