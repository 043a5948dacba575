package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.StartupFrames.NO_PRIVATE_DATA;
import static io.iwarp.internal.mpa.StartupFrames.ascii;
import static io.iwarp.internal.mpa.StartupFrames.concat;
import static io.iwarp.internal.mpa.StartupFrames.enhancedReply;
import static io.iwarp.internal.mpa.StartupFrames.enhancedRequest;
import static io.iwarp.internal.mpa.StartupFrames.hex;
import static io.iwarp.internal.mpa.StartupFrames.reply;
import static io.iwarp.internal.mpa.StartupFrames.request;
import static io.iwarp.mpa.MpaParameters.NOT_NEGOTIATED;
import static io.iwarp.mpa.ReadyToReceive.READ;
import static io.iwarp.mpa.ReadyToReceive.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.iwarp.ProtocolError;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.ReadyToReceive;
import io.iwarp.testing.Captures;
import io.iwarp.testing.GoldenVectors;
import io.iwarp.testing.Requirement;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The enhanced set-up as a scripted peer sees it: bytes in, bytes and events out. */
class EnhancedStartupTest {

    private static final MpaSettings DEFAULTS = MpaSettings.DEFAULT;
    private static final MpaSettings ENHANCED = depths(16, 16).enhanced(true).build();
    private static final MpaSettings PEER_TO_PEER =
            depths(16, 16).peerToPeer(true).build();

    @Test
    @Requirement({"SETUP-1", "SETUP-5", "SETUP-15"})
    void revisionTwoRequestHasDepthsAndRtrKinds() {
        StartupPeer.ofInitiator(
                        depths(16, 8)
                                .peerToPeer(true)
                                .readyToReceive(Set.of(WRITE, READ))
                                .build(),
                        ascii("hi"))
                .expects(GoldenVectors.bytes("MPA Request rev2 S=1 A=1"))
                .closes();
        StartupPeer.ofInitiator(PEER_TO_PEER)
                .expects(enhancedRequest("c010c010"))
                .closes();
        StartupPeer.ofInitiator(ENHANCED).expects(enhancedRequest("00100010")).closes();
        StartupPeer.ofInitiator(
                        depths(16, 8).enhanced(true).negotiateDepths(false).build())
                .expects(GoldenVectors.bytes("MPA Request rev2 S=1 A=0"))
                .closes();
    }

    @Test
    @Requirement("SETUP-24")
    void initiatorSendsPlainRequestByDefault() {
        StartupPeer.ofInitiator(depths(7, 9).build())
                .expects(request("40010000"))
                .closes();
        StartupPeer.ofInitiator(PEER_TO_PEER.withoutEnhancedSetup())
                .expects(request("40010000"))
                .closes();
    }

    @Test
    @Requirement({"SETUP-2", "SETUP-23"})
    void responderRepliesToEachRequestInItsOwnForm() {
        assertThat(replyTo(DEFAULTS, request("40010000"))).isEqualTo(reply("40010000"));
        assertThat(replyTo(DEFAULTS, request("40020000"))).isEqualTo(reply("40020000"));
        assertThat(replyTo(DEFAULTS, enhancedRequest("00010001"))).isEqualTo(enhancedReply("00010001"));
        assertThat(replyTo(ENHANCED, request("40010000"))).isEqualTo(reply("40010000"));
    }

    @Test
    @Requirement({"SETUP-7", "SETUP-8", "SETUP-9", "SETUP-17", "SETUP-23"})
    void bothLinuxEndsOfTheCapturesFindTheirCounterpartInUs() {
        for (Captures capture : Captures.values()) {
            boolean crc = capture == Captures.SIW_CRC;
            boolean peerToPeer = capture == Captures.SIW_PEER_TO_PEER;
            MpaSettings settings = depths(1, 1)
                    .crc(crc)
                    .enhanced(true)
                    .peerToPeer(peerToPeer)
                    .readyToReceive(Set.of(WRITE, READ))
                    .build();
            byte[] asked = Arrays.copyOf(capture.conversation().initiator(), 24);
            byte[] replied = Arrays.copyOf(capture.conversation().responder(), 24);

            StartupPeer initiator =
                    StartupPeer.ofInitiator(settings).expects(asked).sends(replied);
            StartupPeer responder = StartupPeer.ofResponder(DEFAULTS).sends(asked);
            responder.request().accept(NO_PRIVATE_DATA);

            AgreedParameters atInitiator = established(initiator).parameters();
            AgreedParameters atResponder = established(responder).parameters();
            assertThat(atInitiator)
                    .isEqualTo(atInitiator.toBuilder()
                            .negotiated(1, 1, 1, 1)
                            .readyToReceive(
                                    peerToPeer, peerToPeer ? Set.of(WRITE) : Set.of(), peerToPeer ? WRITE : null)
                            .build());
            assertThat(atResponder.ird()).isEqualTo(1);
            assertThat(atResponder.ord()).isEqualTo(1);
            assertThat(atResponder.peerToPeer()).isEqualTo(peerToPeer);
            assertThat(atResponder.revision()).isEqualTo(2);
            initiator.done();
            responder.written();
            responder.done();
        }
    }

    @ParameterizedTest
    @CsvSource({
        // own IRD and ORD, the request, the reply, then IRD and ORD in use
        "16, 16, 00080004, 00040008, 4, 8",
        "16, 16, 00040008, 00080004, 8, 4",
        "2, 3, 00100010, 00020003, 2, 3",
        "16, 16, 00000000, 00000000, 0, 0",
        "0, 0, 00100010, 00000000, 0, 0",
        "16382, 16382, 3ffe3ffe, 3ffe3ffe, 16382, 16382",
    })
    @Requirement({"SETUP-5", "SETUP-7", "SETUP-8", "SETUP-9"})
    void responderLimitsDepthsToTheRequest(
            int ird, int ord, String asked, String replied, int agreedIrd, int agreedOrd) {
        StartupPeer peer = StartupPeer.ofResponder(depths(ird, ord).build()).sends(enhancedRequest(asked));
        int peerIrd = Integer.parseInt(asked.substring(0, 4), 16);
        int peerOrd = Integer.parseInt(asked.substring(4), 16);
        assertThat(peer.request().enhanced()).isTrue();
        assertThat(peer.request().peerToPeer()).isFalse();
        assertThat(peer.request().peerIrd()).isEqualTo(peerIrd);
        assertThat(peer.request().peerOrd()).isEqualTo(peerOrd);

        peer.request().accept(NO_PRIVATE_DATA);

        peer.expects(enhancedReply(replied));
        assertNegotiated(peer, agreedIrd, agreedOrd, peerIrd, peerOrd);
        peer.done();
    }

    @ParameterizedTest
    @CsvSource({
        // own IRD and ORD, the reply, ORD in use
        "16, 16, 00040008, 4",
        "16, 16, 00000000, 0",
        "16, 2, 00100010, 2",
        "16, 16, 3ffe0010, 16",
    })
    @Requirement({"SETUP-7", "SETUP-11"})
    void initiatorUsesNoMoreThanTheResponderTakes(int ird, int ord, String replied, int agreedOrd) {
        StartupPeer peer = replied(depths(ird, ord).enhanced(true).build(), enhancedReply(replied, ascii("welcome")));

        MpaEvent.Established established = established(peer);
        assertThat(established.setupFault()).isNull();
        AgreedParameters parameters = established.parameters();
        assertThat(parameters.enhanced()).isTrue();
        assertThat(parameters.revision()).isEqualTo(2);
        assertThat(parameters.ird()).isEqualTo(ird).isGreaterThanOrEqualTo(parameters.peerOrd());
        assertThat(parameters.ord()).isEqualTo(agreedOrd);
        assertThat(parameters.peerIrd()).isEqualTo(Integer.parseInt(replied.substring(0, 4), 16));
        assertThat(parameters.peerOrd()).isEqualTo(Integer.parseInt(replied.substring(4), 16));
        assertThat(parameters.readyToReceive()).isNull();
        assertThat(parameters.readyToReceiveKinds()).isEmpty();
        assertThat(parameters.peerPrivateData()).isEqualTo(ascii("welcome"));
        peer.done();
    }

    @Test
    @Requirement({"SETUP-13", "SETUP-14"})
    void responderKeepsDepthsThatAreNotNegotiated() {
        MpaSettings settings = depths(5, 6).build();

        assertThat(replyTo(settings, enhancedRequest("3fff3fff"))).isEqualTo(enhancedReply("3fff3fff"));
        assertThat(replyTo(settings, enhancedRequest("00013fff"))).isEqualTo(enhancedReply("3fff0001"));
        assertThat(replyTo(settings, enhancedRequest("3fff0001"))).isEqualTo(enhancedReply("00013fff"));

        StartupPeer peer = StartupPeer.ofResponder(settings).sends(enhancedRequest("3fff3fff"));
        peer.request().accept(NO_PRIVATE_DATA);
        assertNegotiated(peer, 5, 6, NOT_NEGOTIATED, NOT_NEGOTIATED);
        peer.written();
        peer.done();
    }

    /** Checks an enhanced set-up of the client-server model. */
    private static void assertNegotiated(StartupPeer peer, int ird, int ord, int peerIrd, int peerOrd) {
        AgreedParameters agreed = established(peer).parameters();
        assertThat(agreed)
                .isEqualTo(agreed.toBuilder()
                        .negotiated(ird, ord, peerIrd, peerOrd)
                        .readyToReceive(false, Set.of(), null)
                        .build());
    }

    @Test
    @Requirement({"SETUP-13", "SETUP-14"})
    void initiatorKeepsDepthsWithoutNegotiation() {
        MpaSettings settings = depths(5, 6).enhanced(true).build();

        for (MpaSettings asking : new MpaSettings[] {
            settings, settings.toBuilder().negotiateDepths(false).build()
        }) {
            StartupPeer peer = replied(asking, enhancedReply("3fff3fff"));
            assertThat(established(peer).setupFault()).isNull();
            assertNegotiated(peer, 5, 6, NOT_NEGOTIATED, NOT_NEGOTIATED);
            peer.done();
        }
    }

    @ParameterizedTest
    @CsvSource({
        // kinds the responder takes, the request, the reply
        "'WRITE,READ,SEND', 8010c010, 8010c010",
        "'WRITE,READ,SEND', c010c010, c010c010",
        "'WRITE,READ,SEND', 80108010, 80108010",
        "'WRITE,READ,SEND', 80104010, 80104010",
        "'WRITE,READ,SEND', c0100010, c0100010",
        "'WRITE', c010c010, 80108010",
        "'READ,SEND', 8010c010, 80104010",
        // none matches, or none was named: all there are
        "'WRITE', c0100010, 80108010",
        "'READ,SEND', 80108010, c0104010",
        "'WRITE,READ,SEND', 80100010, c010c010",
        // A clear: the others mean nothing
        "'WRITE,READ,SEND', 4010c010, 00100010",
    })
    @Requirement({"SETUP-16", "SETUP-17", "SETUP-18", "SETUP-19"})
    void responderNamesTheAskedRtrKindsItTakesOrElseAllItTakes(String kinds, String asked, String replied) {
        MpaSettings settings =
                MpaSettings.builder().readyToReceive(kinds(kinds)).build();
        StartupPeer peer = StartupPeer.ofResponder(settings).sends(enhancedRequest(asked));
        assertThat(peer.request().peerToPeer()).isEqualTo(replied.charAt(0) != '0');

        peer.request().accept(NO_PRIVATE_DATA);

        peer.expects(enhancedReply(replied));
        AgreedParameters parameters = established(peer).parameters();
        assertThat(parameters.peerToPeer()).isEqualTo(replied.charAt(0) != '0');
        assertThat(parameters.readyToReceive()).isNull();
        assertThat(EnhancedSetup.of(parameters.peerToPeer(), parameters.readyToReceiveKinds(), 16, 16))
                .isEqualTo(setup(replied));
        peer.done();
    }

    @ParameterizedTest
    @CsvSource({
        // own IRD, the request, the reply, IRD in use
        "16, 80004000, 80014000, 1",
        "0, 80044004, 80014004, 1",
        "16, 80044004, 80044004, 4",
        "16, 80008000, 80008000, 0",
        "0, 80047fff, bfff4004, 1",
    })
    @Requirement("SETUP-9")
    void responderReservesIrdForAnRtrRead(int ird, String asked, String replied, int agreedIrd) {
        StartupPeer peer = StartupPeer.ofResponder(depths(ird, 16).build()).sends(enhancedRequest(asked));
        peer.request().accept(NO_PRIVATE_DATA);

        peer.expects(enhancedReply(replied));
        assertThat(established(peer).parameters().ird()).isEqualTo(agreedIrd);
        peer.done();
    }

    @ParameterizedTest
    @CsvSource({
        // kinds the initiator can send, the reply, the kind it sends
        "'WRITE,READ,SEND', c010c010, WRITE",
        "'WRITE,READ,SEND', c0104010, READ",
        "'WRITE,READ,SEND', c0100010, SEND",
        "'READ,SEND', c010c010, READ",
        "'SEND', c010c010, SEND",
        "'READ', 80014000, READ",
        // a Read has no place with an IRD of 0, and has one if that is not negotiated
        "'READ,SEND', c0004000, SEND",
        "'READ,SEND', ffff7fff, READ",
    })
    void initiatorPicksTheFirstRtrKindThatBothNamed(String kinds, String replied, ReadyToReceive picked) {
        MpaSettings settings = MpaSettings.builder()
                .peerToPeer(true)
                .readyToReceive(kinds(kinds))
                .build();
        StartupPeer peer = replied(settings, enhancedReply(replied));

        assertThat(established(peer).setupFault()).isNull();
        AgreedParameters parameters = established(peer).parameters();
        assertThat(parameters.peerToPeer()).isTrue();
        assertThat(parameters.readyToReceive()).isEqualTo(picked);
        assertThat(parameters.readyToReceiveKinds()).isEqualTo(setup(replied).readyToReceive());
        peer.done();
    }

    @ParameterizedTest
    @CsvSource({
        "'WRITE,READ,SEND', 80100010, of kind []",
        "'WRITE', c0104010, 'of kind [READ, SEND]'",
        "'READ', 80004010, with an IRD of 0",
        "'WRITE,READ,SEND', 00100010, client-server",
        "'WRITE,READ,SEND', 4010c010, client-server",
    })
    void initiatorWithoutAPossibleRtrKindReportsIt(String kinds, String replied, String detail) {
        MpaSettings settings = MpaSettings.builder()
                .peerToPeer(true)
                .readyToReceive(kinds(kinds))
                .build();

        expectFault(replied(settings, enhancedReply(replied)), ProtocolError.MPA_NO_MATCHING_RTR, detail);
    }

    @Test
    @Requirement({"SETUP-16", "SETUP-27"})
    void initiatorWithoutPeerToPeerIgnoresRtrKinds() {
        StartupPeer peer = replied(ENHANCED, enhancedReply("4010c010"));
        assertThat(established(peer).setupFault()).isNull();
        assertThat(established(peer).parameters().peerToPeer()).isFalse();
        assertThat(established(peer).parameters().readyToReceiveKinds()).isEmpty();
        peer.done();

        expectFault(
                replied(ENHANCED, enhancedReply("8010c010")), ProtocolError.MPA_NO_MATCHING_RTR, "peer-to-peer model");
    }

    @ParameterizedTest
    @CsvSource({"16, 00103ffe", "16, 00100011", "0, 00100001", "16, 3fff0011"})
    @Requirement({"SETUP-11", "SETUP-27"})
    void initiatorReportsInsufficientIrd(int ird, String replied) {
        MpaSettings settings = depths(ird, 16).enhanced(true).build();
        int wanted = Integer.parseInt(replied.substring(4), 16);

        expectFault(
                replied(settings, enhancedReply(replied)),
                ProtocolError.MPA_INSUFFICIENT_IRD,
                wanted + " outstanding Reads, which exceeds our ird of " + ird);
        expectFault(
                replied(settings.toBuilder().negotiateDepths(false).build(), enhancedReply(replied)),
                ProtocolError.MPA_INSUFFICIENT_IRD,
                "raise ird");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    @Requirement({"SETUP-4", "SETUP-27"})
    void aFrameTooShortForItsSetupDataIsMalformed(int length) {
        String header = "5002000" + length;
        StartupPeer responder = StartupPeer.ofResponder(DEFAULTS).sends(request(header, new byte[length]));
        StartupPeer initiator = replied(ENHANCED, reply(header, new byte[length]));

        for (StartupPeer peer : new StartupPeer[] {responder, initiator}) {
            MpaEvent.StartupFailed failed = peer.failed();
            assertThat(failed.reason().error()).isEqualTo(ProtocolError.MPA_INVALID_STARTUP_FRAME);
            assertThat(failed.reason().detail()).contains("PD_Length is " + length + " bytes (expected: 4 to 512 with");
            assertThat(failed.enhancedRefused()).isFalse();
            peer.expectsNothing().done();
        }
        assertThat(responder.requests).isEmpty();
    }

    @Test
    @Requirement("SETUP-4")
    void theUlpsGet508BytesEachAndSeeNothingOfTheSetupData() {
        byte[] most = new byte[508];
        most[0] = 1;
        most[507] = 2;
        StartupPeer initiator =
                StartupPeer.ofInitiator(ENHANCED, most).expects(concat(request("50020200"), hex("00100010"), most));
        StartupPeer responder =
                StartupPeer.ofResponder(DEFAULTS).sends(concat(request("50020200"), hex("00100010"), most));

        assertThat(responder.request().maxPrivateData()).isEqualTo(508);
        assertThat(responder.request().privateData()).isEqualTo(most);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> responder.request().accept(new byte[509]))
                .withMessageContainingAll("509", "0 to 508");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> responder.request().reject(new byte[509]));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StartupPeer.ofInitiator(ENHANCED, new byte[509]))
                .withMessageContainingAll("509", "0 to 508");
        responder.request().accept(most);
        byte[] replied = responder.written();
        assertThat(replied).isEqualTo(concat(reply("50020200"), hex("00100010"), most));
        initiator.sends(replied);

        assertThat(established(initiator).parameters().peerPrivateData()).isEqualTo(most);
        assertThat(established(responder).parameters().peerPrivateData()).isEqualTo(most);
        initiator.done();
        responder.done();
    }

    @Test
    void parametersReadAsOneLineForPeople() {
        assertThat(established(replied(PEER_TO_PEER, enhancedReply("8004bfff"))).parameters())
                .hasToString(
                        "MPA revision 2 as INITIATOR, CRC on, markers sent no, markers received no, MULPDU 64768 bytes,"
                                + " peer's private data 0 bytes, enhanced set-up, IRD 16, ORD 4, peer's IRD 4, peer's"
                                + " ORD not negotiated, peer-to-peer with RTR by one of [WRITE]");
        assertThat(established(replied(DEFAULTS, reply("40010000")))
                        .parameters()
                        .toString())
                .endsWith("plain set-up, IRD 128, ORD 128");
    }

    private static void expectFault(StartupPeer peer, ProtocolError error, String detail) {
        MpaEvent.Established established = established(peer);
        assertThat(established.setupFault()).isNotNull();
        assertThat(established.setupFault().error()).isEqualTo(error);
        assertThat(established.setupFault().detail()).contains(detail);
        AgreedParameters parameters = established.parameters();
        assertThat(parameters.readyToReceive()).isNull();
        assertThat(parameters.peerToPeer() || parameters.readyToReceiveKinds().isEmpty())
                .isTrue();
        peer.done();
    }

    private static MpaEvent.Established established(StartupPeer peer) {
        return peer.onlyEvent(MpaEvent.Established.class);
    }

    /** The peer of an initiator that has sent its request and got this reply. */
    private static StartupPeer replied(MpaSettings settings, byte[] reply) {
        StartupPeer peer = StartupPeer.ofInitiator(settings);
        peer.written();
        return peer.sends(reply);
    }

    /** The reply of a responder whose application accepts. */
    private static byte[] replyTo(MpaSettings settings, byte[] request) {
        StartupPeer peer = StartupPeer.ofResponder(settings).sends(request);
        peer.request().accept(NO_PRIVATE_DATA);
        byte[] written = peer.written();
        peer.done();
        return written;
    }

    private static MpaSettings.Builder depths(int ird, int ord) {
        return MpaSettings.builder().ird(ird).ord(ord);
    }

    private static Set<ReadyToReceive> kinds(String names) {
        return Set.copyOf(
                Arrays.stream(names.split(",")).map(ReadyToReceive::valueOf).toList());
    }

    private static EnhancedSetup setup(String bytes) {
        return EnhancedSetup.decode(Unpooled.wrappedBuffer(hex(bytes)));
    }
}
