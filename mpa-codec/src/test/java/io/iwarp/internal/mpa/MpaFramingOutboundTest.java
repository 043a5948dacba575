package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.MpaFramingInboundTest.filled;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Counter;
import io.iwarp.Role;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MpaFramingOutboundTest {

    private FramingChannel mpa = FramingChannel.initiator(true, false);

    @AfterEach
    void nothingIsLeft() {
        assertThat(mpa.finish()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    @Requirement({"MPA-16", "MPA-26"})
    void sendsMarkersExactlyWhenThePeerAskedForThem(boolean send, boolean receive) {
        mpa.finish();
        mpa = FramingChannel.established(Role.INITIATOR, true, send, receive);
        mpa.send(filled(1200, 1));
        mpa.channel.flush();

        assertThat(mpa.sent()).isEqualTo(new ReferenceFramer(true, send).frame(filled(1200, 1)));
        assertThat(mpa.count(Counter.MARKERS_SENT)).isEqualTo(send ? 3 : 0);

        mpa.receive(new ReferenceFramer(true, receive).frame(filled(600, 2)));
        assertThat(mpa.ulpdus()).containsExactly(filled(600, 2));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement({"MPA-1", "MPA-46", "MPA-47"})
    void smallFpdusLeaveTogetherInOneWriteForEachFlush(boolean markers) {
        mpa.finish();
        mpa = FramingChannel.initiator(true, markers);
        ReferenceFramer model = new ReferenceFramer(true, markers);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int i = 0; i < 50; i++) {
            mpa.send(filled(i * 7, i));
            expected.writeBytes(model.frame(filled(i * 7, i)));
        }
        assertThat(mpa.pieces()).isEmpty();

        mpa.channel.flush();

        assertThat(mpa.pieces()).containsExactly(expected.toByteArray());
        assertThat(mpa.count(Counter.FPDUS_SENT)).isEqualTo(50);
    }

    @Test
    void aFullBatchLeavesBeforeTheFlush() {
        ReferenceFramer model = new ReferenceFramer(true, false);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int i = 0; i < 100; i++) {
            mpa.send(filled(2000, i));
            expected.writeBytes(model.frame(filled(2000, i)));
        }
        mpa.channel.flush();

        List<byte[]> pieces = mpa.pieces();
        assertThat(pieces).hasSize(4).allMatch(piece -> piece.length <= MpaFramingHandler.BATCH_LIMIT);
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        pieces.forEach(sent::writeBytes);
        assertThat(sent.toByteArray()).isEqualTo(expected.toByteArray());
    }

    @Test
    void aLargePayloadIsSentByReference() {
        ByteBuf payload = mpa.channel.alloc().directBuffer(20_000).writeZero(20_000);
        mpa.outgoing.header().clear().writeBytes(filled(14, 9));
        mpa.outgoing.payload(payload, 100, 10_001);
        mpa.send(filled(20, 1));
        mpa.outgoing.header().clear().writeBytes(filled(14, 9));
        mpa.channel.write(mpa.outgoing.payload(payload, 100, 10_001), mpa.channel.voidPromise());
        mpa.send(filled(20, 2));
        mpa.channel.flush();

        assertThat(payload.refCnt()).isEqualTo(2);
        List<byte[]> pieces = mpa.pieces();
        assertThat(pieces).hasSize(3);
        assertThat(pieces.get(1)).hasSize(10_001);
        byte[] large = new byte[10_015];
        System.arraycopy(filled(14, 9), 0, large, 0, 14);
        ReferenceFramer model = new ReferenceFramer(true, false);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        expected.writeBytes(model.frame(filled(20, 1)));
        expected.writeBytes(model.frame(large));
        expected.writeBytes(model.frame(filled(20, 2)));
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        pieces.forEach(sent::writeBytes);
        assertThat(sent.toByteArray()).isEqualTo(expected.toByteArray());
        assertThat(payload.release()).isTrue();
    }

    @Test
    void manyLargePayloadsNeedNoMoreThanOneSmallPieceBetweenThem() {
        ByteBuf payload = mpa.channel.alloc().directBuffer(8192).writeZero(8192);
        ReferenceFramer model = new ReferenceFramer(true, false);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        mpa.outgoing.header().clear().writeBytes(new byte[14]);
        mpa.outgoing.payload(payload, 0, 8192);
        for (int i = 0; i < 100; i++) {
            mpa.channel.write(mpa.outgoing, mpa.channel.voidPromise());
            expected.writeBytes(model.frame(new byte[14 + 8192]));
        }
        mpa.channel.flush();

        List<byte[]> pieces = mpa.pieces();
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        pieces.forEach(sent::writeBytes);
        assertThat(sent.toByteArray()).isEqualTo(expected.toByteArray());
        assertThat(pieces.size()).isBetween(201, 210);
        assertThat(payload.release()).isTrue();
    }

    /** A transport may hold the address of what it was given until it has sent it. */
    @Test
    void writtenBytesDoNotMoveUntilSent() {
        Map<ByteBuf, Long> addresses = new LinkedHashMap<>();
        mpa.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                addresses.put((ByteBuf) message, ((ByteBuf) message).memoryAddress());
                ctx.write(message, promise);
            }
        });
        ByteBuf payload = mpa.channel.alloc().directBuffer(8192).writeZero(8192);
        mpa.outgoing.header().clear().writeBytes(new byte[14]);
        mpa.outgoing.payload(payload, 0, 8192);
        mpa.channel.write(mpa.outgoing, mpa.channel.voidPromise());
        for (int length = 100; length <= 3200; length *= 2) {
            mpa.send(filled(length, 1));
        }
        mpa.channel.flush();

        assertThat(addresses).hasSizeGreaterThan(3);
        addresses.forEach((bytes, address) -> assertThat(bytes.memoryAddress()).isEqualTo(address));
        mpa.pieces();
        payload.release();
    }

    @Test
    @Requirement("MPA-16")
    void aLargePayloadIsCopiedWhereMarkersCutIt() {
        mpa.finish();
        mpa = FramingChannel.initiator(true, true);
        ByteBuf payload = mpa.channel.alloc().directBuffer(20_000).writeBytes(filled(20_000, 5));
        mpa.outgoing.header().clear();
        ChannelFuture taken = mpa.channel.write(mpa.outgoing.payload(payload, 0, 20_000));
        mpa.channel.flush();

        assertThat(taken.isSuccess()).isTrue();
        assertThat(payload.release()).isTrue();
        assertThat(mpa.pieces()).containsExactly(new ReferenceFramer(true, true).frame(filled(20_000, 5)));
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 10_000})
    @Requirement("MPA-50")
    void aPromiseCompletesWhenAllBytesSoFarWereTaken(int length) {
        ByteBuf payload = mpa.channel.alloc().directBuffer(length).writeZero(length);
        mpa.send(filled(20, 1));
        mpa.outgoing.header().clear();
        ChannelFuture taken = mpa.channel.write(mpa.outgoing.payload(payload, 0, length));
        assertThat(taken.isDone()).isFalse();

        mpa.channel.flush();

        assertThat(taken.isSuccess()).isTrue();
        assertThat(mpa.sent()).hasSize(28 + FpduEncoder.fpduLength(length));
        payload.release();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement({"MPA-4", "MPA-6"})
    void aUlpduAbove64768IsRefusedAndPutsNothingOnTheWire(boolean markers) {
        mpa.finish();
        mpa = FramingChannel.initiator(true, markers);

        ChannelFuture refused = mpa.write(new byte[64769]);
        ChannelFuture taken = mpa.write(new byte[64768]);
        mpa.channel.flush();

        assertThat(refused.cause())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("64769")
                .hasMessageContaining("64768");
        assertThat(taken.isSuccess()).isTrue();
        assertThat(mpa.sent()).isEqualTo(new ReferenceFramer(true, markers).frame(new byte[64768]));
    }

    @Test
    @Requirement({"MPA-6", "MPA-44"})
    void ulpduOfALargerMulpduIsSentWhole() {
        ChannelFuture taken = mpa.write(new byte[9000]);
        mpa.channel.flush();

        assertThat(taken.isSuccess()).isTrue();
        assertThat(mpa.count(Counter.FPDUS_SENT)).isEqualTo(1);
        assertThat(mpa.sent()).hasSize(FpduEncoder.fpduLength(9000));
    }

    @Test
    @Requirement({"MPA-18", "MPA-28", "MPA-72"})
    void theResponderSendsNothingBeforeItIsReady() {
        mpa.finish();
        mpa = FramingChannel.responder(true, true);

        ChannelFuture early = mpa.write(filled(20, 1));
        mpa.channel.flush();

        assertThat(early.cause()).isInstanceOf(IllegalStateException.class);
        assertThat(mpa.pieces()).isEmpty();
        mpa.receive(new ReferenceFramer(true, true).frame(filled(20, 2)));
        mpa.send(filled(20, 1));
        mpa.channel.flush();
        assertThat(mpa.sent()).isEqualTo(new ReferenceFramer(true, true).frame(filled(20, 1)));
    }

    @Test
    @Requirement("MPA-28")
    void noMarkerFollowsTheLastFpdu() {
        mpa.finish();
        mpa = FramingChannel.initiator(true, true);
        mpa.channel.flush();
        assertThat(mpa.pieces()).isEmpty();

        mpa.send(filled(499, 1));
        mpa.channel.flush();
        mpa.channel.flush();

        assertThat(mpa.sent()).hasSize(512);
    }

    @Test
    void anythingButAUlpduIsRefusedAndReleased() {
        ByteBuf streaming = Unpooled.buffer().writeByte(1);

        ChannelFuture bytes = mpa.channel.write(streaming);
        ChannelFuture text = mpa.channel.write("hello");

        assertThat(bytes.cause())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("only FPDUs");
        assertThat(text.cause()).isInstanceOf(UnsupportedOperationException.class);
        assertThat(streaming.refCnt()).isZero();
    }

    @Test
    void anEmptyBufferKeepsItsPlaceAmongTheFpdus() {
        mpa.send(filled(20, 1));
        ChannelFuture marker = mpa.channel.write(Unpooled.EMPTY_BUFFER);
        mpa.send(filled(20, 2));
        mpa.channel.flush();

        assertThat(marker.isSuccess()).isTrue();
        assertThat(mpa.pieces()).hasSize(3).element(1).isEqualTo(new byte[0]);
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 10_000})
    @Requirement("MPA-50")
    void aPayloadReleasedTooEarlyFailsItsOwnWriteOnly(int length) {
        ByteBuf gone = mpa.channel.alloc().directBuffer(length).writeZero(length);
        mpa.send(filled(20, 1));
        ReferenceFramer model = new ReferenceFramer(true, false);
        mpa.outgoing.header().clear();
        mpa.outgoing.payload(gone, 0, length);
        gone.release();

        ChannelFuture failed = mpa.channel.write(mpa.outgoing);
        ChannelFuture taken = mpa.write(filled(20, 2));
        mpa.channel.flush();

        assertThat(failed.cause()).isInstanceOf(RuntimeException.class);
        assertThat(taken.isSuccess()).isTrue();
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        expected.writeBytes(model.frame(filled(20, 1)));
        expected.writeBytes(model.frame(filled(20, 2)));
        assertThat(mpa.sent()).isEqualTo(expected.toByteArray());
    }

    @Test
    @Requirement({"MPA-2", "MPA-44"})
    void announcesANewMulpduWhenTheSegmentSizeHasChanged() {
        mpa.finish();
        int[] segmentSize = {1460};
        mpa = new FramingChannel(MpaSettings.DEFAULT, channel -> segmentSize[0]);
        mpa.establish(Role.INITIATOR, true, true, true);

        sendBytes(MpaFramingHandler.MSS_CHECK_INTERVAL);
        assertThat(mpa.seen(MpaEvent.MulpduChanged.class)).isEmpty();
        segmentSize[0] = 536;
        sendBytes(MpaFramingHandler.MSS_CHECK_INTERVAL / 2);
        assertThat(mpa.seen(MpaEvent.MulpduChanged.class)).isEmpty();
        sendBytes(MpaFramingHandler.MSS_CHECK_INTERVAL / 2 + 70_000);

        assertThat(mpa.seen(MpaEvent.MulpduChanged.class)).containsExactly(new MpaEvent.MulpduChanged(522));
    }

    @Test
    void keepsTheMulpduWhenTheSettingsFixTheSegmentSize() {
        mpa.finish();
        mpa = new FramingChannel(MpaSettings.builder().emss(1448).build(), channel -> 536);
        mpa.establish(Role.INITIATOR, true, false, false);

        sendBytes(3 * MpaFramingHandler.MSS_CHECK_INTERVAL);

        assertThat(mpa.seen(MpaEvent.MulpduChanged.class)).isEmpty();
    }

    private void sendBytes(int bytes) {
        byte[] ulpdu = new byte[60_000];
        for (int sent = 0; sent < bytes; sent += ulpdu.length) {
            mpa.send(ulpdu);
            mpa.channel.flush();
            mpa.pieces();
        }
    }
}
