package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MpaFramingInboundTest {

    private FramingChannel mpa = FramingChannel.initiator(true, true);

    @AfterEach
    void nothingIsLeft() {
        assertThat(mpa.finish()).isFalse();
    }

    @Test
    @Requirement({"MPA-1", "MPA-47", "MPA-29"})
    void tenFpdusInOneReadAreTenUlpdus() {
        ReferenceFramer peer = new ReferenceFramer(true, true);
        ByteArrayOutputStream wire = new ByteArrayOutputStream();
        List<byte[]> ulpdus = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            ulpdus.add(filled(100 + i, i));
            wire.writeBytes(peer.frame(ulpdus.get(i)));
        }

        mpa.receive(wire.toByteArray());

        assertThat(mpa.ulpdus()).containsExactlyElementsOf(ulpdus);
        assertThat(mpa.count(Counter.FPDUS_RECEIVED)).isEqualTo(10);
        assertThat(mpa.count(Counter.CRC_CHECKED)).isEqualTo(10);
        assertThat(mpa.count(Counter.MARKERS_RECEIVED)).isEqualTo(peer.markersInserted());
    }

    @Test
    void wholeFpdusAreHandedUpWhereTheyLie() {
        mpa.finish();
        mpa = FramingChannel.initiator(true, false);
        ReferenceFramer peer = new ReferenceFramer(true, false);
        ByteBuf read = mpa.channel.alloc().directBuffer(256);
        read.writeBytes(peer.frame(filled(10, 1))).writeBytes(peer.frame(filled(20, 2)));
        List<Integer> indices = new ArrayList<>();
        mpa.onUlpdu = (buffer, index, length) -> {
            assertThat(buffer).isSameAs(read);
            indices.add(index);
            return true;
        };

        mpa.channel.writeInbound(read);

        assertThat(indices).containsExactly(2, 18);
        assertThat(read.refCnt()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 7, 100, 511, 513})
    @Requirement({"MPA-48", "MPA-49"})
    void anySegmentationGivesTheSameUlpdus(int cut) {
        ReferenceFramer peer = new ReferenceFramer(true, true);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        List<byte[]> ulpdus = new ArrayList<>();
        for (int length : new int[] {0, 20, 499, 503, 1200, 42, 1, 3000}) {
            ulpdus.add(filled(length, length));
            all.writeBytes(peer.frame(filled(length, length)));
        }
        byte[] wire = all.toByteArray();
        for (int from = 0; from < wire.length; from += cut) {
            mpa.receive(Arrays.copyOfRange(wire, from, Math.min(wire.length, from + cut)));
        }

        assertThat(mpa.ulpdus()).containsExactlyElementsOf(ulpdus);
    }

    @Test
    @Requirement("MPA-49")
    void fpduIsDeliveredAfterItsLastCrcByte() {
        byte[] wire = new ReferenceFramer(true, true).frame(filled(42, 7));

        mpa.receive(Arrays.copyOf(wire, wire.length - 1));
        assertThat(mpa.ulpdus()).isEmpty();

        mpa.receive(new byte[] {wire[wire.length - 1]});
        assertThat(mpa.ulpdus()).hasSize(1);
    }

    @Test
    @Requirement("MPA-48")
    void takesCompositeHeapReadOnlyAndSharedBuffers() {
        ReferenceFramer peer = new ReferenceFramer(true, true);
        byte[] first = peer.frame(filled(700, 1));
        byte[] second = peer.frame(filled(800, 2));
        byte[] third = peer.frame(filled(900, 3));
        byte[] fourth = peer.frame(filled(1000, 4));
        ByteBuf shared = mpa.channel.alloc().directBuffer(2000).writeBytes(fourth);

        mpa.channel.writeInbound(Unpooled.wrappedBuffer(
                Unpooled.copiedBuffer(first, 0, 500), Unpooled.copiedBuffer(first, 500, first.length - 500)));
        mpa.channel.writeInbound(Unpooled.copiedBuffer(second));
        mpa.channel.writeInbound(Unpooled.copiedBuffer(third).asReadOnly());
        mpa.channel.writeInbound(shared.retainedSlice());
        mpa.channel.writeInbound(Unpooled.EMPTY_BUFFER);

        assertThat(mpa.ulpdus()).containsExactly(filled(700, 1), filled(800, 2), filled(900, 3), filled(1000, 4));
        assertThat(ByteBufUtil.getBytes(shared)).isEqualTo(fourth);
        assertThat(shared.release()).isTrue();
    }

    @Test
    @Requirement({"MPA-7", "MPA-12"})
    void aUlpduWithoutBytesIsPassedUp() {
        mpa.receive(new ReferenceFramer(true, true).frame(new byte[0]));

        assertThat(mpa.ulpdus()).containsExactly(new byte[0]);
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false"})
    @Requirement({"MPA-40", "MPA-84", "MPA-87", "MPA-88", "MPA-89"})
    void badCrcStopsDeliveryAndKeepsTheChannelOpen(boolean crc, boolean markers) {
        mpa.finish();
        mpa = FramingChannel.initiator(crc, markers);
        ReferenceFramer peer = new ReferenceFramer(crc, markers);
        byte[] bad = peer.frame(filled(42, 1));
        bad[20] ^= 1;
        byte[] good = peer.frame(filled(42, 2));
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(bad);
        both.writeBytes(good);

        mpa.receive(both.toByteArray());
        mpa.receive(good);
        mpa.receive(new byte[] {1});

        assertThat(mpa.ulpdus()).isEmpty();
        assertThat(mpa.seen(MpaEvent.Fault.class)).hasSize(1);
        MpaEvent.Fault fault = mpa.seen(MpaEvent.Fault.class).get(0);
        assertThat(fault.fault().error()).isEqualTo(ProtocolError.MPA_CRC_MISMATCH);
        assertThat(fault.transmitReady()).isTrue();
        assertThat(mpa.channel.isOpen()).isTrue();
    }

    @Test
    @Requirement({"MPA-30", "MPA-85", "MPA-88", "MPA-89"})
    void aMarkerThatPointsElsewhereIsAnErrorOfItsOwn() {
        mpa.finish();
        mpa = FramingChannel.initiator(false, true);
        byte[] bad = new ReferenceFramer(false, true).frame(filled(600, 1));
        bad[512 + 3] = (byte) (bad[512 + 3] + 4);

        mpa.receive(bad);

        assertThat(mpa.seen(MpaEvent.Fault.class).get(0).fault().error()).isEqualTo(ProtocolError.MPA_MARKER_MISMATCH);
        assertThat(mpa.channel.isOpen()).isTrue();
    }

    @Test
    @Requirement("MPA-89")
    void aLastMessageCanStillBeSentAfterAnError() {
        mpa.finish();
        mpa = FramingChannel.initiator(true, false);
        mpa.receive(new byte[] {0, 2, 1, 1, 0, 0, 0, 0});
        assertThat(mpa.seen(MpaEvent.Fault.class)).hasSize(1);

        mpa.send(filled(22, 3));
        mpa.channel.flush();

        assertThat(mpa.sent()).isEqualTo(new ReferenceFramer(true, false).frame(filled(22, 3)));
    }

    @Test
    @Requirement("MPA-72")
    void responderMaySendAfterTheFirstValidFpdu() {
        mpa.finish();
        mpa = FramingChannel.responder(true, true);
        assertThat(mpa.seen(MpaEvent.TransmitReady.class)).isEmpty();
        ReferenceFramer peer = new ReferenceFramer(true, true);

        mpa.receive(peer.frame(filled(20, 1)));
        mpa.receive(peer.frame(filled(20, 2)));

        assertThat(mpa.seen.get(0)).isInstanceOf(MpaEvent.Established.class);
        assertThat(mpa.seen.get(1)).isInstanceOf(MpaEvent.TransmitReady.class);
        assertThat(mpa.seen.get(2)).isEqualTo(filled(20, 1));
        assertThat(mpa.seen.get(3)).isEqualTo(filled(20, 2));
        assertThat(mpa.seen).hasSize(4);
    }

    @Test
    @Requirement("MPA-72")
    void theResponderIsNotReadyWhenItsFirstFpduIsBad() {
        mpa.finish();
        mpa = FramingChannel.responder(true, true);
        byte[] bad = new ReferenceFramer(true, true).frame(filled(20, 1));
        bad[10] ^= 1;

        mpa.receive(bad);

        assertThat(mpa.seen(MpaEvent.TransmitReady.class)).isEmpty();
        assertThat(mpa.seen(MpaEvent.Fault.class).get(0).transmitReady()).isFalse();
    }

    @Test
    void theInitiatorIsReadyToSendRightAfterStartUp() {
        assertThat(mpa.seen.get(0)).isInstanceOf(MpaEvent.Established.class);
        assertThat(mpa.seen.get(1)).isInstanceOf(MpaEvent.TransmitReady.class);
        assertThat(mpa.seen).hasSize(2);
    }

    @Test
    void bothEndsOfAPreAgreedStartAreReadyToSendAtOnce() {
        mpa.finish();
        MpaSettings preAgreed = MpaSettings.builder().start(StartMode.PREAGREED).build();
        mpa = new FramingChannel(preAgreed, TcpSegmentSize::of).establish(Role.RESPONDER, true, true, true);

        assertThat(mpa.seen(MpaEvent.TransmitReady.class)).hasSize(1);
    }

    @Test
    void leavesThePipelineWhenTheConnectionWasRejected() {
        FramingChannel rejected = new FramingChannel();
        MpaEvent event = new MpaEvent.Rejected(EndedBy.PEER_REJECTED, new byte[] {1});

        rejected.channel.pipeline().fireUserEventTriggered(event);
        ByteBuf streaming = Unpooled.buffer().writeByte(1);
        rejected.channel.writeInbound(streaming);

        assertThat(rejected.seen).containsExactly(event);
        assertThat(rejected.channel.pipeline().get(MpaFramingHandler.class)).isNull();
        assertThat(rejected.channel.<ByteBuf>readInbound()).isSameAs(streaming);
        streaming.release();
        assertThat(rejected.finish()).isFalse();
    }

    @Test
    void bytesBeforeTheEndOfStartUpAreAMistakeInThePipeline() {
        FramingChannel early = new FramingChannel();

        early.receive(new byte[] {1, 2, 3});

        assertThat(early.seen).hasSize(1).first().isInstanceOf(IllegalStateException.class);
        assertThat(early.finish()).isFalse();
    }

    static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }
}
