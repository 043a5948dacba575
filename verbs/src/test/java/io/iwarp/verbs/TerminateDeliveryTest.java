package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a Terminate leaves, when none does, and how long it may take. */
class TerminateDeliveryTest {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration INSTANT = Duration.ofNanos(1);
    private static final QueuePairSettings SETTINGS = QueuePairSettings.builder()
            .closeTimeout(CLOSE_TIMEOUT)
            .responseTimeout(RESPONSE_TIMEOUT)
            .build();
    private static final Segment WRONG = Segment.write(0, 0, new byte[] {1});
    private static final String ABOUT_WRONG = "1100 c000 000f" + HexFormat.of().formatHex(WRONG.header());

    private final ProtectionDomain domain = ProtectionDomain.create();

    @AfterEach
    void release() {
        domain.close();
    }

    private SimulatedPeer ofResponder() {
        return SimulatedPeer.ofResponder(domain, SETTINGS, qp -> {});
    }

    private SimulatedPeer ofInitiator() {
        return SimulatedPeer.ofInitiator(domain, SETTINGS, qp -> {});
    }

    private static byte[] badCrc() {
        byte[] fpdu = WRONG.fpdu();
        fpdu[fpdu.length - 1] ^= 1;
        return fpdu;
    }

    private static CloseReason reason(SimulatedPeer peer) {
        assertThat(peer.queuePair().closed()).isCompleted();
        return peer.queuePair().closed().join();
    }

    private static void assertEnded(SimulatedPeer peer, EndedBy endedBy, ProtocolError error) {
        assertThat(peer.end.isOpen()).as("connection").isFalse();
        assertThat(reason(peer).endedBy()).isEqualTo(endedBy);
        assertThat(reason(peer).error()).isEqualTo(error);
    }

    @Test
    @Requirement({"RDMAP-54", "RDMAP-58"})
    void aPeerThatDoesNotTakeTheTerminateIsCutOffAfterTheCloseTimeout() {
        try (SimulatedPeer peer = ofResponder().speaksFirst()) {
            peer.deaf(true);
            peer.sends(WRONG);
            peer.pass(CLOSE_TIMEOUT.minus(INSTANT));
            assertThat(peer.end.isOpen()).isTrue();
            peer.pass(INSTANT);
            assertThat(peer.hearsNothing()).isTrue();
            assertEnded(peer, EndedBy.LOCAL_FAULT, ProtocolError.DDP_TAGGED_INVALID_STAG);
            assertThat(peer.queuePair().counters().get(Counter.TERMINATES_SENT)).isZero();
        }
    }

    @Test
    @Requirement({"RDMAP-54", "RDMAP-58"})
    void aPeerThatDoesNotCloseAfterTheTerminateIsCutOffToo() {
        try (SimulatedPeer peer = ofResponder().speaksFirst()) {
            peer.deaf(true);
            peer.sends(WRONG);
            peer.pass(CLOSE_TIMEOUT.minus(INSTANT));
            peer.deaf(false);
            peer.hearsTerminate(ABOUT_WRONG);
            peer.pass(CLOSE_TIMEOUT.minus(INSTANT));
            assertThat(peer.end.isOpen()).isTrue();
            peer.pass(INSTANT);
            assertEnded(peer, EndedBy.LOCAL_FAULT, ProtocolError.DDP_TAGGED_INVALID_STAG);
        }
    }

    @Test
    @Requirement({"RDMAP-54", "RDMAP-55"})
    void whileATerminateLeavesAMissingResponseIsNoReasonForAnother() {
        try (SimulatedPeer peer = ofInitiator()) {
            peer.queuePair().fetchAdd(new RemoteBuffer(1, 0, 8), 1);
            peer.hears();
            peer.deaf(true);
            peer.sends(WRONG);
            peer.pass(RESPONSE_TIMEOUT);
            peer.deaf(false);
            peer.hearsTerminate(ABOUT_WRONG);
            assertThat(reason(peer).error()).isEqualTo(ProtocolError.DDP_TAGGED_INVALID_STAG);
            assertThat(peer.queuePair().counters().get(Counter.TERMINATES_SENT)).isOne();
        }
    }

    @Test
    @Requirement({"RDMAP-54", "RDMAP-55"})
    void whileATerminateLeavesAMistakeOfThePeerIsNoReasonForAnother() {
        try (SimulatedPeer peer = ofInitiator()) {
            peer.queuePair().fetchAdd(new RemoteBuffer(1, 0, 8), 1);
            peer.hears();
            peer.deaf(true);
            peer.pass(RESPONSE_TIMEOUT);
            peer.sends(badCrc());
            peer.deaf(false);
            peer.hearsTerminate("0000 0000");
            assertThat(reason(peer).endedBy()).isEqualTo(EndedBy.TIMEOUT);
            assertThat(peer.queuePair().counters().get(Counter.TERMINATES_SENT)).isOne();
        }
    }

    @Test
    @Requirement({"RDMAP-54", "RDMAP-55"})
    void aMissingResponseGivesATerminateThatDoesNotLeaveNoMoreTime() {
        try (SimulatedPeer peer = ofInitiator()) {
            peer.queuePair().fetchAdd(new RemoteBuffer(1, 0, 8), 1);
            peer.hears();
            peer.deaf(true);
            peer.sends(WRONG);
            peer.pass(RESPONSE_TIMEOUT);
            peer.pass(CLOSE_TIMEOUT.minus(RESPONSE_TIMEOUT).minus(INSTANT));
            assertThat(peer.end.isOpen()).isTrue();
            peer.pass(INSTANT);
            assertEnded(peer, EndedBy.LOCAL_FAULT, ProtocolError.DDP_TAGGED_INVALID_STAG);
        }
    }

    @Test
    @Requirement({"RDMAP-54", "RDMAP-55"})
    void aMistakeOfThePeerGivesATerminateThatDoesNotLeaveNoMoreTime() {
        try (SimulatedPeer peer = ofInitiator()) {
            peer.queuePair().fetchAdd(new RemoteBuffer(1, 0, 8), 1);
            peer.hears();
            peer.deaf(true);
            peer.pass(RESPONSE_TIMEOUT);
            peer.pass(CLOSE_TIMEOUT.minus(INSTANT));
            peer.sends(badCrc());
            assertThat(peer.end.isOpen()).isTrue();
            peer.pass(INSTANT);
            assertEnded(peer, EndedBy.TIMEOUT, null);
        }
    }

    /** It has not received a valid FPDU, so it may not send one. */
    @Test
    @Requirement({"MPA-72", "MPA-84"})
    void firstFpduWithBadCrcClosesWithoutATerminate() {
        try (SimulatedPeer peer = ofResponder()) {
            peer.sends(badCrc());
            assertThat(peer.hearsNothing()).isTrue();
            assertEnded(peer, EndedBy.LOCAL_FAULT, ProtocolError.MPA_CRC_MISMATCH);
        }
    }

    @Test
    @Requirement({"MPA-72"})
    void aFirstFpduThatIsBadForTheLayersAboveCausesATerminate() {
        try (SimulatedPeer peer = ofResponder()) {
            peer.sends(WRONG);
            peer.hearsTerminate(ABOUT_WRONG);
        }
    }

    @Test
    @Requirement({"MPA-72"})
    void responderClosedBeforeTheFirstFpduSendsNoTerminate() {
        try (SimulatedPeer peer = ofResponder()) {
            peer.queuePair().close();
            assertThat(peer.hearsNothing()).isTrue();
            assertEnded(peer, EndedBy.LOCAL_APPLICATION, null);
        }
    }
}
