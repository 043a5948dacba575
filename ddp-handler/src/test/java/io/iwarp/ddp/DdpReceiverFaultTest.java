package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ProtocolError;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an error leads to, whichever it is. */
class DdpReceiverFaultTest {
    private final ReceiverFixture peer = new ReceiverFixture();

    @AfterEach
    void close() {
        peer.close();
    }

    @Test
    @Requirement({"DDP-65", "DDP-49", "DDP-75"})
    void theReportHasTheErrorTheHeaderAndTheSegmentLength() {
        byte[] write = Segment.tagged(0x11223344, 0x10).payload("hello").ulpdu();
        peer.receives(write);

        assertThat(peer.ulp.faults.get(0).error()).isEqualTo(ProtocolError.DDP_TAGGED_INVALID_STAG);
        assertThat(peer.ulp.faultHeaders.get(0)).isEqualTo(Arrays.copyOf(write, 14));
        assertThat(peer.ulp.faultUlpduLength).isEqualTo(19);
        assertThat(peer.ulp.faultHeaderComplete).isTrue();
    }

    @Test
    @Requirement("DDP-65")
    void theReportOfAnUntaggedSegmentHasItsHeader() {
        byte[] send = Segment.untagged(0, 1).payload("hello").ulpdu();
        peer.receives(send);

        assertThat(peer.ulp.faultHeaders.get(0)).isEqualTo(Arrays.copyOf(send, 18));
        assertThat(peer.ulp.faultUlpduLength).isEqualTo(23);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 13})
    @Requirement({"DDP-23", "DDP-49", "DDP-65"})
    void aUlpduThatIsTooShortForATaggedHeaderIsReportedWithoutOne(int length) {
        peer.receives(Arrays.copyOf(Segment.tagged(1, 0).ulpdu(), length));

        assertTooShort(length);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 13, 14, 17})
    @Requirement({"DDP-23", "DDP-49", "DDP-65"})
    void aUlpduThatIsTooShortForAnUntaggedHeaderIsReportedWithoutOne(int length) {
        peer.ulp.post(0, 4);
        peer.receives(Arrays.copyOf(Segment.untagged(0, 1).ulpdu(), length));

        assertTooShort(length);
    }

    private void assertTooShort(int length) {
        assertThat(peer.ulp.events).containsExactly("fault RDMAP_OPERATION_UNSPECIFIED");
        assertThat(peer.ulp.faultHeaderComplete).isFalse();
        assertThat(peer.ulp.faultUlpduLength).isEqualTo(length);
    }

    @Test
    @Requirement({"DDP-7", "DDP-64", "DDP-66"})
    void afterAnErrorNothingIsPlacedDeliveredOrReported() {
        MemoryRegion region = peer.region(16, 0);
        UntaggedBuffer buffer = peer.ulp.post(0, 4);
        peer.receives(Segment.untagged(0, 1).last(false).payload("ab"));
        peer.receives(Segment.untagged(9, 1));

        peer.receives(Segment.tagged(region.stag(), 0).payload("x"));
        peer.receives(Segment.untagged(0, 1).offset(2).payload("cd"));
        peer.receives(Segment.untagged(9, 1));
        peer.receives(new byte[0]);
        peer.receiver.fail(new ProtocolFault(ProtocolError.MPA_CRC_MISMATCH, "for the test"));

        assertThat(peer.ulp.events).containsExactly("fault DDP_UNTAGGED_INVALID_QN");
        assertThat(ReceiverFixture.contentOf(region)).containsOnly(0);
        assertThat(RecordingUlp.bytes(buffer.sink(), 4)).containsExactly('a', 'b', 0, 0);
    }

    @Test
    @Requirement({"DDP-65", "DDP-66"})
    void anExceptionOfTheUlpIsAFaultOfThisSide() {
        IllegalStateException failure = new IllegalStateException("for the test");
        peer.ulp.post(0, 4);
        peer.ulp.onDelivery = () -> {
            throw failure;
        };

        assertThat(peer.takes(Segment.untagged(0, 1).payload("a"))).isTrue();
        assertThat(peer.ulp.faults).singleElement().satisfies(fault -> {
            assertThat(fault.error()).isEqualTo(ProtocolError.DDP_LOCAL_CATASTROPHIC);
            assertThat(fault.cause()).isSameAs(failure);
        });
    }

    @Test
    @Requirement("DDP-66")
    void aReceiverThatWasSilencedDropsSegmentsWithoutAReport() {
        peer.receiver.discardInput();
        assertThat(peer.takes(Segment.untagged(9, 1))).as("it does not stall").isTrue();

        assertThat(peer.ulp.events).isEmpty();
    }

    @Test
    @Requirement("DDP-66")
    void queuedMessagesAreNotDeliveredAfterTheUlpEnds() {
        peer.ulp.post(0, 4);
        peer.ulp.post(0, 4);
        peer.ulp.onDelivery = peer.receiver::discardInput;
        peer.receives(Segment.untagged(0, 2).payload("b"));
        peer.receives(Segment.untagged(0, 1).payload("a"));

        assertThat(peer.ulp.delivered).extracting(String::new).containsExactly("a");
    }

    @Test
    @Requirement("DDP-53")
    void anErrorOfTheLayerBelowIsPassedUpAndEndsReception() {
        peer.ulp.post(0, 4);
        peer.receiver.fail(new ProtocolFault(ProtocolError.MPA_MARKER_MISMATCH, "for the test"));
        peer.receives(Segment.untagged(0, 1).payload("a"));

        assertThat(peer.ulp.events).containsExactly("fault MPA_MARKER_MISMATCH");
        assertThat(peer.ulp.faultHeaders).containsExactly((byte[]) null);
    }

    @Test
    @Requirement("DDP-53")
    void lowerLayerErrorIsPassedUpAfterTheUlpEnds() {
        peer.receiver.discardInput();
        peer.receiver.fail(new ProtocolFault(ProtocolError.MPA_CONNECTION_LOST, "for the test"));

        assertThat(peer.ulp.events).containsExactly("fault MPA_CONNECTION_LOST");
    }

    @Test
    @Requirement("DDP-45")
    void aSegmentAfterThePeersHalfCloseIsAnError() {
        UntaggedBuffer buffer = peer.ulp.post(0, 4);
        peer.receiver.peerClosedHalf();
        peer.receives(Segment.untagged(0, 1).payload("a"));

        assertThat(peer.ulp.events).containsExactly("fault MPA_CONNECTION_LOST");
        assertThat(RecordingUlp.bytes(buffer.sink(), 4)).containsOnly(0);
    }
}
