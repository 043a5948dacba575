package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ProtocolError;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.ByteSpan;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the layer above may say to a delivery, and what it learns about the message. */
class DdpDeliveryTest {
    private static final int IMMEDIATE_DATA = 0x48;
    private static final ProtocolFault REFUSED =
            new ProtocolFault(ProtocolError.RDMAP_OPERATION_UNSPECIFIED, "for the test");

    private final ReceiverFixture peer = new ReceiverFixture();

    @AfterEach
    void close() {
        peer.close();
    }

    @Test
    @Requirement({"DDP-64", "DDP-65", "DDP-66"})
    void anUntaggedMessageThatTheUlpRefusesOnDeliveryEndsReception() {
        peer.ulp.post(0, 8);
        UntaggedBuffer next = peer.ulp.post(0, 8);
        peer.ulp.deliveryVerdict = REFUSED;
        byte[] last = Segment.untagged(0, 1)
                .reservedBits()
                .invalidateStag(0x01020304)
                .offset(2)
                .payload("cde")
                .ulpdu();
        peer.receives(Segment.untagged(0, 1).last(false).payload("ab"));
        peer.receives(last);
        peer.receives(Segment.untagged(0, 2).payload("dropped"));

        assertThat(peer.ulp.events)
                .containsExactly(
                        "untagged queue 0 MSN 1 control 43 rsvd 00000000 length 5",
                        "fault RDMAP_OPERATION_UNSPECIFIED");
        assertThat(peer.ulp.faults).containsExactly(REFUSED);
        assertFaultOf(last);
        assertThat(RecordingUlp.bytes(next.sink(), 8)).containsOnly(0);
    }

    @Test
    @Requirement({"DDP-64", "DDP-65", "DDP-66"})
    void aTaggedMessageThatTheUlpRefusesOnDeliveryEndsReception() {
        MemoryRegion region = peer.region(8, 0x100);
        peer.ulp.deliveryVerdict = REFUSED;
        byte[] last = Segment.tagged(region.stag(), 0x102).payload("cd").ulpdu();
        peer.receives(Segment.tagged(region.stag(), 0x100).last(false).payload("ab"));
        peer.receives(last);
        peer.receives(Segment.tagged(region.stag(), 0x104).payload("ef"));

        assertThat(peer.ulp.events)
                .containsExactly(
                        String.format("tagged %08x control 40", region.stag()), "fault RDMAP_OPERATION_UNSPECIFIED");
        assertFaultOf(last);
        assertThat(ReceiverFixture.contentOf(region)).containsExactly('a', 'b', 'c', 'd', 0, 0, 0, 0);
    }

    @Test
    void segmentIsReportedBetweenPlacementAndDelivery() {
        MemoryRegion region = peer.region(8, 0x100);
        peer.ulp.post(0, 8);
        peer.ulp.recordsPlacements = true;
        peer.receives(Segment.untagged(0, 1).last(false).payload("ab"));
        peer.receives(Segment.untagged(0, 1).offset(2));
        peer.receives(Segment.tagged(region.stag(), 0x100).last(false).payload("abc"));
        peer.receives(Segment.tagged(region.stag(), 0x103));
        peer.receives(Segment.tagged(region.stag(), 0x106).payload("abc"));

        assertThat(peer.ulp.events)
                .containsExactly(
                        "placed",
                        "placed",
                        "untagged queue 0 MSN 1 control 43 rsvd 00000000 length 2",
                        "placed",
                        "placed tagged 3",
                        "placed",
                        "placed tagged 0",
                        String.format("tagged %08x control 40", region.stag()),
                        "fault DDP_TAGGED_BASE_OR_BOUNDS");
    }

    @Test
    void aSegmentThatIsHeldBackIsPlacedOnce() {
        peer.ulp.recordsPlacements = true;
        peer.ulp.awaitsBuffers = true;
        Segment segment = Segment.untagged(0, 1).payload("ab");
        assertThat(peer.takes(segment)).isFalse();
        assertThat(peer.takes(segment)).isFalse();
        assertThat(peer.ulp.events).isEmpty();
        peer.ulp.post(0, 8);

        assertThat(peer.takes(segment)).isTrue();
        assertThat(peer.ulp.events)
                .containsExactly("placed", "untagged queue 0 MSN 1 control 43 rsvd 00000000 length 2");
    }

    @Test
    @Requirement({"DDP-36", "DDP-37", "DDP-65"})
    void aRefusedMessageThatHadWaitedIsTheOneThatTheReportNames() {
        for (int i = 0; i < 3; i++) {
            peer.ulp.post(0, 8);
        }
        byte[] second = Segment.untagged(0, 2)
                .control(0x44)
                .reservedBits()
                .invalidateStag(0xCAFE_BABE)
                .payload("second")
                .ulpdu();
        peer.receives(Segment.untagged(0, 3).payload("third"));
        peer.receives(second);
        peer.ulp.onDelivery = () -> peer.ulp.deliveryVerdict = peer.ulp.delivered.size() == 2 ? REFUSED : null;
        peer.receives(Segment.untagged(0, 1).payload("1"));

        assertThat(peer.ulp.delivered).extracting(String::new).containsExactly("1", "second");
        assertThat(peer.ulp.faults).containsExactly(REFUSED);
        assertFaultOf(second);
    }

    @Test
    @Requirement("DDP-65")
    void reportNamesTheRefusedMessageDespiteBufferReuse() {
        UntaggedBuffer first = peer.ulp.post(0, 8);
        UntaggedBuffer second = peer.ulp.post(0, 8);
        byte[] last = Segment.untagged(0, 2).payload("second").ulpdu();
        peer.receives(last);
        peer.ulp.onDelivery = () -> {
            UntaggedBuffer delivered = peer.ulp.delivered.size() == 1 ? first : second;
            delivered.reset();
            peer.ulp.post(0, delivered);
            peer.ulp.deliveryVerdict = delivered == second ? REFUSED : null;
        };
        peer.receives(Segment.untagged(0, 1).payload("first"));

        assertFaultOf(last);
    }

    @Test
    @Requirement({"DDP-36", "DDP-65"})
    void reportNamesTheLastSegmentOfARefusedMessage() {
        Seeds.forEach(200, (seed, random) -> {
            try (ReceiverFixture shuffled = new ReceiverFixture()) {
                int messages = 1 + random.nextInt(6);
                int refused = random.nextInt(messages);
                List<byte[]> segments = new ArrayList<>();
                for (int i = 0; i < messages; i++) {
                    shuffled.ulp.post(0, 100);
                    int before = random.nextInt(50);
                    shuffled.receives(Segment.untagged(0, i + 1).last(false).payload(new byte[before]));
                    segments.add(Segment.untagged(0, i + 1)
                            .invalidateStag(random.nextInt())
                            .offset(before)
                            .payload(new byte[random.nextInt(50)])
                            .ulpdu());
                }
                byte[] culprit = segments.get(refused);
                Collections.shuffle(segments, random);
                shuffled.ulp.onDelivery = () ->
                        shuffled.ulp.deliveryVerdict = shuffled.ulp.delivered.size() == refused + 1 ? REFUSED : null;
                segments.forEach(shuffled::receives);

                assertThat(shuffled.ulp.delivered).hasSize(refused + 1);
                assertThat(shuffled.ulp.faultHeaders).containsExactly(Arrays.copyOf(culprit, 18));
                assertThat(shuffled.ulp.faultUlpduLength).isEqualTo(culprit.length);
            }
        });
    }

    private void assertFaultOf(byte[] ulpdu) {
        int headerLength = Ulpdus.segment(ulpdu).headerLength();
        assertThat(peer.ulp.faultHeaders).containsExactly(Arrays.copyOf(ulpdu, headerLength));
        assertThat(peer.ulp.faultUlpduLength).isEqualTo(ulpdu.length);
        assertThat(peer.ulp.faultHeaderComplete).isTrue();
    }

    @Test
    @Requirement("DDP-65")
    void deliveredBufferKeepsItsLastSegmentUntilReset() {
        UntaggedBuffer buffer = peer.ulp.post(1, 8);
        byte[] last = Segment.untagged(1, 1)
                .reservedBits()
                .control(0x41)
                .invalidateStag(0xFEDC_BA98)
                .offset(2)
                .payload("cd")
                .ulpdu();
        peer.receives(Segment.untagged(1, 1).last(false).payload("ab"));
        assertThatThrownBy(buffer::lastSegmentLength).isInstanceOf(IllegalStateException.class);
        peer.receives(last);

        ByteBuf header = Unpooled.buffer();
        buffer.lastHeader(header);
        assertThat(ByteBufUtil.getBytes(header)).isEqualTo(Arrays.copyOf(last, 18));
        assertThat(buffer.lastSegmentLength()).isEqualTo(last.length);
        buffer.reset();
        assertThatThrownBy(() -> buffer.lastHeader(header))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has not arrived");
    }

    @Test
    void aBufferMayKeepMessagesOfTheUlpOutOfItsSink() {
        SplitBuffer buffer = new SplitBuffer();
        peer.ulp.post(0, buffer);
        peer.receives(Segment.untagged(0, 1).control(IMMEDIATE_DATA).payload("12345678"));
        assertThat(peer.ulp.events).containsExactly("untagged queue 0 MSN 1 control 48 rsvd 00000000 length 8");
        assertThat(buffer.own.array()).containsExactly("12345678".getBytes(StandardCharsets.US_ASCII));
        assertThat(buffer.applications.array()).containsOnly(0);

        buffer.reset();
        peer.ulp.post(0, buffer);
        peer.receives(Segment.untagged(0, 2).payload("abc"));
        assertThat(buffer.applications.array()).containsExactly('a', 'b', 'c', 0);
    }

    @Test
    @Requirement("DDP-57")
    void theRoomIsThatOfTheSinkThatWasChosen() {
        peer.ulp.post(0, new SplitBuffer());
        peer.receives(Segment.untagged(0, 1).control(IMMEDIATE_DATA).payload("123456789"));

        assertThat(peer.ulp.events).containsExactly("fault DDP_UNTAGGED_MESSAGE_TOO_LONG");
    }

    @Test
    @Requirement({"DDP-17", "DDP-57"})
    void changedRsvdUlpKeepsTheSinkOfTheFirstSegment() {
        SplitBuffer buffer = new SplitBuffer();
        peer.ulp.post(0, buffer);
        peer.receives(Segment.untagged(0, 1).last(false));
        peer.receives(Segment.untagged(0, 1).control(IMMEDIATE_DATA).payload("12345678"));

        assertThat(peer.ulp.events).containsExactly("fault DDP_UNTAGGED_MESSAGE_TOO_LONG");
        assertThat(buffer.own.array()).containsOnly(0);
        assertThat(buffer.applications.array()).containsOnly(0);
    }

    /** A buffer of 4 bytes for the application, and 8 for the ULP. */
    private static final class SplitBuffer extends UntaggedBuffer {
        final ByteBuf applications = Unpooled.wrappedBuffer(new byte[4]);
        final ByteBuf own = Unpooled.wrappedBuffer(new byte[8]);
        private final ByteSpan ownSink = new ByteSpan().wrap(own, 0, 8);

        SplitBuffer() {
            sink().wrap(applications, 0, 4);
        }

        @Override
        protected long capacity() {
            return sinkOfMessage().length();
        }

        @Override
        protected ByteSpan sinkFor(DdpSegment segment) {
            return sinkOfMessage();
        }

        private ByteSpan sinkOfMessage() {
            return control() == IMMEDIATE_DATA ? ownSink : sink();
        }
    }
}
