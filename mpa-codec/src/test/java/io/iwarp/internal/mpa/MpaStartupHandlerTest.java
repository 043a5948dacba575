package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.StartupFrames.NO_PRIVATE_DATA;
import static io.iwarp.internal.mpa.StartupFrames.ascii;
import static io.iwarp.internal.mpa.StartupFrames.concat;
import static io.iwarp.internal.mpa.StartupFrames.reply;
import static io.iwarp.internal.mpa.StartupFrames.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.iwarp.EndedBy;
import io.iwarp.Role;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Start-ups that end well, or in a rejection. */
class MpaStartupHandlerTest {

    private static final MpaSettings DEFAULTS = MpaSettings.DEFAULT;
    private static final MpaSettings PREAGREED =
            MpaSettings.builder().start(StartMode.PREAGREED).build();
    private static final byte[] FPDUS = ascii("the bytes of some FPDUs");

    @Test
    @Requirement({"MPA-64", "MPA-70"})
    void initiatorSendsOnlyTheRequestBeforeTheReply() {
        StartupPeer peer = StartupPeer.ofInitiator(DEFAULTS, ascii("hello"));

        peer.expects(request("40010005", ascii("hello")));
        peer.sendsByteByByte(Arrays.copyOf(reply("40010000"), 19));
        peer.expectsNothing();
        assertThat(peer.seenAbove).isEmpty();

        peer.channel.close();
        peer.done();
    }

    @Test
    @Requirement({"MPA-8", "MPA-53", "MPA-55", "MPA-61"})
    void initiatorEntersFullOperationOnTheReply() {
        StartupPeer peer = StartupPeer.ofInitiator(DEFAULTS).expects(request("40010000"));

        peer.sends(reply("c0010002", ascii("ok")));

        assertThat(peer.onlyEvent(MpaEvent.Established.class).parameters())
                .isEqualTo(AgreedParameters.builder(Role.INITIATOR)
                        .sendMarkers(true)
                        .peerPrivateData(ascii("ok"))
                        .build());
        peer.expectsNothing().expectsHandlerGone().done();
    }

    @Test
    @Requirement({"MPA-8", "MPA-54", "MPA-55", "MPA-61", "MPA-65", "MPA-69"})
    void responderAsksTheApplicationAndRepliesInOneWrite() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).expectsNothing();

        peer.sends(request("00010003", ascii("abc"))).expectsNothing();
        assertThat(peer.request().privateData()).isEqualTo(ascii("abc"));
        assertThat(peer.request().revision()).isEqualTo(1);
        assertThat(peer.request().channel()).isSameAs(peer.channel);
        assertThat(peer.seenAbove).isEmpty();

        assertThat(peer.request().accept(ascii("welcome")).isSuccess()).isTrue();
        peer.expects(reply("40010007", ascii("welcome")));
        assertThat(peer.onlyEvent(MpaEvent.Established.class).parameters())
                .isEqualTo(AgreedParameters.builder(Role.RESPONDER)
                        .peerPrivateData(ascii("abc"))
                        .build());

        peer.expectsHandlerGone().sends(FPDUS);
        assertThat(peer.seenAbove).hasSize(2).last().isEqualTo(hex(FPDUS));
        peer.done();
    }

    @Test
    @Requirement("MPA-69")
    void responderMayAcceptInsideTheCallThatAsksIt() {
        StartupPeer peer = new StartupPeer()
                .switchesTo(MpaStartupHandler.responder(DEFAULTS, asked -> asked.accept(asked.privateData())));

        peer.sendsByteByByte(request("40010002", ascii("me"))).expects(reply("40010002", ascii("me")));

        peer.onlyEvent(MpaEvent.Established.class);
        peer.expectsHandlerGone().done();
    }

    @Test
    @Requirement({"MPA-51", "MPA-53", "MPA-80"})
    void bytesAfterTheReplyFollowEstablishedInOrder() {
        byte[] stream = concat(reply("40010002", ascii("ok")), FPDUS);
        int replyLength = stream.length - FPDUS.length;
        for (int cut = 0; cut <= stream.length; cut++) {
            StartupPeer peer = StartupPeer.ofInitiator(DEFAULTS).expects(request("40010000"));

            peer.sends(Arrays.copyOf(stream, cut));
            assertThat(peer.seenAbove.isEmpty())
                    .as("established at byte " + cut)
                    .isEqualTo(cut < replyLength);
            peer.sends(Arrays.copyOfRange(stream, cut, stream.length));

            assertThat(peer.seenAbove.get(0)).isInstanceOf(MpaEvent.Established.class);
            assertThat(String.join("", texts(peer))).isEqualTo(hex(FPDUS));
            peer.expectsHandlerGone().done();
        }
    }

    @Test
    @Requirement("MPA-80")
    void bytesThatArriveWhileEstablishedIsBeingHandledStayInOrder() {
        StartupPeer peer = StartupPeer.ofInitiator(DEFAULTS).expects(request("40010000"));
        peer.channel.pipeline().addAfter("startup", "eager", new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                ctx.fireUserEventTriggered(event);
                peer.sends(ascii("second"));
            }
        });

        peer.sends(concat(reply("40010000"), ascii("first")));

        assertThat(texts(peer)).containsExactly(hex(ascii("first")), hex(ascii("second")));
        peer.expectsHandlerGone().done();
    }

    @Test
    @Requirement({"MPA-51", "MPA-79", "MPA-80"})
    void streamingBytesThenTheRequestInTheSameReadLoseNothing() {
        StartupPeer peer = new StartupPeer();
        peer.channel.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                ByteBuf bytes = (ByteBuf) message;
                bytes.skipBytes("Hello".length());
                ctx.write(Unpooled.wrappedBuffer(ascii("go on")));
                ctx.pipeline()
                        .addAfter(ctx.name(), "startup", MpaStartupHandler.responder(DEFAULTS, peer.requests::add));
                ctx.pipeline().remove(this);
                ctx.fireChannelRead(bytes);
            }
        });

        peer.sends(concat(ascii("Hello"), request("40010002", ascii("hi"))));
        assertThat(peer.request().privateData()).isEqualTo(ascii("hi"));
        peer.request().accept(NO_PRIVATE_DATA);
        peer.sends(FPDUS);

        peer.channel.flush();
        ByteBuf lastStreaming = peer.channel.readOutbound();
        assertThat(lastStreaming).isEqualTo(Unpooled.wrappedBuffer(ascii("go on")));
        peer.expects(reply("40010000"));
        assertThat(peer.seenAbove).hasSize(2).last().isEqualTo(hex(FPDUS));
        peer.expectsHandlerGone().done();
    }

    @Test
    @Requirement("MPA-80")
    void theHandlerStartsWhenTheChannelBecomesActive() {
        EmbeddedChannel active = new EmbeddedChannel(MpaStartupHandler.initiator(DEFAULTS, NO_PRIVATE_DATA));
        ByteBuf written = active.readOutbound();
        assertThat(written).isEqualTo(Unpooled.wrappedBuffer(request("40010000")));
        written.release();
        assertThat(active.finish()).isFalse();
    }

    @Test
    @Requirement({"MPA-67", "MPA-68"})
    void responderRejectsWithItsReasonAndLeavesTcpToTheUlp() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(request("40010000"));

        assertThat(peer.request().reject(ascii("full")).isSuccess()).isTrue();

        peer.expects(reply("60010004", ascii("full")));
        assertThat(peer.onlyEvent(MpaEvent.Rejected.class).privateData()).isEqualTo(ascii("full"));
        peer.expectsHandlerGone();
        expectOpenForStreaming(peer);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement("MPA-68")
    void initiatorReportsRejectionAndKeepsTcpOpen(boolean atOnce) {
        StartupPeer peer = StartupPeer.ofInitiator(DEFAULTS).expects(request("40010000"));
        byte[] bytes = concat(reply("60010004", ascii("full")), ascii("plain"));

        if (atOnce) {
            peer.sends(bytes);
        } else {
            peer.sendsByteByByte(bytes);
        }

        assertThat(peer.seenAbove.get(0)).isEqualTo(new MpaEvent.Rejected(EndedBy.PEER_REJECTED, ascii("full")));
        assertThat(String.join("", texts(peer))).isEqualTo(hex(ascii("plain")));
        peer.seenAbove.subList(1, peer.seenAbove.size()).clear();
        peer.expectsNothing().expectsHandlerGone();
        expectOpenForStreaming(peer);
    }

    @Test
    void aRequestGetsExactlyOneReply() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(request("40010000"));
        MpaConnectionRequest asked = peer.request();
        asked.accept(NO_PRIVATE_DATA);

        assertThatIllegalStateException()
                .isThrownBy(() -> asked.accept(NO_PRIVATE_DATA))
                .withMessageContaining("exactly once");
        assertThatIllegalStateException().isThrownBy(() -> asked.reject(NO_PRIVATE_DATA));

        peer.expects(reply("40010000")).expectsHandlerGone().done();
    }

    @Test
    @Requirement("MPA-63")
    void oversizedPrivateDataIsRefusedAndCanBeRetried() {
        StartupPeer peer = StartupPeer.ofResponder(DEFAULTS).sends(request("40010000"));
        byte[] limit = new byte[512];

        assertThatIllegalArgumentException()
                .isThrownBy(() -> peer.request().accept(new byte[513]))
                .withMessageContainingAll("513 bytes", "0 to 512");
        assertThatIllegalArgumentException().isThrownBy(() -> peer.request().reject(new byte[513]));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MpaStartupHandler.initiator(DEFAULTS, new byte[513]))
                .withMessageContainingAll("513 bytes", "0 to 512");

        peer.request().accept(limit);
        peer.expects(reply("40010200", limit)).expectsHandlerGone().done();
    }

    @Test
    void preAgreedStartIsEstablishedAtOnceAndExchangesNothing() {
        StartupPeer initiator = StartupPeer.ofInitiator(PREAGREED).expectsNothing();
        StartupPeer responder = StartupPeer.ofResponder(PREAGREED).expectsNothing();

        assertThat(initiator.onlyEvent(MpaEvent.Established.class).parameters().role())
                .isEqualTo(Role.INITIATOR);
        assertThat(responder.onlyEvent(MpaEvent.Established.class).parameters().role())
                .isEqualTo(Role.RESPONDER);
        initiator.expectsHandlerGone().done();
        responder.expectsHandlerGone().done();
    }

    @Test
    @Requirement("MPA-80")
    void preAgreedStartInTheMiddleOfAReadPassesTheRestOfItOn() {
        StartupPeer peer = new StartupPeer();
        peer.channel.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                ctx.pipeline().addAfter(ctx.name(), "startup", MpaStartupHandler.initiator(PREAGREED, NO_PRIVATE_DATA));
                ctx.fireChannelRead(message);
                ctx.pipeline().remove(this);
            }
        });

        peer.sends(FPDUS);

        assertThat(peer.seenAbove).hasSize(2).first().isInstanceOf(MpaEvent.Established.class);
        assertThat(peer.seenAbove).last().isEqualTo(hex(FPDUS));
        peer.expectsHandlerGone().done();
    }

    @Test
    @Requirement("MPA-53")
    void handlersThatAnInitializerAddsLaterStillSeeTheEvent() {
        StartupPeer peer = new StartupPeer();
        peer.switchesTo(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                MpaStartupHandler startup = MpaStartupHandler.initiator(PREAGREED, NO_PRIVATE_DATA);
                channel.pipeline().addFirst("mpa", startup);
                channel.pipeline().addAfter("mpa", "late", new ChannelInboundHandlerAdapter() {
                    @Override
                    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                        peer.seenAbove.add("late");
                        ctx.fireUserEventTriggered(event);
                    }
                });
            }
        });

        assertThat(peer.seenAbove).hasSize(2).first().isEqualTo("late");
        peer.expectsHandlerGone().done();
    }

    @Test
    void withoutAutoReadTheHandlerAsksForItsBytesAndStopsWhenItIsDone() {
        StartupPeer peer = new StartupPeer();
        peer.channel.config().setAutoRead(false);
        int before = peer.reads();

        peer.switchesTo(MpaStartupHandler.initiator(DEFAULTS, NO_PRIVATE_DATA));
        assertThat(peer.reads()).isEqualTo(before + 1);
        peer.sends((byte) 'M');
        assertThat(peer.reads()).isEqualTo(before + 2);
        peer.expects(request("40010000")).sends(Arrays.copyOfRange(reply("40010000"), 1, 20));
        assertThat(peer.reads()).isEqualTo(before + 2);

        peer.expectsHandlerGone().done();
    }

    @Test
    void mulpduFollowsSegmentSizeAndMarkers() {
        MpaSettings settings = MpaSettings.builder().emss(8948).mulpdu(8900).build();

        assertThat(mulpdu(settings, reply("c0010000"))).isEqualTo(8870);
        assertThat(mulpdu(settings, reply("40010000"))).isEqualTo(8900);
    }

    private static int mulpdu(MpaSettings settings, byte[] reply) {
        StartupPeer peer =
                StartupPeer.ofInitiator(settings).expects(request("40010000")).sends(reply);
        int mulpdu = peer.onlyEvent(MpaEvent.Established.class).parameters().mulpdu();
        peer.done();
        return mulpdu;
    }

    private static void expectOpenForStreaming(StartupPeer peer) {
        assertThat(peer.channel.isOpen()).isTrue();
        peer.sends(ascii("plain talk"));
        assertThat(peer.seenAbove).hasSize(2).last().isEqualTo(hex(ascii("plain talk")));
        peer.channel.writeOutbound(Unpooled.wrappedBuffer(ascii("as before")));
        peer.expects(ascii("as before")).done();
    }

    private static List<String> texts(StartupPeer peer) {
        return peer.seenAbove.stream()
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .toList();
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
