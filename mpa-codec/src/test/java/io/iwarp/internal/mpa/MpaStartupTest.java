package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.StartupDriver.agreed;
import static io.iwarp.internal.mpa.StartupDriver.awaitingDecision;
import static io.iwarp.internal.mpa.StartupDriver.failure;
import static io.iwarp.internal.mpa.StartupDriver.receive;
import static io.iwarp.internal.mpa.StartupDriver.replied;
import static io.iwarp.internal.mpa.StartupDriver.repliedTo;
import static io.iwarp.internal.mpa.StartupDriver.sent;
import static io.iwarp.internal.mpa.StartupDriver.started;
import static io.iwarp.internal.mpa.StartupFrames.NO_PRIVATE_DATA;
import static io.iwarp.internal.mpa.StartupFrames.ascii;
import static io.iwarp.internal.mpa.StartupFrames.concat;
import static io.iwarp.internal.mpa.StartupFrames.reply;
import static io.iwarp.internal.mpa.StartupFrames.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.Role;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import io.iwarp.testing.GoldenVectors;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the start-up agrees on, and in which order. */
class MpaStartupTest {

    private static final MpaSettings DEFAULTS = MpaSettings.DEFAULT;

    @Test
    @Requirement({"MPA-33", "MPA-52", "MPA-64", "SETUP-24"})
    void initiatorBeginsWithAPlainRevisionOneRequestThatAsksForCrc() {
        StartupAction action = MpaStartup.initiator(DEFAULTS, NO_PRIVATE_DATA).start();

        assertThat(sent(action)).isEqualTo(GoldenVectors.bytes("MPA Request rev1 M=0 C=1, no PD"));
    }

    @Test
    @Requirement({"MPA-33", "MPA-55"})
    void responderSendsAReplyThatAsksForCrc() {
        MpaStartup responder = awaitingDecision(DEFAULTS, request("00010000"));

        assertThat(replied(responder.accept(NO_PRIVATE_DATA))).isEqualTo(reply("40010000"));
    }

    @Test
    @Requirement("MPA-65")
    void responderIsSilentBeforeAWholeRequest() {
        MpaStartup responder = MpaStartup.responder(DEFAULTS);
        byte[] bytes = request("40010002", ascii("hi"));

        assertThat(responder.start()).isInstanceOf(StartupAction.Wait.class);
        for (int i = 0; i < bytes.length - 1; i++) {
            assertThat(receive(responder, bytes[i])).isInstanceOf(StartupAction.Wait.class);
        }
        assertThat(receive(responder, bytes[bytes.length - 1])).isInstanceOf(StartupAction.Ask.class);
    }

    @Test
    @Requirement({"MPA-54", "MPA-61", "MPA-76"})
    void responderReportsTheRequestHoweverItWasCutInTwo() {
        byte[] bytes = request("c0010003", ascii("abc"));
        for (int cut = 0; cut <= bytes.length; cut++) {
            MpaStartup responder = started(MpaStartup.responder(DEFAULTS));
            StartupAction first = responder.received(Unpooled.wrappedBuffer(bytes, 0, cut));
            StartupAction last = cut == bytes.length
                    ? first
                    : responder.received(Unpooled.wrappedBuffer(bytes, cut, bytes.length - cut));

            assertThat(last).isEqualTo(new StartupAction.Ask(new MpaFrame.Request(true, true, false, 1, ascii("abc"))));
        }
    }

    @Test
    @Requirement({"MPA-51", "MPA-55", "MPA-70", "MPA-76"})
    void initiatorLeavesBytesAfterTheReply() {
        byte[] bytes = concat(reply("40010003", ascii("abc")), ascii("FPDU"));
        for (int cut = 0; cut < bytes.length; cut++) {
            MpaStartup initiator = started(MpaStartup.initiator(DEFAULTS, NO_PRIVATE_DATA));
            ByteBuf first = Unpooled.wrappedBuffer(bytes, 0, cut);
            ByteBuf second = Unpooled.wrappedBuffer(bytes, cut, bytes.length - cut);

            StartupAction action = initiator.received(first);
            if (action instanceof StartupAction.Wait) {
                action = initiator.received(second);
            }

            assertThat(agreed(action).peerPrivateData()).isEqualTo(ascii("abc"));
            assertThat(first.readableBytes() + second.readableBytes()).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @CsvSource({"false,false", "false,true", "true,false", "true,true"})
    @Requirement("MPA-57")
    void crcIsOnIfEitherFrameAsksForIt(boolean ours, boolean theirs) {
        MpaSettings settings = MpaSettings.builder().crc(ours).build();
        String peer = theirs ? "40010000" : "00010000";

        StartupAction initiator = repliedTo(settings, reply(peer));
        StartupAction responder = awaitingDecision(settings, request(peer)).accept(NO_PRIVATE_DATA);

        assertThat(agreed(initiator).crc()).isEqualTo(ours || theirs);
        assertThat(agreed(responder).crc()).isEqualTo(ours || theirs);
        // Linux siw, built to require CRCs, refuses a Reply without C although its own Request had it.
        assertThat(((StartupAction.Establish) responder).reply().crc()).isEqualTo(ours || theirs);
    }

    @ParameterizedTest
    @CsvSource({"false,false", "false,true", "true,false", "true,true"})
    @Requirement("MPA-56")
    void eachSideDecidesAboutTheMarkersItReceives(boolean ours, boolean theirs) {
        MpaSettings settings = MpaSettings.builder().requestMarkers(ours).build();
        String peer = theirs ? "c0010000" : "40010000";

        StartupAction initiator = repliedTo(settings, reply(peer));
        StartupAction responder = awaitingDecision(settings, request(peer)).accept(NO_PRIVATE_DATA);

        assertThat(agreed(initiator).sendMarkers()).isEqualTo(theirs);
        assertThat(agreed(initiator).receiveMarkers()).isEqualTo(ours);
        assertThat(agreed(responder).sendMarkers()).isEqualTo(theirs);
        assertThat(agreed(responder).receiveMarkers()).isEqualTo(ours);
        assertThat(((StartupAction.Establish) responder).reply().markers()).isEqualTo(ours);
        assertThat(MpaStartup.initiator(settings, NO_PRIVATE_DATA).start())
                .isEqualTo(new StartupAction.Send(new MpaFrame.Request(ours, true, false, 1, NO_PRIVATE_DATA)));
    }

    @Test
    @Requirement({"MPA-8", "MPA-60", "SETUP-2"})
    void aPlainRequestGetsAPlainReplyInTheLowerOfBothRevisions() {
        for (int theirs = 1; theirs <= 2; theirs++) {
            for (int ours = 1; ours <= 2; ours++) {
                MpaSettings settings = MpaSettings.builder().revision(ours).build();
                StartupAction responder = awaitingDecision(settings, request("400" + theirs + "0000"))
                        .accept(NO_PRIVATE_DATA);
                StartupAction initiator = repliedTo(settings, reply("400" + theirs + "0000"));

                int lower = Math.min(theirs, ours);
                assertThat(replied(responder)).isEqualTo(reply("400" + lower + "0000"));
                assertThat(agreed(responder).revision()).isEqualTo(lower);
                assertPlain(agreed(responder));
                assertThat(agreed(initiator).revision()).isEqualTo(1);
                assertPlain(agreed(initiator));
            }
        }
    }

    private static void assertPlain(AgreedParameters agreed) {
        assertThat(agreed.enhanced()).isFalse();
        assertThat(agreed)
                .isEqualTo(AgreedParameters.builder(agreed.role())
                        .revision(agreed.revision())
                        .depths(128, 128)
                        .build());
    }

    @Test
    @Requirement({"MPA-59", "MPA-60", "SETUP-1"})
    void theEnhancedBitMeansNothingInRevisionOne() {
        StartupAction responder =
                awaitingDecision(DEFAULTS, request("50010000")).accept(NO_PRIVATE_DATA);

        assertThat(replied(responder)).isEqualTo(reply("40010000"));
        assertThat(agreed(repliedTo(DEFAULTS, reply("50010000"))).revision()).isEqualTo(1);
    }

    @Test
    @Requirement({"MPA-58", "MPA-59", "SETUP-3"})
    void aRequestWithRejectedAndReservedBitsIsAnOrdinaryRequest() {
        MpaStartup responder = awaitingDecision(DEFAULTS, request("3f010000"));

        StartupAction accepted = responder.accept(NO_PRIVATE_DATA);

        assertThat(agreed(accepted).sendMarkers()).isFalse();
        assertThat(replied(accepted)).isEqualTo(reply("40010000"));
        assertThat(agreed(repliedTo(DEFAULTS, reply("0f010000"))).crc()).isTrue();
    }

    @Test
    @Requirement({"MPA-61", "MPA-62", "MPA-63"})
    void the512BytesThatAreAllowedArriveOnBothSides() {
        byte[] privateData = new byte[512];
        privateData[511] = 7;

        StartupAction.Ask ask =
                (StartupAction.Ask) receive(started(MpaStartup.responder(DEFAULTS)), request("40010200", privateData));

        assertThat(ask.request().privateData()).isEqualTo(privateData);
        assertThat(agreed(repliedTo(DEFAULTS, reply("40010200", privateData))).peerPrivateData())
                .isEqualTo(privateData);
    }

    @Test
    @Requirement("MPA-63")
    void privateDataOf513BytesIsRefusedWhereItIsGiven() {
        MpaStartup responder = awaitingDecision(DEFAULTS, request("40010000"));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> MpaStartup.initiator(DEFAULTS, new byte[513]))
                .withMessageContainingAll("513", "0 to 512");
        assertThatIllegalArgumentException().isThrownBy(() -> responder.accept(new byte[513]));
        assertThat(replied(responder.accept(new byte[512]))).hasSize(532);
    }

    @Test
    @Requirement({"MPA-67", "MPA-68"})
    void rejectionHasItsReasonAndLeavesLaterBytes() {
        MpaStartup responder = awaitingDecision(DEFAULTS, request("40010000"));
        StartupAction.Leave rejecting = (StartupAction.Leave) responder.reject(ascii("full"));

        assertThat(rejecting.reply().rejected()).isTrue();
        assertThat(StartupFrames.encoded(rejecting.reply())).isEqualTo(reply("60010004", ascii("full")));
        assertThat(rejecting.rejected().privateData()).isEqualTo(ascii("full"));

        for (MpaSettings settings : new MpaSettings[] {
            DEFAULTS, MpaSettings.builder().refuseEarlyFpdus(true).build()
        }) {
            ByteBuf in = Unpooled.wrappedBuffer(reply("60010004", ascii("fullbye")));
            StartupAction.Leave rejected = (StartupAction.Leave)
                    started(MpaStartup.initiator(settings, NO_PRIVATE_DATA)).received(in);
            assertThat(rejected.reply()).isNull();
            assertThat(rejected.rejected().privateData()).isEqualTo(ascii("full"));
            assertThat(in.readableBytes()).isEqualTo(3);
        }
    }

    @Test
    void preAgreedStartIsEstablishedWithoutAnyFrame() {
        MpaSettings settings = MpaSettings.builder()
                .start(StartMode.PREAGREED)
                .requestMarkers(true)
                .crc(false)
                .build();

        StartupAction.Establish initiator = (StartupAction.Establish)
                MpaStartup.initiator(settings, NO_PRIVATE_DATA).start();
        StartupAction.Establish responder =
                (StartupAction.Establish) MpaStartup.responder(settings).start();

        assertThat(initiator.reply()).isNull();
        assertThat(responder.reply()).isNull();
        assertThat(initiator.agreed().toBuilder().mulpdu(1000).build())
                .isEqualTo(AgreedParameters.builder(Role.INITIATOR)
                        .crc(false)
                        .sendMarkers(true)
                        .receiveMarkers(true)
                        .mulpdu(1000)
                        .build());
        assertThat(responder.agreed().toBuilder().mulpdu(1000).build())
                .isEqualTo(AgreedParameters.builder(Role.RESPONDER)
                        .crc(false)
                        .sendMarkers(true)
                        .receiveMarkers(true)
                        .mulpdu(1000)
                        .build());
    }

    @Test
    void preAgreedStartRefusesPrivateDataItCouldNotSend() {
        MpaSettings settings = MpaSettings.builder().start(StartMode.PREAGREED).build();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> MpaStartup.initiator(settings, ascii("lost")))
                .withMessageContaining("4 bytes of private data");
    }

    @Test
    @Requirement("MPA-75")
    void reasonReportsTheProgressOfTheStartUp() {
        MpaStartup responder = started(MpaStartup.responder(DEFAULTS));
        receive(responder, ascii("MPA"));
        assertThat(endedDetail(responder))
                .isEqualTo("too late; 3 of the first 20 bytes of the MPA Request Frame received");

        responder = started(MpaStartup.responder(DEFAULTS));
        receive(responder, request("40010200", new byte[10]));
        assertThat(endedDetail(responder)).isEqualTo("too late; 30 of the 532 bytes of the MPA Request Frame received");

        responder = started(MpaStartup.responder(DEFAULTS));
        receive(responder, request("40010001"));
        assertThat(endedDetail(responder)).isEqualTo("too late; 20 of the 21 bytes of the MPA Request Frame received");

        assertThat(endedDetail(awaitingDecision(DEFAULTS, request("40010000"))))
                .contains("the application had not decided");
        assertThat(endedDetail(started(MpaStartup.initiator(DEFAULTS, NO_PRIVATE_DATA))))
                .contains("the MPA Request Frame was sent and 0 of the first 20 bytes of the MPA Reply Frame received");
        assertThat(endedDetail(MpaStartup.initiator(DEFAULTS, NO_PRIVATE_DATA))).contains("had not been sent");
        assertThat(endedDetail(MpaStartup.responder(DEFAULTS))).contains("had not begun");
        assertThat(endedDetail(MpaStartup.responder(
                        MpaSettings.builder().start(StartMode.PREAGREED).build())))
                .contains("had not begun");
    }

    @Test
    void silentPeerErrorNamesLikelyServers() {
        MpaStartup silent = started(MpaStartup.initiator(DEFAULTS, NO_PRIVATE_DATA));
        assertThat(endedDetail(silent)).contains("not an iWARP server");

        MpaStartup gone = started(MpaStartup.initiator(DEFAULTS, NO_PRIVATE_DATA));
        assertThat(failure(gone.ended(EndedBy.PEER_CLOSED, null, "closed", null))
                        .detail())
                .endsWith("0 of the first 20 bytes of the MPA Reply Frame received; perhaps the peer expects TLS,"
                        + " is not an iWARP server, refuses connections for now, or its application failed:"
                        + " see its log");

        MpaStartup begun = started(MpaStartup.initiator(DEFAULTS, NO_PRIVATE_DATA));
        receive(begun, ascii("MPA"));
        assertThat(endedDetail(begun)).endsWith("3 of the first 20 bytes of the MPA Reply Frame received");
    }

    @Test
    void eventsOutOfPlaceAreRefused() {
        MpaStartup initiator = started(MpaStartup.initiator(DEFAULTS, NO_PRIVATE_DATA));
        assertThatIllegalStateException().isThrownBy(initiator::start);
        assertThatIllegalStateException().isThrownBy(() -> initiator.accept(NO_PRIVATE_DATA));

        MpaStartup responder = MpaStartup.responder(DEFAULTS);
        assertThatIllegalStateException().isThrownBy(() -> receive(responder, (byte) 'M'));

        MpaStartup over = awaitingDecision(DEFAULTS, request("40010000"));
        over.accept(NO_PRIVATE_DATA);
        assertThatIllegalStateException()
                .isThrownBy(() -> over.reject(NO_PRIVATE_DATA))
                .withMessageEndingWith("no request to decide about: the start-up was over");
        assertThat(over.ended(EndedBy.TIMEOUT, null, "too late", null)).isInstanceOf(StartupAction.Wait.class);
    }

    private static String endedDetail(MpaStartup startup) {
        CloseReason reason = failure(startup.ended(EndedBy.TIMEOUT, null, "too late", null));
        assertThat(reason.endedBy()).isEqualTo(EndedBy.TIMEOUT);
        return reason.detail();
    }
}
