package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.MpaFramingInboundTest.filled;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ProtocolError;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MpaFramingTeardownTest {

    private FramingChannel mpa = FramingChannel.initiator(true, true);

    @AfterEach
    void nothingIsLeft() {
        assertThat(mpa.finish()).isFalse();
    }

    @Test
    @Requirement({"MPA-81", "MPA-82"})
    void endOfInputBetweenFpdusIsAHalfCloseAndTheOtherHalfWorksOn() {
        mpa.receive(new ReferenceFramer(true, true).frame(filled(20, 1)));
        endOfInput();

        assertThat(mpa.seen(MpaEvent.InputShutdown.class)).hasSize(1);
        assertThat(mpa.seen(MpaEvent.Fault.class)).isEmpty();
        assertThat(mpa.channel.isOpen()).isTrue();
        mpa.send(filled(20, 2));
        mpa.channel.flush();
        assertThat(mpa.sent()).isEqualTo(new ReferenceFramer(true, true).frame(filled(20, 2)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 5, 6, 100, 600})
    @Requirement({"MPA-83", "MPA-87"})
    void endOfInputInsideAnFpduIsALostConnection(int bytes) {
        mpa.receive(Arrays.copyOf(new ReferenceFramer(true, true).frame(filled(700, 1)), bytes));
        endOfInput();

        assertLost();
        assertThat(mpa.seen)
                .as("the FIN is announced after the fault")
                .containsSubsequence(mpa.seen(MpaEvent.Fault.class).get(0), new MpaEvent.InputShutdown());
        assertThat(mpa.channel.isOpen()).isTrue();
    }

    @Test
    @Requirement("MPA-83")
    void theEndOfTheChannelInsideAnFpduIsALostConnectionReportedFirst() {
        mpa.receive(new byte[] {0, 0, 0, 0, 0});
        mpa.channel.pipeline().fireChannelInactive();

        assertLost();
        assertThat(mpa.seen.indexOf("channelInactive"))
                .isGreaterThan(mpa.seen.indexOf(mpa.seen(MpaEvent.Fault.class).get(0)));
    }

    @Test
    void theEndOfTheChannelBetweenFpdusIsNoError() {
        mpa.receive(new ReferenceFramer(true, true).frame(filled(20, 1)));
        mpa.channel.pipeline().fireChannelInactive();

        assertThat(mpa.seen(MpaEvent.Fault.class)).isEmpty();
        assertThat(mpa.seen).contains("channelInactive");
    }

    @Test
    void closingHereInsideAnFpduIsNoError() {
        mpa.receive(new byte[] {0, 0, 0, 0, 0});
        mpa.close();

        assertThat(mpa.seen(MpaEvent.Fault.class)).isEmpty();
    }

    @Test
    @Requirement({"MPA-83", "MPA-87"})
    void anErrorOfTheTransportIsALostConnection() {
        IOException reset = new IOException("Connection reset by peer");
        mpa.channel.pipeline().fireExceptionCaught(reset);
        mpa.channel.pipeline().fireExceptionCaught(new IOException("again"));
        mpa.channel.pipeline().fireChannelInactive();

        assertLost();
        assertThat(mpa.seen(MpaEvent.Fault.class).get(0).fault().detail()).contains("Connection reset by peer");
        assertThat(mpa.seen).contains(reset);
    }

    @Test
    void theEndOfInputIsStillAnnouncedAfterAnError() {
        mpa.receive(new byte[64]);
        assertThat(mpa.seen(MpaEvent.Fault.class)).hasSize(1);
        endOfInput();

        assertThat(mpa.seen(MpaEvent.InputShutdown.class)).hasSize(1);
        assertThat(mpa.seen(MpaEvent.Fault.class)).hasSize(1);
    }

    @Test
    @Requirement("MPA-88")
    void closingFromAboveInTheMiddleOfABatchStopsCleanly() {
        mpa.onUlpdu = (buffer, index, length) -> {
            int before = buffer.getByte(index);
            mpa.closeFromWithin();
            assertThat(buffer.refCnt()).isPositive();
            assertThat(buffer.getByte(index)).isEqualTo((byte) before);
            return true;
        };

        mpa.receive(threeFpdus());

        assertThat(mpa.ulpdus()).containsExactly(filled(700, 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 300, 708})
    void removingTheHandlerFromAboveInTheMiddleOfABatchStopsCleanly(int cut) {
        mpa.onUlpdu = (buffer, index, length) -> {
            mpa.channel.pipeline().remove(mpa.framing);
            assertThat(buffer.refCnt()).isPositive();
            assertThat(buffer.getByte(index)).isEqualTo((byte) 1);
            return true;
        };
        byte[] wire = threeFpdus();
        if (cut > 0) {
            mpa.receive(Arrays.copyOf(wire, cut));
        }
        mpa.receive(Arrays.copyOfRange(wire, cut, wire.length));

        assertThat(mpa.ulpdus()).containsExactly(filled(700, 1));
    }

    @Test
    void bytesReadDuringDeliveryAreQueued() {
        ReferenceFramer peer = new ReferenceFramer(true, true);
        byte[] first = peer.frame(filled(700, 1));
        byte[] second = peer.frame(filled(700, 2));
        byte[] third = peer.frame(filled(700, 3));
        boolean[] again = {true};
        mpa.onUlpdu = (buffer, index, length) -> {
            if (again[0]) {
                again[0] = false;
                mpa.channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(third));
                assertThat(buffer.getByte(index)).isEqualTo((byte) 1);
            }
            return true;
        };

        mpa.receive(join(first, second));

        assertThat(mpa.ulpdus()).containsExactly(filled(700, 1), filled(700, 2), filled(700, 3));
    }

    @Test
    @Requirement("MPA-50")
    void removedHandlerFlushesAcceptedMessages() {
        mpa.send(filled(20, 1));
        mpa.channel.pipeline().remove(mpa.framing);

        assertThat(mpa.sent()).isEqualTo(new ReferenceFramer(true, true).frame(filled(20, 1)));
    }

    @Test
    @Requirement("MPA-50")
    void acceptedWritesFailWhenTheChannelEnds() {
        mpa.finish();
        mpa = FramingChannel.initiator(true, false);
        ByteBuf payload = mpa.channel.alloc().directBuffer(10_000).writeZero(10_000);
        mpa.send(filled(20, 1));
        mpa.outgoing.header().clear();
        ChannelFuture pending = mpa.channel.write(mpa.outgoing.payload(payload, 0, 10_000));
        mpa.send(filled(20, 2));

        mpa.close();
        ChannelFuture late = mpa.write(filled(20, 3));

        assertThat(pending.isDone()).isTrue();
        assertThat(pending.isSuccess()).isFalse();
        assertThat(late.isDone()).isTrue();
        assertThat(late.cause()).isInstanceOf(IOException.class);
        assertThat(payload.release()).isTrue();
    }

    /** A transport that fails at once makes the layers above tear down while a write is running. */
    @ParameterizedTest
    @ValueSource(ints = {20, 10_000})
    void promiseFailsWhenHandlerIsRemovedDuringWrite(int length) {
        mpa.finish();
        mpa = FramingChannel.initiator(true, false);
        mpa.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                ReferenceCountUtil.release(message);
                if (ctx.pipeline().get(MpaFramingHandler.class) != null) {
                    ctx.pipeline().remove(MpaFramingHandler.class);
                }
                promise.tryFailure(new IOException("broken pipe"));
            }
        });
        ByteBuf payload = mpa.channel.alloc().directBuffer(length).writeZero(length);
        mpa.outgoing.header().clear();

        ChannelFuture failed = mpa.channel.write(mpa.outgoing.payload(payload, 0, length));

        assertThat(failed.isDone()).isTrue();
        assertThat(failed.cause()).isInstanceOf(IOException.class);
        assertThat(payload.release()).isTrue();
    }

    private void endOfInput() {
        mpa.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        assertThat(mpa.seen).contains(ChannelInputShutdownEvent.INSTANCE);
    }

    private void assertLost() {
        assertThat(mpa.seen(MpaEvent.Fault.class)).hasSize(1);
        assertThat(mpa.seen(MpaEvent.Fault.class).get(0).fault().error()).isEqualTo(ProtocolError.MPA_CONNECTION_LOST);
    }

    private static byte[] threeFpdus() {
        ReferenceFramer peer = new ReferenceFramer(true, true);
        return join(
                join(peer.frame(filled(700, 1)), peer.frame(filled(700, 2))),
                Arrays.copyOf(peer.frame(filled(700, 3)), 100));
    }

    private static byte[] join(byte[] one, byte[] other) {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(one);
        both.writeBytes(other);
        return both.toByteArray();
    }
}
