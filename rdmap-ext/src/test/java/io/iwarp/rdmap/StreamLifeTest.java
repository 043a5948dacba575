package io.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.internal.mpa.Agreed;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.ReadyToReceive;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a stream with Reads and atomics under way: what is waited for, for how long, and which cause counts. */
class StreamLifeTest {
    private static final int LENGTH = 1 << 16;
    private static final int STAG = 0x1234;
    private static final CloseReason CLOSED =
            new CloseReason(EndedBy.LOCAL_APPLICATION, null, "closed for the test", null);
    private static final RdmapSettings TIMEOUTS =
            new RdmapSettings(Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(30), true);
    private static final Duration ALMOST_CLOSE_TIMEOUT = TIMEOUTS.closeTimeout().minusNanos(1);
    private static final Duration ALMOST_RESPONSE_TIMEOUT =
            TIMEOUTS.responseTimeout().minusNanos(1);
    private static final Duration ALMOST_TRANSMIT_TIMEOUT =
            TIMEOUTS.transmitTimeout().minusNanos(1);
    private static final Duration MOMENT = Duration.ofNanos(1);

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion region = domain.region()
            .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
            .rights(AccessRight.REMOTE_READ, AccessRight.LOCAL_WRITE)
            .register();
    private ScriptedPeer peer = ScriptedPeer.of(domain, TIMEOUTS, 16);

    @AfterEach
    void release() {
        peer.close();
        region.close();
        domain.close();
    }

    private RdmapRequest read(int length) {
        return new RdmapRequest().read(region.stag(), region.baseTaggedOffset(), length, STAG, 0);
    }

    private RdmapRequest send() {
        RdmapRequest request = new RdmapRequest().send(false);
        request.payload().cover(region.slice(0, 8));
        return request;
    }

    private Segment readRequest(int msn) {
        return Segment.readRequest(msn, 7, 0, LENGTH, region.stag(), region.baseTaggedOffset());
    }

    private static Segment nothing() {
        return Segment.write(0, 0, new byte[0]);
    }

    @Test
    @Requirement({"RDMAP-63", "DDP-43", "DDP-44"})
    void anOrderlyCloseWaitsForTheResponsesToWhatWasPosted() {
        RdmapRequest read = read(8);
        RdmapRequest behind = send().fenced(true);
        peer.end.submit(read, behind);
        peer.end.stream.close(CLOSED);
        assertThat(peer.end.state.refusalReason()).isSameAs(CLOSED);
        byte[] request = peer.hears();
        assertThat(peer.hearsNothing()).isTrue();
        assertThat(peer.hearsFinish()).isFalse();
        peer.responds(request, 0);
        assertThat(peer.hearsOpcode()).isEqualTo(3);
        assertThat(peer.hearsFinish()).isTrue();
        peer.end.submit(send());
        assertThat(peer.hearsNothing()).isTrue();
        assertThat(peer.end.completed).containsExactly(read, behind);
        assertThat(peer.end.ended).isEmpty();
        peer.finishes();
        assertThat(peer.end.closedConnection()).isTrue();
        peer.disconnects();
        assertThat(peer.reason()).isSameAs(CLOSED);
    }

    @Test
    @Requirement({"RDMAP-22"})
    void orderlyCloseSendsPendingResponses() {
        int reads = 15;
        for (int i = 1; i <= reads; i++) {
            peer.sends(readRequest(i));
        }
        peer.end.stream.close(CLOSED);
        peer.sends(readRequest(reads + 1));
        long responseBytes = 0;
        while (!peer.hearsFinish()) {
            byte[] segment = peer.hears();
            assertThat(segment[1] & 0xf).isEqualTo(2);
            responseBytes += segment.length - 14;
        }
        assertThat(responseBytes).isEqualTo((long) reads * LENGTH);
        peer.disconnects();
        assertThat(peer.reason()).isSameAs(CLOSED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement({"RDMAP-47", "DDP-50", "MPA-82"})
    void halfCloseOfThePeerFlushesOutstandingRequests(boolean closing) {
        peer.end.submit(read(8), read(8));
        if (closing) {
            peer.end.stream.close(CLOSED);
        }
        assertThat(peer.hearsOpcode()).isOne();
        assertThat(peer.hearsOpcode()).isOne();
        peer.finishes();
        assertThat(peer.end.closedConnection()).isTrue();
        peer.disconnects();
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        assertThat(peer.reason().detail()).contains("2 Reads or atomics without a response");
        assertThat(peer.end.completed).isEmpty();
    }

    @Test
    @Requirement({"MPA-81", "MPA-82", "DDP-46", "DDP-47", "DDP-48"})
    void afterThePeersHalfCloseSendsGoOutAndAReadEndsTheStream() {
        peer.sends(readRequest(1));
        peer.finishes();
        assertThat(peer.end.state.mayStartRequests()).isTrue();
        while (!peer.hearsNothing()) {
            assertThat(peer.hearsOpcode()).isEqualTo(2);
        }
        RdmapRequest send = send();
        peer.end.submit(send);
        assertThat(peer.hearsOpcode()).isEqualTo(3);
        assertThat(peer.end.completed).containsExactly(send);
        peer.end.submit(read(8));
        assertThat(peer.hearsOpcode()).isOne();
        assertThat(peer.hearsFinish()).isTrue();
        peer.disconnects();
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        assertThat(peer.reason().detail()).contains(" 1 Read or atomic without a response");
    }

    /** A responder may send only after an FPDU of its initiator, which does not come any more. */
    @Test
    @Requirement({"MPA-82", "RDMAP-47"})
    void aHalfCloseBeforeTheFirstFpduEndsAResponder() {
        SimulatedStream end = new SimulatedStream(domain, TIMEOUTS);
        end.takeEvent(new MpaEvent.Established(Agreed.plain(Role.RESPONDER, 1024, 16)));
        end.submit(send());
        end.takeFinish();
        assertThat(end.closedConnection()).isTrue();
        end.disconnect();
        assertThat(end.ended)
                .singleElement()
                .satisfies(reason -> assertThat(reason.endedBy()).isEqualTo(EndedBy.PEER_CLOSED));
        assertThat(end.wire).isEmpty();
        end.association.close();
    }

    /** An initiator that delays its first FPDU may still send it. */
    @Test
    void aHalfCloseBeforeTheFirstFpduLeavesAnInitiatorOpen() {
        SimulatedStream end = new SimulatedStream(domain, TIMEOUTS);
        end.takeEvent(new MpaEvent.Established(Agreed.plain(Role.INITIATOR, 1024, 16)));
        end.takeFinish();
        end.takeEvent(new MpaEvent.TransmitReady());
        RdmapRequest send = send();
        end.submit(send);
        end.transmit();
        assertThat(end.completed).containsExactly(send);
        end.disconnect();
        end.association.close();
    }

    @Test
    @Requirement({"RDMAP-47", "RDMAP-57"})
    void aPeerThatNeverRespondsIsTerminated() {
        peer.end.submit(read(8), new RdmapRequest().fetchAdd(STAG, 0, 1, 0));
        assertThat(peer.hearsOpcode()).isOne();
        assertThat(peer.hearsOpcode()).isEqualTo(0xa);
        peer.pass(ALMOST_RESPONSE_TIMEOUT);
        assertThat(peer.hearsNothing()).isTrue();
        peer.pass(MOMENT);
        peer.receivesTerminate("0000 0000");
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.TIMEOUT);
        assertThat(peer.reason().detail()).contains("2 Reads or atomics").contains("PT1M");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement({"RDMAP-47"})
    void aPeerThatSendsOtherThingsInsteadOfTheResponseIsTerminatedToo(boolean closing) {
        peer.end.submit(read(8));
        if (closing) {
            peer.end.stream.close(CLOSED);
        }
        assertThat(peer.hearsOpcode()).isOne();
        Duration step = Duration.ofSeconds(1);
        for (Duration passed = step; passed.compareTo(TIMEOUTS.responseTimeout()) < 0; passed = passed.plus(step)) {
            peer.pass(step);
            peer.sends(nothing());
            assertThat(peer.hearsNothing()).as("after %s", passed).isTrue();
        }
        peer.pass(step);
        peer.receivesTerminate("0000 0000");
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.TIMEOUT);
    }

    @Test
    void responseWithProgressOutlivesTheTimeout() {
        int length = 10;
        RdmapRequest read = read(length);
        peer.end.submit(read);
        ByteBuffer request = ByteBuffer.wrap(peer.hears());
        for (int sent = 0; sent < length; sent++) {
            peer.pass(ALMOST_RESPONSE_TIMEOUT);
            assertThat(peer.hearsNothing()).isTrue();
            peer.sends(Segment.readResponse(request.getInt(18), request.getLong(22) + sent, new byte[1])
                    .last(sent + 1 == length));
        }
        assertThat(peer.end.completed).containsExactly(read);
        peer.pass(TIMEOUTS.responseTimeout().multipliedBy(3));
        assertThat(peer.end.ended).isEmpty();
    }

    /** It takes none of the responses that it is owed, and keeps sending. */
    @Test
    void aPeerThatKeepsSendingCannotHoldAnOrderlyCloseForever() {
        peer.sends(readRequest(1));
        peer.end.stream.close(CLOSED);
        peer.pass(ALMOST_CLOSE_TIMEOUT);
        peer.sends(readRequest(2), nothing());
        assertThat(peer.end.ended).isEmpty();
        peer.pass(MOMENT);
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.TIMEOUT);
        assertThat(peer.reason().detail()).contains("close timeout of PT5S");
        assertThat(peer.end.closedConnection()).isTrue();
    }

    @Test
    void orderlyCloseWithProgressOutlivesItsTimeout() {
        peer.sends(readRequest(1));
        peer.end.stream.close(CLOSED);
        while (peer.end.transmitSegment()) {
            peer.pass(ALMOST_CLOSE_TIMEOUT);
        }
        assertThat(peer.hearsOpcode()).isEqualTo(2);
        assertThat(peer.end.finished()).isTrue();
        assertThat(peer.end.ended).isEmpty();
    }

    @Test
    void afterTheFinNothingIsWaitedForBeyondTheCloseTimeout() {
        peer.end.stream.close(CLOSED);
        assertThat(peer.hearsFinish()).isTrue();
        peer.pass(ALMOST_CLOSE_TIMEOUT);
        peer.sends(nothing());
        assertThat(peer.end.closedConnection()).isFalse();
        peer.pass(MOMENT);
        assertThat(peer.end.closedConnection()).isTrue();
    }

    /** The response follows the message, and cannot be handled. */
    @Test
    void whileAMessageWaitsForAReceiveNoTimeForAResponseRunsOut() {
        peer.end.awaitsReceives = true;
        RdmapRequest read = read(8);
        peer.end.submit(read);
        byte[] request = peer.hears();
        peer.sends(Segment.send(1, new byte[] {5}));
        peer.responds(request, 0);
        peer.pass(TIMEOUTS.responseTimeout().multipliedBy(5));
        assertThat(peer.end.ended).isEmpty();
        assertThat(peer.hearsNothing()).isTrue();
        peer.end.post(1);
        peer.readsOn();
        assertThat(peer.end.received).containsExactly(new byte[] {5});
        assertThat(peer.end.completed).containsExactly(read);
    }

    private void stall(int msn, Duration time) {
        peer.sends(Segment.send(msn, new byte[] {5}));
        peer.pass(time);
        peer.end.post(1);
        peer.readsOn();
    }

    /** The peer has as much time as without the stall, and no more. */
    @Test
    void aStallStopsTheResponseDeadline() {
        peer.end.awaitsReceives = true;
        peer.end.submit(read(8));
        assertThat(peer.hearsOpcode()).isOne();
        peer.pass(ALMOST_RESPONSE_TIMEOUT.minus(MOMENT));
        stall(1, TIMEOUTS.responseTimeout().multipliedBy(3));
        peer.pass(MOMENT);
        assertThat(peer.hearsNothing()).isTrue();
        peer.pass(MOMENT);
        peer.receivesTerminate("0000 0000");
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.TIMEOUT);
    }

    /** The peer sends no response, but each of its messages waits a moment for a receive. */
    @Test
    void shortStallsDoNotKeepAReadThatNeverGetsAResponse() {
        peer.end.awaitsReceives = true;
        peer.end.submit(read(8));
        assertThat(peer.hearsOpcode()).isOne();
        Duration step = Duration.ofSeconds(1);
        int seconds = (int) TIMEOUTS.responseTimeout().toSeconds();
        for (int second = 1; second < seconds; second++) {
            peer.pass(step);
            stall(second, Duration.ofMillis(30));
            assertThat(peer.hearsNothing()).as("after %s s", second).isTrue();
        }
        peer.pass(step);
        peer.receivesTerminate("0000 0000");
    }

    @Test
    void shortStallsDoNotKeepACloseThatMakesNoProgress() {
        peer.end.awaitsReceives = true;
        peer.sends(readRequest(1));
        peer.end.stream.close(CLOSED);
        Duration step = Duration.ofSeconds(1);
        for (int second = 1; second < TIMEOUTS.closeTimeout().toSeconds(); second++) {
            peer.pass(step);
            stall(second, Duration.ofMillis(30));
            assertThat(peer.end.ended).as("after %s s", second).isEmpty();
        }
        peer.pass(step);
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.TIMEOUT);
    }

    /** What the peer does not take needs no input. */
    @Test
    void aStallDoesNotKeepACloseThatWaitsForNoResponse() {
        peer.end.awaitsReceives = true;
        peer.sends(readRequest(1));
        peer.end.stream.close(CLOSED);
        peer.sends(Segment.send(1, new byte[] {5}));
        peer.pass(ALMOST_CLOSE_TIMEOUT);
        assertThat(peer.end.ended).isEmpty();
        peer.pass(MOMENT);
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.TIMEOUT);
    }

    @Test
    void noStallStopsTheDeadlineOfAClose() {
        peer.end.awaitsReceives = true;
        peer.sends(Segment.send(1, new byte[] {5}));
        RdmapRequest read = read(8);
        peer.end.submit(read);
        byte[] request = peer.hears();
        peer.end.stream.close(CLOSED);
        peer.responds(request, 0);
        peer.pass(ALMOST_CLOSE_TIMEOUT);
        assertThat(peer.end.ended).isEmpty();
        peer.pass(MOMENT);
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.TIMEOUT);
    }

    /** It reads nothing: neither a Terminate nor a FIN would arrive. */
    @Test
    void aPeerThatTakesNothingLosesTheConnection() {
        peer.end.submit(send());
        peer.pass(ALMOST_TRANSMIT_TIMEOUT);
        peer.sends(nothing());
        assertThat(peer.end.ended).isEmpty();
        peer.pass(MOMENT);
        assertThat(peer.end.closedConnection()).isTrue();
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.TIMEOUT);
        assertThat(peer.reason().detail())
                .contains("transmit timeout")
                .contains("PT30S")
                .contains("1 message");
    }

    /** The transport takes most messages before the flush returns. */
    @Test
    void theTimeToTakeAMessageStartsWithIt() {
        peer.end.takesAtOnce = true;
        peer.end.submit(send());
        peer.pass(ALMOST_TRANSMIT_TIMEOUT);
        peer.end.takesAtOnce = false;
        peer.end.submit(send());
        peer.pass(ALMOST_TRANSMIT_TIMEOUT);
        assertThat(peer.end.ended).isEmpty();
        peer.pass(MOMENT);
        assertThat(peer.reason().detail()).contains("transmit timeout");
    }

    @Test
    void aPeerThatTakesNothingOfItsResponsesLosesTheConnection() {
        peer.sends(readRequest(1));
        peer.pass(TIMEOUTS.transmitTimeout());
        assertThat(peer.reason().detail()).contains("responses to the peer's Reads");
    }

    @Test
    void longMessageWithProgressOutlivesTheTransmitTimeout() {
        peer.sends(readRequest(1));
        while (peer.end.transmitSegment()) {
            peer.pass(ALMOST_TRANSMIT_TIMEOUT);
        }
        peer.pass(TIMEOUTS.transmitTimeout().multipliedBy(3));
        assertThat(peer.end.ended).isEmpty();
    }

    @Test
    void aCloseHasItsDeadlineWhileRequestsWaitForAPlace() {
        peer.end.waitingRequests = 2;
        peer.end.stream.close(CLOSED);
        peer.pass(ALMOST_CLOSE_TIMEOUT);
        peer.end.waitingRequests = 1;
        peer.end.submit(send());
        assertThat(peer.hearsOpcode()).isEqualTo(3);
        peer.pass(MOMENT);
        assertThat(peer.hearsFinish()).isFalse();
        peer.pass(ALMOST_CLOSE_TIMEOUT);
        peer.sends(readRequest(1));
        while (!peer.hearsNothing()) {
            assertThat(peer.hearsOpcode()).isEqualTo(2);
        }
        assertThat(peer.end.ended).isEmpty();
        peer.pass(MOMENT);
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.TIMEOUT);
        assertThat(peer.reason().detail()).contains("close timeout of PT5S").contains("(1 request not started)");
    }

    @Test
    void aCloseSendsTheRequestsThatWaitedForAPlace() {
        peer.end.waitingRequests = 1;
        peer.end.stream.close(CLOSED);
        assertThat(peer.hearsFinish()).isFalse();
        peer.end.waitingRequests = 0;
        peer.end.submit(send());
        assertThat(peer.hearsOpcode()).isEqualTo(3);
        assertThat(peer.hearsFinish()).isTrue();
    }

    /** The reason of the close stays, and what the close waited for joins it. */
    @Test
    void stuckImplicitCloseNamesItsReason() {
        peer.end.submit(send());
        peer.end.stream.close(new CloseReason(EndedBy.TIMEOUT, null, "nothing was sent or received for PT1S", null));
        peer.pass(TIMEOUTS.closeTimeout());
        assertThat(peer.reason().detail())
                .startsWith("nothing was sent or received for PT1S; the close that followed made no progress")
                .contains("(1 message pending)");
    }

    /** The Read of a peer-to-peer set-up has a deadline like all others. */
    @Test
    void aReadyToReceiveReadThatNeverGetsAResponseEndsTheStream() {
        peer.close();
        peer = ScriptedPeer.ofInitiator(domain, TIMEOUTS, ReadyToReceive.READ);
        assertThat(peer.hearsOpcode()).isOne();
        peer.pass(ALMOST_RESPONSE_TIMEOUT);
        assertThat(peer.hearsNothing()).isTrue();
        peer.pass(MOMENT);
        peer.receivesTerminate("0000 0000");
        assertThat(peer.reason().detail()).contains("1 Read or atomic");
    }

    @Test
    @Requirement({"RDMAP-44", "RDMAP-47"})
    void aTerminateInAnOrderlyCloseIsTheReason() {
        peer.end.submit(read(8));
        peer.end.stream.close(CLOSED);
        peer.sends(Segment.terminate(new byte[] {0x02, 0x06, 0, 0}));
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
        assertThat(peer.reason().error()).isEqualTo(ProtocolError.RDMAP_UNEXPECTED_OPCODE);
        assertThat(peer.end.completed).isEmpty();
    }

    @Test
    @Requirement({"RDMAP-47", "RDMAP-56", "RDMAP-76"})
    void theFirstCauseCounts() {
        peer.end.submit(read(8));
        assertThat(peer.hearsOpcode()).isOne();
        peer.sends(Segment.readResponse(1, 2, new byte[3]), Segment.terminate(new byte[] {0x02, 0x06, 0, 0}));
        peer.finishes();
        assertThat(peer.hearsOpcode()).isEqualTo(7);
        peer.disconnects();
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(peer.reason().error()).isEqualTo(ProtocolError.DDP_TAGGED_INVALID_STAG);
        peer.end.stream.close(CLOSED);
        assertThat(peer.end.state.closeReason()).isSameAs(peer.reason());
    }

    @Test
    @Requirement({"RDMAP-72", "RDMAP-73"})
    void readWithOrdZeroEndsTheStreamWithAReason() {
        peer.close();
        peer = ScriptedPeer.of(domain, TIMEOUTS, 0);
        peer.end.submit(read(8));
        peer.receivesTerminate("0000 0000");
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(peer.reason().detail()).contains("ORD of 0").contains("raise the ORD");
    }

    @Test
    void aPeerThatReadsOnAndOnIsLeftInOrder() {
        int msn = 0;
        while (!peer.hearsFinish()) {
            peer.sends(Segment.readRequest(++msn, 7, 0, 8, region.stag(), region.baseTaggedOffset()));
            if (msn == 100) {
                peer.end.stream.close(CLOSED);
            }
            assertThat(peer.hearsOpcode()).isEqualTo(2);
        }
        assertThat(msn).isEqualTo(100);
        peer.finishes();
        peer.disconnects();
        assertThat(peer.reason()).isSameAs(CLOSED);
    }
}
