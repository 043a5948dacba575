package io.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Counter;
import io.iwarp.ProtocolError;
import io.iwarp.ddp.DdpEnd;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.DdpUlp;
import io.iwarp.ddp.Placement;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.mpa.WirePosition;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many responses a responder gives to DDP, and when a request of the peer no longer counts. */
class ResponsesUnderWayTest {
    private static final int IRD = 6;
    private static final int KIB = 1024;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion source = domain.allocate(512 * KIB, AccessRight.REMOTE_READ);
    private final SimulatedStream end = new SimulatedStream(domain, SimulatedStream.TIMEOUTS);
    private final List<DdpMessage> given = new ArrayList<>();
    private final Responder responder = new Responder(
            given::add, end, end.association, end.counters, new WirePosition(new EmbeddedChannel(), end.counters));
    private final DdpEnd ddp = new DdpEnd(end.association, new Above(), end.counters);
    private int msn;

    ResponsesUnderWayTest() {
        responder.setIrd(IRD);
    }

    @AfterEach
    void close() {
        end.close();
        end.association.close();
        source.close();
        domain.close();
    }

    private void asksFor(int bytes) {
        Segment request = Segment.readRequest(++msn, 1, 0, bytes, source.stag(), 0);
        assertThat(ddp.receive(Unpooled.wrappedBuffer(request.ulpdu()))).isTrue();
    }

    private void sent(int response) {
        responder.onSent((Response) given.get(response));
    }

    @Test
    @Requirement("SEC-11")
    void responsesWaitWhileAQuarterOfAMebibyteIsUnderWay() {
        for (int i = 0; i < 5; i++) {
            asksFor(100 * KIB);
        }
        assertThat(given).hasSize(3);
        assertThat(responder.pendingMessageCount()).isEqualTo(3);
        sent(0);
        assertThat(given).as("200 KiB are under way").hasSize(4);
        assertThat(responder.pendingMessageCount()).isEqualTo(3);
        sent(1);
        sent(2);
        assertThat(given).hasSize(5);
        assertThat(responder.pendingMessageCount()).isEqualTo(2);
    }

    @Test
    void aResponseWaitsAtExactlyAQuarterOfAMebibyte() {
        for (int i = 0; i < 3; i++) {
            asksFor(128 * KIB);
        }
        assertThat(given).hasSize(2);
    }

    @Test
    void oneResponseMayBeLonger() {
        asksFor(512 * KIB);
        asksFor(1);
        assertThat(given).hasSize(1);
        sent(0);
        assertThat(given).hasSize(2);
    }

    @Test
    @Requirement({"RDMAP-28", "RDMAP-74"})
    void aRequestCountsUntilTheTransportHasItsResponse() {
        for (int i = 0; i < IRD; i++) {
            asksFor(1);
        }
        assertThat(responder.requests().available()).isZero();
        for (int i = 0; i < IRD; i++) {
            DdpEnd.wireEnd(given.get(i), 10L * (i + 1));
        }
        assertThat(responder.requests().available()).as("nothing is taken").isZero();
        end.counters.add(Counter.BYTES_SENT, 29);
        assertThat(responder.requests().available()).as("29 bytes are taken").isEqualTo(2);
        end.counters.add(Counter.BYTES_SENT, 1);
        assertThat(responder.requests().available()).as("30 bytes are taken").isEqualTo(3);
        sent(0);
        sent(1);
        assertThat(responder.requests().available()).isEqualTo(3);
    }

    @Test
    @Requirement({"RDMAP-74", "SEC-11", "SEC-16"})
    void atMostTwiceTheIrdOfResponsesExist() {
        for (int i = 0; i < 2 * IRD; i++) {
            asksFor(1);
            DdpEnd.wireEnd(given.get(i), 0);
        }
        assertThat(responder.requests().available()).isZero();
        sent(0);
        assertThat(responder.requests().available()).isOne();
    }

    /** A burst of twice the IRD leaves no more spare responses than the IRD. */
    @Test
    @Requirement({"SEC-11", "SEC-16"})
    void atMostTheIrdOfResponsesIsKept() {
        for (int i = 0; i < 2 * IRD; i++) {
            asksFor(1);
            DdpEnd.wireEnd(given.get(i), 0);
        }
        List<DdpMessage> burst = List.copyOf(given);
        for (int i = 0; i < 2 * IRD; i++) {
            sent(i);
        }
        for (int i = 2 * IRD; i < 4 * IRD; i++) {
            asksFor(1);
            DdpEnd.wireEnd(given.get(i), 0);
        }
        assertThat(given.subList(2 * IRD, 4 * IRD).stream()
                        .filter(response -> burst.stream().anyMatch(earlier -> earlier == response)))
                .hasSize(IRD);
    }

    /** Gives all to the queue of requests. */
    private final class Above implements DdpUlp {
        @Override
        public Placement placementOf(DdpSegment segment) {
            return responder.requests();
        }

        @Override
        public void onPlaced() {}

        @Override
        public void onReadComplete() {}

        @Override
        public void onMessageTimeout(ProtocolError error, String detail) {
            throw new AssertionError(detail);
        }

        @Override
        public void onFault(ProtocolFault fault, @Nullable DdpSegment segment) {
            throw new AssertionError(fault);
        }

        @Override
        public void onSent(DdpMessage message) {
            throw new AssertionError("nothing is sent");
        }
    }
}
