package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.StartupFrames.NO_PRIVATE_DATA;
import static io.iwarp.internal.mpa.StartupFrames.concat;
import static io.iwarp.internal.mpa.StartupFrames.enhancedReply;
import static io.iwarp.internal.mpa.StartupFrames.enhancedRequest;
import static io.iwarp.internal.mpa.StartupFrames.hex;
import static io.iwarp.internal.mpa.StartupFrames.reply;
import static io.iwarp.internal.mpa.StartupFrames.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.net.SocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Set-ups that fail after the Reply: the fault is reported before a Terminate is sent as the first FPDU. */
class EnhancedSetupFaultTest {

    private static final MpaSettings ENHANCED =
            MpaSettings.builder().enhanced(true).build();
    private static final MpaSettings PEER_TO_PEER =
            MpaSettings.builder().peerToPeer(true).build();

    /** An untagged DDP segment to QN 2, MSN 1, with the given first word of a Terminate. */
    private static final String TERMINATE_SEGMENT = "414700000000000000020000000100000000";

    @ParameterizedTest
    @CsvSource({"false, 00103ffe, 20060000, MPA_INSUFFICIENT_IRD", "true, 80100010, 20070000, MPA_NO_MATCHING_RTR"})
    @Requirement({"SETUP-12", "SETUP-21"})
    void theTerminateForAFailedSetupIsTheFirstFpdu(
            boolean peerToPeer, String replied, String terminate, ProtocolError error) {
        byte[] ulpdu = hex(TERMINATE_SEGMENT + terminate);
        StartupPeer peer = framed(new EmbeddedChannel());
        peer.channel.pipeline().addAfter("framing", "rdmap", new TerminatingUlp(ulpdu));
        peer.switchesTo(MpaStartupHandler.initiator(peerToPeer ? PEER_TO_PEER : ENHANCED, NO_PRIVATE_DATA));
        peer.written();
        byte[] fpduBehindTheReply = new ReferenceFramer(true, false).frame(new byte[64]);

        peer.sends(concat(enhancedReply(replied), fpduBehindTheReply));

        expectEvents(peer, error);
        assertThat(peer.written()).isEqualTo(new ReferenceFramer(true, false).frame(ulpdu));
        peer.sends(fpduBehindTheReply);
        assertThat(peer.seenAbove).as("what the peer says is dropped").hasSize(3);
        peer.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        assertThat(peer.seenAbove).element(3).isInstanceOf(MpaEvent.InputShutdown.class);
        peer.done();
    }

    @ParameterizedTest
    @CsvSource({
        "true, 00100010, the peer chose the client-server model; this side requested the peer-to-peer model",
        "false, 80108010, the peer chose the peer-to-peer model; this side requested the client-server model"
    })
    @Requirement("SETUP-21")
    void faultNamesTheModelOfThePeer(boolean peerToPeer, String replied, String detail) {
        StartupPeer peer = framed(new EmbeddedChannel());
        peer.switchesTo(MpaStartupHandler.initiator(peerToPeer ? PEER_TO_PEER : ENHANCED, NO_PRIVATE_DATA));
        peer.written();
        peer.sends(enhancedReply(replied));

        assertThat(expectEvents(peer, ProtocolError.MPA_NO_MATCHING_RTR).fault().detail())
                .isEqualTo(detail);
        peer.done();
    }

    @Test
    @Requirement("SETUP-22")
    void initiatorReportsALocalFailureAsLocal() {
        for (boolean enhanced : new boolean[] {false, true}) {
            StartupPeer peer = framed(new NamelessChannel());
            peer.switchesTo(MpaStartupHandler.initiator(enhanced ? ENHANCED : MpaSettings.DEFAULT, NO_PRIVATE_DATA));
            peer.written();

            peer.sends(enhanced ? enhancedReply("00100010") : reply("40010000"));

            MpaEvent.Fault fault = expectEvents(peer, ProtocolError.MPA_LOCAL_CATASTROPHIC);
            assertThat(fault.fault().detail()).contains("segment size");
            assertThat(fault.fault().cause()).hasMessage("no name today");
            peer.done();
        }
    }

    /** It must not send before it has got an FPDU, so that there can be no Terminate. */
    @Test
    @Requirement("SETUP-22")
    void responderClosesOnALocalFailure() {
        for (byte[] asked : new byte[][] {request("40010000"), enhancedRequest("00010001")}) {
            StartupPeer peer = new StartupPeer(new NamelessChannel());
            peer.switchesTo(MpaStartupHandler.responder(MpaSettings.DEFAULT, peer.requests::add))
                    .sends(asked);

            ChannelFuture replied = peer.request().accept(NO_PRIVATE_DATA);

            MpaEvent.StartupFailed failed = peer.failed();
            assertThat(failed.reason().endedBy()).isEqualTo(EndedBy.TRANSPORT);
            assertThat(failed.reason().error()).isEqualTo(ProtocolError.MPA_LOCAL_CATASTROPHIC);
            assertThat(failed.reason().cause()).hasMessage("no name today");
            assertThat(replied.isSuccess()).isFalse();
            peer.expectsNothing().expectsNoTimer().done();
        }
    }

    @Test
    void ulpThatClosesOnAFaultGetsNoFurtherCalls() {
        StartupPeer peer = framed(new EmbeddedChannel());
        peer.channel.pipeline().addAfter("framing", "impatient", new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                ctx.fireUserEventTriggered(event);
                if (event instanceof MpaEvent.Fault) {
                    ctx.close();
                }
            }
        });
        peer.switchesTo(MpaStartupHandler.initiator(ENHANCED, NO_PRIVATE_DATA));
        peer.written();

        peer.sends(enhancedReply("00103ffe"));

        assertThat(peer.seenAbove).hasSize(2).last().isInstanceOf(MpaEvent.Fault.class);
        peer.done();
    }

    @Test
    @Requirement("SETUP-6")
    void afterAPeerToPeerSetupTheResponderWaitsForAnFpdu() {
        byte[] rtr = hex("c14000000001" + "0000000000000000");
        StartupPeer peer = framed(new EmbeddedChannel());
        peer.switchesTo(MpaStartupHandler.responder(MpaSettings.DEFAULT, asked -> asked.accept(NO_PRIVATE_DATA)))
                .sends(enhancedRequest("80108010"))
                .expects(enhancedReply("80108010"));
        Ulpdu early = new Ulpdu();
        early.header().writeInt(1);

        assertThat(peer.channel.writeAndFlush(early).cause()).isInstanceOf(IllegalStateException.class);
        assertThat(peer.seenAbove).hasSize(1);
        peer.sends(new ReferenceFramer(true, false).frame(rtr));

        assertThat(peer.seenAbove).hasSize(3).element(1).isInstanceOf(MpaEvent.TransmitReady.class);
        assertThat(peer.channel.writeAndFlush(early).isSuccess()).isTrue();
        assertThat(peer.written()).isNotEmpty();
        peer.done();
    }

    private static MpaEvent.Fault expectEvents(StartupPeer peer, ProtocolError error) {
        assertThat(peer.seenAbove).hasSize(3);
        MpaEvent.Established established = (MpaEvent.Established) peer.seenAbove.get(0);
        MpaEvent.Fault fault = (MpaEvent.Fault) peer.seenAbove.get(1);
        assertThat(established.setupFault()).isSameAs(fault.fault());
        assertThat(fault.fault().error()).isEqualTo(error);
        assertThat(fault.transmitReady()).isTrue();
        assertThat(peer.seenAbove.get(2)).isInstanceOf(MpaEvent.TransmitReady.class);
        return fault;
    }

    private static StartupPeer framed(EmbeddedChannel channel) {
        StartupPeer peer = new StartupPeer(channel);
        channel.pipeline().addBefore("above", "framing", peer.framing(MpaSettings.DEFAULT));
        return peer;
    }

    /** In the place of RDMAP: sends a Terminate as soon as it may. */
    private static final class TerminatingUlp extends ChannelInboundHandlerAdapter {

        private final byte[] ulpdu;

        TerminatingUlp(byte[] ulpdu) {
            this.ulpdu = ulpdu;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof MpaEvent.TransmitReady) {
                Ulpdu terminate = new Ulpdu();
                terminate.header().writeBytes(ulpdu);
                ctx.writeAndFlush(terminate);
            }
            ctx.fireUserEventTriggered(event);
        }
    }

    /** A channel whose socket does not tell its address. */
    private static final class NamelessChannel extends EmbeddedChannel {

        @Override
        public SocketAddress localAddress() {
            throw new ChannelException("no name today");
        }
    }
}
