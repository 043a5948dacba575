package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.testing.GoldenVectors;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DdpSegmentTest {
    @Test
    @Requirement({"DDP-11", "DDP-18"})
    void readsTheFieldsOfATaggedHeader() {
        byte[] ulpdu = Ulpdus.ofFpdu(GoldenVectors.bytes("RDMA Write, stag 0x11223344"));

        DdpSegment segment = Ulpdus.segment(ulpdu);

        assertThat(segment.headerComplete()).isTrue();
        assertThat(segment.tagged()).isTrue();
        assertThat(segment.last()).isTrue();
        assertThat(segment.version()).isEqualTo(1);
        assertThat(segment.control()).isEqualTo(0x40);
        assertThat(segment.stag()).isEqualTo(0x11223344);
        assertThat(segment.taggedOffset()).isEqualTo(0x0102030405060708L);
        assertThat(segment.headerLength()).isEqualTo(14);
        assertThat(segment.payloadLength()).isEqualTo(5);
        assertThat(segment.buffer().toString(segment.payloadIndex(), 5, StandardCharsets.US_ASCII))
                .isEqualTo("hello");
    }

    @Test
    @Requirement({"DDP-11", "DDP-20", "DDP-39"})
    void readsTheFieldsOfAnUntaggedHeader() {
        byte[] ulpdu = Segment.untagged(0xFFFF_FFFE, 0x8000_0001)
                .last(false)
                .control(0x44)
                .invalidateStag(0xCAFE_BABE)
                .offset(0xFFFF_FFFDL)
                .payload("x")
                .ulpdu();

        DdpSegment segment = Ulpdus.segment(ulpdu);

        assertThat(segment.tagged()).isFalse();
        assertThat(segment.last()).isFalse();
        assertThat(segment.control()).isEqualTo(0x44);
        assertThat(segment.rsvdUlp()).isEqualTo(0xCAFE_BABE);
        assertThat(segment.queueNumber()).isEqualTo(0xFFFF_FFFE);
        assertThat(segment.msn()).isEqualTo(0x8000_0001);
        assertThat(segment.messageOffset()).isEqualTo(0xFFFF_FFFDL);
        assertThat(segment.headerLength()).isEqualTo(18);
        assertThat(segment.payloadLength()).isEqualTo(1);
    }

    @Test
    @Requirement("DDP-6")
    void knowsItsLengthWhereverItLiesInTheBuffer() {
        byte[] ulpdu = Segment.untagged(0, 1).payload("abc").ulpdu();
        ByteBuf around = Unpooled.buffer().writeZero(7).writeBytes(ulpdu).writeZero(9);

        DdpSegment segment = new DdpSegment().wrap(around, 7, ulpdu.length);

        assertThat(segment.ulpduLength()).isEqualTo(21);
        assertThat(segment.headerIndex()).isEqualTo(7);
        assertThat(segment.payloadIndex()).isEqualTo(25);
        assertThat(segment.payloadLength()).isEqualTo(3);
        assertThat(segment).hasToString("DdpSegment[QN 0, MSN 1, MO 0, RsvdULP 0x43, 3 bytes, last]");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 13})
    void aTaggedHeaderMayBeCutShort(int length) {
        byte[] bytes = Arrays.copyOf(Segment.tagged(1, 2).ulpdu(), length);

        DdpSegment segment = Ulpdus.segment(bytes);

        assertThat(segment.headerComplete()).isFalse();
        assertThat(segment.tagged()).isTrue();
        assertThat(segment.headerLength()).isEqualTo(length);
        assertThat(segment.payloadLength()).isZero();
        assertThat(segment.ulpduLength()).isEqualTo(length);
        assertThatThrownBy(segment::control).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(segment::last).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(segment::stag)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has " + length + " bytes, its DDP header needs 14");
    }

    @Test
    void anUntaggedHeaderOfFourteenBytesIsIncomplete() {
        assertThat(Ulpdus.segment(Arrays.copyOf(Segment.untagged(0, 1).ulpdu(), 14))
                        .headerComplete())
                .isFalse();
    }

    @Test
    void noFieldOfAHeaderThatWasCutShortIsRead() {
        DdpSegment segment = Ulpdus.segment(Arrays.copyOf(Segment.untagged(0, 1).ulpdu(), 17));
        List<ThrowingCallable> fields = List.of(
                segment::last,
                segment::version,
                segment::control,
                segment::rsvdUlp,
                segment::stag,
                segment::taggedOffset,
                segment::queueNumber,
                segment::msn,
                segment::messageOffset);

        assertThat(fields)
                .allSatisfy(field -> assertThatThrownBy(field)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("has 17 bytes, its DDP header needs 18"));
    }

    @Test
    void aUlpduWithoutBytesHasNoHeader() {
        DdpSegment segment = Ulpdus.segment(new byte[0]);

        assertThat(segment.headerComplete()).isFalse();
        assertThat(segment.tagged()).isFalse();
        assertThat(segment.ulpduLength()).isZero();
        assertThat(segment).hasToString("DdpSegment[0 bytes, too short for a header]");
    }
}
