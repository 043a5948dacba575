package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.StartupFrames.NO_PRIVATE_DATA;
import static io.iwarp.internal.mpa.StartupFrames.ascii;
import static io.iwarp.internal.mpa.StartupFrames.concat;
import static io.iwarp.internal.mpa.StartupFrames.enhancedRejection;
import static io.iwarp.internal.mpa.StartupFrames.enhancedReply;
import static io.iwarp.internal.mpa.StartupFrames.enhancedRequest;
import static io.iwarp.internal.mpa.StartupFrames.reply;
import static io.iwarp.internal.mpa.StartupFrames.request;
import static io.iwarp.mpa.MpaParameters.NOT_NEGOTIATED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Captures;
import io.iwarp.testing.Requirement;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Enhanced set-ups that one side refuses or does not support. */
class EnhancedRefusalTest {

    private static final MpaSettings DEFAULTS = MpaSettings.DEFAULT;
    private static final MpaSettings ENHANCED =
            MpaSettings.builder().enhanced(true).build();

    @ParameterizedTest
    @CsvSource({
        "00080004, 00040008",
        "8008c004, 8004c008",
        "c0083fff, ffff0008",
        "3fff0004, 00043fff",
        "3fff3fff, 3fff3fff",
    })
    @Requirement({"SETUP-7", "SETUP-13", "SETUP-14", "SETUP-17", "SETUP-23"})
    void responderRejectsInTheFormOfTheRequest(String asked, String replied) {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(enhancedRequest(asked));

        peer.request().reject(ascii("full"));

        peer.expects(enhancedRejection(replied, ascii("full")));
        EnhancedSetup setup = setup(asked);
        assertThat(peer.onlyEvent(MpaEvent.Rejected.class))
                .isEqualTo(new MpaEvent.Rejected(EndedBy.LOCAL_APPLICATION, ascii("full"), setup.ird(), setup.ord()));
        peer.expectsHandlerGone().done();
    }

    @ParameterizedTest
    @CsvSource({
        "00080004, 9, 00040009",
        "00000000, 16382, 00003ffe",
        "8000c000, 1, 8001c001",
        // the initiator left this to the ULPs, and so do we
        "3fff0004, 9, 00043fff",
    })
    @Requirement("SETUP-10")
    void responderRejectsForIrdWithTheRequiredOrd(String asked, int needed, String replied) {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(enhancedRequest(asked));

        peer.request().reject(NO_PRIVATE_DATA, needed);

        peer.expects(enhancedRejection(replied));
        peer.onlyEvent(MpaEvent.Rejected.class);
        peer.done();
    }

    @Test
    @Requirement("SETUP-10")
    void aNeedHasNoRoomInThePlainReplyToAPlainRequest() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(request("40010000"));
        assertThat(peer.request().enhanced()).isFalse();
        assertThat(peer.request().peerToPeer()).isFalse();
        assertThat(peer.request().peerIrd()).isEqualTo(NOT_NEGOTIATED);
        assertThat(peer.request().peerOrd()).isEqualTo(NOT_NEGOTIATED);
        assertThat(peer.request().maxPrivateData()).isEqualTo(512);

        peer.request().reject(ascii("more"), 9);

        peer.expects(reply("60010004", ascii("more")));
        assertThat(peer.onlyEvent(MpaEvent.Rejected.class))
                .isEqualTo(new MpaEvent.Rejected(EndedBy.LOCAL_APPLICATION, ascii("more")));
        peer.done();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 16383})
    void aNeedOutOfRangeIsRefusedAndTheRequestCanStillGetAReply(int needed) {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(enhancedRequest("00010001"));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> peer.request().reject(NO_PRIVATE_DATA, needed))
                .withMessageContainingAll("requiredOrd is " + needed, "0 to 16382");

        peer.request().accept(NO_PRIVATE_DATA);
        assertThatIllegalStateException().isThrownBy(() -> peer.request().reject(NO_PRIVATE_DATA, 1));
        peer.expects(enhancedReply("00010001")).done();
    }

    @Test
    @Requirement({"SETUP-7", "SETUP-10"})
    void rejectionStatesTheRequiredOrd() {
        StartupPeer peer = StartupPeer.ofInitiator(ENHANCED);
        peer.written();

        peer.sends(concat(enhancedRejection("00040020", ascii("more")), ascii("bye")));

        assertThat(peer.seenAbove)
                .containsExactly(
                        new MpaEvent.Rejected(EndedBy.PEER_REJECTED, ascii("more"), 4, 32),
                        HexFormat.of().formatHex(ascii("bye")));
        peer.expectsNothing().expectsHandlerGone().done();
    }

    @ParameterizedTest
    @ValueSource(strings = {"60010004", "60020004"})
    void aPlainRejectionOfAnEnhancedRequestIsARejection(String header) {
        StartupPeer peer = StartupPeer.ofInitiator(ENHANCED);
        peer.written();

        peer.sends(reply(header, ascii("full")));

        assertThat(peer.onlyEvent(MpaEvent.Rejected.class))
                .isEqualTo(new MpaEvent.Rejected(EndedBy.PEER_REJECTED, ascii("full"), NOT_NEGOTIATED, NOT_NEGOTIATED));
        peer.done();
    }

    @ParameterizedTest
    @ValueSource(strings = {"40010000", "40020000", "50010000"})
    @Requirement({"SETUP-1", "SETUP-23"})
    void aPlainAcceptanceOfAnEnhancedRequestIsNoBasis(String header) {
        StartupPeer peer = StartupPeer.ofInitiator(ENHANCED);
        peer.written();

        peer.sends(reply(header));

        MpaEvent.StartupFailed failed = peer.failed();
        assertThat(failed.enhancedRefused()).isTrue();
        assertThat(failed.reason().endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(failed.reason().error()).isEqualTo(ProtocolError.MPA_INVALID_STARTUP_FRAME);
        assertThat(failed.reason().detail())
                .contains("plain Reply Frame of revision", "connect with a revision 1 request");
        peer.expectsNothing().done();
    }

    @Test
    @Requirement("SETUP-23")
    void anEnhancedReplyToAPlainRequestIsMalformed() {
        StartupPeer peer = StartupPeer.ofInitiator(DEFAULTS);
        peer.written();

        peer.sends(enhancedReply("00010001"));

        assertThat(peer.failed().enhancedRefused()).isFalse();
        assertThat(peer.failed().reason().detail()).contains("replied to a plain MPA Request Frame");
        peer.expectsNothing().done();
    }

    @Test
    @Requirement("SETUP-25")
    void revisionOneResponderClosesOnEnhancedRequestWithoutAReply() {
        for (Captures capture : Captures.values()) {
            StartupPeer peer = StartupPeer.ofResponder(
                            MpaSettings.builder().revision(1).build())
                    .sends(capture.conversation().initiator());

            assertThat(peer.failed().reason().error()).isEqualTo(ProtocolError.MPA_INVALID_STARTUP_FRAME);
            assertThat(peer.requests).isEmpty();
            peer.expectsNothing().done();
        }
    }

    @Test
    @Requirement({"SETUP-25", "SETUP-26"})
    void initiatorRecognisesAPeerThatClosesOnItsEnhancedRequest() {
        for (MpaSettings settings : new MpaSettings[] {
            ENHANCED, MpaSettings.builder().peerToPeer(true).build()
        }) {
            StartupPeer closed = awaitingReply(settings);
            closed.closes();
            StartupPeer halfClosed = awaitingReply(settings);
            halfClosed.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            StartupPeer reset = awaitingReply(settings);
            reset.channel.pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));

            for (StartupPeer peer : new StartupPeer[] {closed, halfClosed, reset}) {
                assertThat(peer.failed().enhancedRefused()).isTrue();
                assertThat(peer.failed().reason().error()).isEqualTo(ProtocolError.MPA_CONNECTION_LOST);
                peer.done();
            }
        }
    }

    @Test
    void otherFailuresAreNotTakenForARefusal() {
        StartupPeer plain = awaitingReply(DEFAULTS);
        plain.closes();
        StartupPeer afterAnByte = awaitingReply(ENHANCED).sends((byte) 'M');
        afterAnByte.closes();
        StartupPeer closedHere = awaitingReply(ENHANCED);
        closedHere.channel.close();
        StartupPeer late = awaitingReply(
                ENHANCED.toBuilder().startupTimeout(Duration.ofSeconds(1)).build());
        late.channel.advanceTimeBy(1, TimeUnit.SECONDS);
        late.channel.runScheduledPendingTasks();
        StartupPeer bug = awaitingReply(ENHANCED);
        bug.channel.pipeline().fireExceptionCaught(new IllegalStateException("bug"));
        StartupPeer responder = StartupPeer.ofResponder(ENHANCED);
        responder.closes();

        for (StartupPeer peer : new StartupPeer[] {plain, afterAnByte, closedHere, late, bug, responder}) {
            assertThat(peer.failed().enhancedRefused()).isFalse();
            peer.done();
        }
    }

    /** As when a TLS handshake fails: the Request Frame never left. */
    @Test
    void aPeerThatNeverGotTheRequestHasNotRefusedIt() {
        List<ChannelPromise> writing = new ArrayList<>();
        StartupPeer peer = new StartupPeer();
        peer.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                ReferenceCountUtil.release(message);
                writing.add(promise);
            }
        });

        peer.switchesTo(MpaStartupHandler.initiator(ENHANCED, NO_PRIVATE_DATA)).closes();

        assertThat(writing).hasSize(1);
        MpaEvent.StartupFailed failed = peer.failed();
        assertThat(failed.enhancedRefused()).isFalse();
        assertThat(failed.reason().detail())
                .endsWith("the MPA Request Frame was never written: the TLS handshake may not have completed");
        peer.done();
    }

    private static StartupPeer awaitingReply(MpaSettings settings) {
        StartupPeer peer = StartupPeer.ofInitiator(settings);
        peer.written();
        return peer;
    }

    private static EnhancedSetup setup(String bytes) {
        return EnhancedSetup.decode(Unpooled.wrappedBuffer(StartupFrames.hex(bytes)));
    }
}
