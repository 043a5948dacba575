package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.StartupFrames.NO_PRIVATE_DATA;
import static io.iwarp.internal.mpa.StartupFrames.ascii;
import static io.iwarp.internal.mpa.StartupFrames.concat;
import static io.iwarp.internal.mpa.StartupFrames.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.ExhaustedAllocator;
import io.iwarp.testing.Requirement;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Failed start-ups: each is reported once, the channel is closed, and everything is released. */
class MpaStartupFailureTest {

    private static final MpaSettings DEFAULTS = MpaSettings.DEFAULT;
    private static final MpaSettings PATIENT =
            MpaSettings.builder().startupTimeout(Duration.ofSeconds(30)).build();

    @Test
    @Requirement({"MPA-54", "MPA-66", "MPA-73", "MPA-86"})
    void malformedRequestClosesTheResponder() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(ascii("GET / HTTP/1.1\r\n\r\n"));

        expectMalformed(peer);
        assertThat(peer.requests).isEmpty();
    }

    @Test
    @Requirement("MPA-86")
    void inputAfterAFailureIsDropped() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS);
        List<ChannelPromise> closing = new ArrayList<>();
        peer.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
                closing.add(promise);
            }
        });

        peer.sends(ascii("no key")).sends(request("40010000"));
        peer.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);

        peer.expectsNoTimer();
        assertThat(closing).hasSize(1);
        assertThat(peer.requests).isEmpty();
        peer.closes();
        assertThat(peer.seenAbove).hasSize(2).first().isInstanceOf(MpaEvent.StartupFailed.class);
        assertThat(peer.seenAbove).last().isSameAs(ChannelInputShutdownEvent.INSTANCE);
        peer.done();
    }

    /** The decision has ended the states of the start-up, so no time limit would end it later. */
    @Test
    void aReplyThatThereIsNoMemoryForEndsTheStartup() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(request("40010000"));
        peer.channel.config().setAllocator(new ExhaustedAllocator());

        assertThat(peer.request().accept(NO_PRIVATE_DATA).cause()).isInstanceOf(ConnectionClosedException.class);

        assertThat(peer.onlyEvent(MpaEvent.StartupFailed.class).reason().cause())
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(peer.channel.isOpen()).isFalse();
        peer.expectsNoTimer().done();
    }

    @Test
    @Requirement({"MPA-55", "MPA-71", "MPA-73", "MPA-86"})
    void initiatorClosesAndReportsAMalformedReply() {
        StartupPeer peer = StartupPeer.ofInitiator(DEFAULTS).expects(request("40010000"));

        peer.sends(concat(ascii("MPA ID Rep frame"), ascii("whatever")));

        expectMalformed(peer);
    }

    @Test
    @Requirement({"MPA-74", "MPA-86"})
    void initiatorClosesAndReportsThatThePeerIsAnInitiatorToo() {
        StartupPeer peer = StartupPeer.ofInitiator(DEFAULTS).expects(request("40010000"));

        peer.sends(request("40010000"));

        assertThat(expectMalformed(peer).detail()).contains("both sides are initiators");
    }

    @Test
    @Requirement({"MPA-62", "MPA-76"})
    void responderClosesOnTooLongPrivateDataWithoutWaitingForAnyOfIt() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sendsByteByByte(request("40010201"));

        assertThat(expectMalformed(peer).detail()).contains("PD_Length is 513 bytes");
    }

    @Test
    @Requirement({"MPA-62", "MPA-66", "SEC-27"})
    void responderClosesOnBytesBeforeItsDecision() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(request("40010000"));
        MpaConnectionRequest asked = peer.request();

        peer.sends((byte) 0);

        CloseReason reason = expectMalformed(peer);
        assertThat(reasonOf(asked.accept(NO_PRIVATE_DATA))).isSameAs(reason);
        peer.expectsNothing();
    }

    @Test
    @Requirement({"MPA-62", "MPA-66"})
    void responderClosesOnBytesReadWithTheRequest() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(concat(request("40010000"), ascii("FPDU")));

        expectMalformed(peer);
        assertThat(peer.requests).isEmpty();
    }

    @Test
    @Requirement({"MPA-75", "SEC-27"})
    void responderTimesOutWaitingForTheRequest() {
        StartupPeer peer = StartupPeer.ofResponder(PATIENT);

        expectTimeout(peer, "0 of the first 20 bytes of the MPA Request Frame received");
    }

    @Test
    @Requirement("MPA-75")
    void initiatorTimesOutWaitingForTheReply() {
        StartupPeer peer = StartupPeer.ofInitiator(PATIENT).expects(request("40010000"));

        expectTimeout(peer, "0 of the first 20 bytes of the MPA Reply Frame received");
    }

    @Test
    @Requirement("MPA-75")
    void slowBytesDoNotExtendTheFpduTimeout() {
        StartupPeer peer = StartupPeer.ofResponder(MpaSettings.DEFAULT);
        byte[] bytes = request("40010000");
        for (int i = 0; i < 9; i++) {
            peer.sends(bytes[i]);
            peer.channel.advanceTimeBy(1, TimeUnit.SECONDS);
            peer.channel.runScheduledPendingTasks();
        }
        assertThat(peer.channel.isOpen()).isTrue();

        peer.channel.advanceTimeBy(1, TimeUnit.SECONDS);
        peer.channel.runScheduledPendingTasks();

        assertThat(peer.failed().reason().endedBy()).isEqualTo(EndedBy.TIMEOUT);
        peer.expectsNoTimer().done();
    }

    @Test
    @Requirement("MPA-75")
    void theTimeoutCoversTheDecisionOfTheApplication() {
        StartupPeer peer = StartupPeer.ofResponder(PATIENT).sends(request("40010000"));
        MpaConnectionRequest asked = peer.request();

        CloseReason reason = expectTimeout(peer, "the application had not decided");

        assertThat(reasonOf(asked.reject(NO_PRIVATE_DATA))).isSameAs(reason);
        peer.expectsNothing();
    }

    @Test
    @Requirement({"MPA-76", "MPA-83", "MPA-87"})
    void aConnectionThatEndsInsideTheFrameIsLost() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(request("40010200", new byte[10]));

        peer.closes();

        CloseReason reason = peer.failed().reason();
        assertThat(reason.error()).isEqualTo(ProtocolError.MPA_CONNECTION_LOST);
        assertThat(reason.detail()).contains("30 of the 532 bytes");
        peer.expectsNoTimer().done();
    }

    @Test
    @Requirement({"MPA-83", "MPA-87"})
    void aPeerThatClosesBeforeItsReplyIsReportedAsSuch() {
        StartupPeer peer = StartupPeer.ofInitiator(DEFAULTS).expects(request("40010000"));

        peer.closes();

        assertThat(peer.failed().reason().endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        assertThat(peer.failed().reason().error()).isEqualTo(ProtocolError.MPA_CONNECTION_LOST);
        peer.expectsNoTimer().done();
    }

    @Test
    @Requirement({"MPA-83", "MPA-87"})
    void aPeerThatClosesItsHalfIsReportedAndTheChannelClosed() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(request("40010000"));
        MpaConnectionRequest asked = peer.request();

        peer.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);

        CloseReason reason = peer.failed().reason();
        assertThat(reason.endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        assertThat(reason.error()).isEqualTo(ProtocolError.MPA_CONNECTION_LOST);
        assertThat(reasonOf(asked.accept(NO_PRIVATE_DATA))).isSameAs(reason);
        peer.expectsNothing().expectsNoTimer().done();
    }

    @Test
    void localCloseIsReportedAsLocal() {
        StartupPeer peer = StartupPeer.ofInitiator(DEFAULTS).expects(request("40010000"));

        peer.channel.close();

        assertThat(peer.failed().reason().endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        peer.expectsNoTimer().done();
    }

    @Test
    @Requirement({"MPA-83", "MPA-87"})
    void anErrorOfTheTransportIsTheCauseInTheReport() {
        StartupPeer peer = StartupPeer.ofInitiator(DEFAULTS).expects(request("40010000"));
        IOException reset = new IOException("Connection reset by peer");

        peer.channel.pipeline().fireExceptionCaught(reset);

        CloseReason reason = peer.failed().reason();
        assertThat(reason.endedBy()).isEqualTo(EndedBy.TRANSPORT);
        assertThat(reason.error()).isEqualTo(ProtocolError.MPA_CONNECTION_LOST);
        assertThat(reason.cause()).isSameAs(reset);
        peer.expectsNoTimer().done();
    }

    @Test
    void aRequestThatCannotBeWrittenIsReported() {
        IOException broken = new IOException("Broken pipe");
        StartupPeer peer = new StartupPeer();
        peer.channel.pipeline().addFirst(new FailingWrites(broken));

        peer.switchesTo(MpaStartupHandler.initiator(DEFAULTS, NO_PRIVATE_DATA));

        assertThat(peer.failed().reason().endedBy()).isEqualTo(EndedBy.TRANSPORT);
        assertThat(peer.failed().reason().cause()).isSameAs(broken);
        peer.expectsNoTimer().done();
    }

    @Test
    void aReplyThatCannotBeWrittenFailsItsFutureAndTheStartUp() {
        IOException broken = new IOException("Broken pipe");
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(request("40010000"));
        peer.channel.pipeline().addFirst(new FailingWrites(broken));

        ChannelFuture replied = peer.request().accept(NO_PRIVATE_DATA);

        assertThat(reasonOf(replied).cause()).isSameAs(broken);
        assertThat(peer.failed().reason().cause()).isSameAs(broken);
        peer.expectsNoTimer().done();
    }

    @Test
    void aReplyThatIsLostLaterFailsItsFutureAlone() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(request("40010000"));
        List<ChannelPromise> writing = new ArrayList<>();
        peer.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                ReferenceCountUtil.release(message);
                writing.add(promise);
            }
        });

        ChannelFuture replied = peer.request().accept(NO_PRIVATE_DATA);
        peer.onlyEvent(MpaEvent.Established.class);
        assertThat(replied.isDone()).isFalse();
        writing.get(0).setFailure(new IOException("Broken pipe"));

        assertThat(reasonOf(replied).error()).isEqualTo(ProtocolError.MPA_CONNECTION_LOST);
        assertThat(peer.seenAbove).hasSize(1);
        peer.expectsHandlerGone().done();
    }

    @Test
    void aListenerThatThrowsClosesTheConnection() {
        IllegalArgumentException bug = new IllegalArgumentException("bug");
        StartupPeer peer = new StartupPeer().switchesTo(MpaStartupHandler.responder(DEFAULTS, asked -> {
            throw bug;
        }));

        peer.sends(request("40010000")).expectsNothing();

        assertThat(peer.failed().reason().endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThat(peer.failed().reason().cause()).isSameAs(bug);
        peer.expectsNoTimer().done();
    }

    @Test
    void replyAfterHandlerRemovalFailsWithThatReason() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(request("40010000"));
        MpaConnectionRequest asked = peer.request();

        peer.channel.pipeline().remove("startup");

        assertThat(reasonOf(asked.accept(NO_PRIVATE_DATA)).detail()).contains("removed from the pipeline");
        assertThat(peer.seenAbove).isEmpty();
        peer.expectsNothing().expectsNoTimer().done();
    }

    @Test
    void aHandlerAddedToAClosedChannelReportsIt() {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.close();
        List<Object> events = new ArrayList<>();

        channel.pipeline()
                .addLast(MpaStartupHandler.initiator(DEFAULTS, NO_PRIVATE_DATA), new ChannelInboundHandlerAdapter() {
                    @Override
                    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                        events.add(event);
                    }
                });
        channel.runPendingTasks();

        assertThat(events)
                .singleElement()
                .isInstanceOfSatisfying(
                        MpaEvent.StartupFailed.class,
                        failed ->
                                assertThat(failed.reason().detail()).contains("closed before the MPA start-up began"));
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
        assertThat(channel.finish()).isFalse();
    }

    @Test
    @Requirement("MPA-87")
    void theReasonReadsAsASentenceForPeople() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(request("40030000"));

        assertThat(expectMalformed(peer).toString())
                .contains("this side found an error")
                .contains("MPA revision 3 is not supported (expected: 1 or 2)");
    }

    /** Expects error 2/0/04. */
    private static CloseReason expectMalformed(StartupPeer peer) {
        CloseReason reason = peer.failed().reason();
        assertThat(reason.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(reason.error()).isEqualTo(ProtocolError.MPA_INVALID_STARTUP_FRAME);
        peer.expectsNothing().expectsNoTimer().done();
        return reason;
    }

    private static CloseReason expectTimeout(StartupPeer peer, String progress) {
        peer.channel.advanceTimeBy(29_999, TimeUnit.MILLISECONDS);
        peer.channel.runScheduledPendingTasks();
        assertThat(peer.channel.isOpen()).isTrue();

        peer.channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
        peer.channel.runScheduledPendingTasks();

        CloseReason reason = peer.failed().reason();
        assertThat(reason.endedBy()).isEqualTo(EndedBy.TIMEOUT);
        assertThat(reason.detail()).contains("PT30S").contains(progress);
        peer.expectsNoTimer().done();
        return reason;
    }

    private static CloseReason reasonOf(ChannelFuture replied) {
        assertThat(replied.cause()).isInstanceOf(ConnectionClosedException.class);
        return ((ConnectionClosedException) replied.cause()).reason();
    }

    private static final class FailingWrites extends ChannelOutboundHandlerAdapter {

        private final IOException cause;

        FailingWrites(IOException cause) {
            this.cause = cause;
        }

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            ReferenceCountUtil.release(message);
            promise.setFailure(cause);
        }
    }
}
