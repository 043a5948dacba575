package io.iwarp.ddp;

import static io.iwarp.ddp.DdpChannel.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DdpHandlerEventTest {
    private final DdpChannel ddp = new DdpChannel();

    @AfterEach
    void close() {
        ddp.close();
    }

    @Test
    @Requirement("DDP-1")
    void eventsOfMpaAreActedUponAndPassedOn() {
        ddp.ready();
        MpaEvent changed = new MpaEvent.MulpduChanged(128);
        ddp.fire(changed);
        ddp.fire("another event");
        ddp.writeAndFlush(message(new byte[111]));

        assertThat(ddp.transport.ulpdus).hasSize(2);
        assertThat(ddp.passedOn)
                .hasSize(4)
                .endsWith(changed, "another event")
                .hasExactlyElementsOfTypes(
                        MpaEvent.Established.class,
                        MpaEvent.TransmitReady.class,
                        MpaEvent.MulpduChanged.class,
                        String.class);
    }

    @Test
    void aLongReadIsHandledInBursts() {
        ddp.ready();
        int msn = 0;
        while (msn < DdpHandler.MAX_BURST - 1) {
            ddp.ulp.post(0, 1);
            ddp.receivesMore(Segment.untagged(0, ++msn).payload("x"));
        }
        assertThat(ddp.ulp.events).doesNotContain("read complete");

        ddp.ulp.post(0, 1);
        ddp.receivesMore(Segment.untagged(0, ++msn).payload("x"));
        assertThat(ddp.ulp.delivered).hasSize(DdpHandler.MAX_BURST);
        assertThat(ddp.ulp.events).containsOnlyOnce("read complete").endsWith("read complete");
    }

    @Test
    void withEachReadABurstBegins() {
        ddp.ready();
        for (int msn = 1; msn <= DdpHandler.MAX_BURST; msn++) {
            ddp.ulp.post(0, 1);
            ddp.receives(Segment.untagged(0, msn).payload("x"));
        }

        assertThat(ddp.ulp.events).filteredOn("read complete"::equals).hasSize(DdpHandler.MAX_BURST);
    }

    @ParameterizedTest
    @EnumSource(names = {"MPA_CONNECTION_LOST", "MPA_CRC_MISMATCH", "MPA_MARKER_MISMATCH"})
    @Requirement({"DDP-49", "DDP-50", "DDP-53"})
    void anErrorOfMpaIsPassedToTheUlpAndEndsReception(ProtocolError error) {
        ddp.ready();
        ddp.ulp.post(0, 4);
        MpaEvent fault = new MpaEvent.Fault(new ProtocolFault(error, "for the test"), true);
        ddp.fire(fault);
        ddp.receives(Segment.untagged(0, 1).payload("x"));

        assertThat(ddp.ulp.events).containsExactly("fault " + error.name(), "read complete");
        assertThat(ddp.passedOn).last().isEqualTo(fault);
        assertThat(ddp.channel.isOpen()).isTrue();
    }

    @Test
    @Requirement({"DDP-8", "DDP-46"})
    void halfCloseOfThePeerIsReportedAndSendingContinues() {
        ddp.ready();
        ddp.fire(new MpaEvent.InputShutdown());
        ddp.send("still");
        ddp.flush();
        ddp.transport.takeAll();

        assertThat(ddp.ulp.events).containsExactly("half closed", "sent still", "all sent");
        assertThat(ddp.passedOn).last().isInstanceOf(MpaEvent.InputShutdown.class);
    }

    @Test
    @Requirement("DDP-45")
    void aSegmentAfterThePeersHalfCloseIsAnError() {
        ddp.ready();
        ddp.ulp.post(0, 4);
        ddp.fire(new MpaEvent.InputShutdown());
        ddp.receives(Segment.untagged(0, 1).payload("x"));

        assertThat(ddp.ulp.events).containsExactly("half closed", "fault MPA_CONNECTION_LOST", "read complete");
    }

    @Test
    @Requirement({"DDP-27", "DDP-41"})
    void segmentsAreHandledAndNotPassedOn() {
        ddp.ready();
        ddp.ulp.post(0, 4);
        MemoryRegion region = ddp.domain
                .region()
                .allocate(ByteBufAllocator.DEFAULT, 4)
                .rights(AccessRight.REMOTE_WRITE)
                .register();
        int before = ddp.passedOn.size();
        ddp.receives(Segment.tagged(region.stag(), 0).payload("data"));
        ddp.receives(Segment.untagged(0, 1).payload("hi"));

        assertThat(ddp.ulp.events)
                .containsExactly(
                        String.format("tagged %08x control 40", region.stag()),
                        "read complete",
                        "untagged queue 0 MSN 1 control 43 rsvd 00000000 length 2",
                        "read complete");
        assertThat(ReceiverFixture.contentOf(region)).containsExactly('d', 'a', 't', 'a');
        assertThat(ddp.passedOn).hasSize(before);
        region.close();
    }

    @Test
    void otherMessagesArePassedOn() {
        ddp.ready();
        ddp.channel.pipeline().fireChannelRead("something else");

        assertThat(ddp.passedOn).last().isEqualTo("something else");
    }

    @Test
    void aRejectedConnectionIsLeftToTheUlp() {
        ChannelFuture waiting = ddp.writeWithPromise(message("a"));
        MpaEvent rejected = new MpaEvent.Rejected(EndedBy.PEER_CLOSED, new byte[0]);
        ddp.fire(rejected);

        assertThat(ddp.passedOn).containsExactly(rejected);
        assertThat(ddp.channel.pipeline().get(DdpHandler.class)).isNull();
        assertThat(waiting.cause()).isInstanceOf(ConnectionClosedException.class);
        assertThat(ddp.channel.isOpen()).isTrue();
    }
}
