package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.StartupFrames.NO_PRIVATE_DATA;
import static io.iwarp.internal.mpa.StartupFrames.reply;
import static io.iwarp.internal.mpa.StartupFrames.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ProtocolError;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** FPDUs have the form that the start-up frames agreed on, for all combinations. */
class StartupToFramingTest {

    private static final int ULPDU_LENGTH = 1200;

    static Stream<Arguments> allWishes() {
        return IntStream.range(0, 16)
                .mapToObj(bits -> Arguments.of((bits & 8) != 0, (bits & 4) != 0, (bits & 2) != 0, (bits & 1) != 0));
    }

    @ParameterizedTest(name = "our M={0} C={1}, peer''s M={2} C={3}")
    @MethodSource("allWishes")
    @Requirement({"MPA-18", "MPA-19", "MPA-26", "MPA-36", "MPA-37", "MPA-51", "MPA-56", "MPA-57"})
    void initiatorSendsAndReceivesAsAgreed(boolean ourMarkers, boolean ourCrc, boolean itsMarkers, boolean itsCrc) {
        MpaSettings settings = settings(ourMarkers, ourCrc);
        StartupPeer peer = framed(settings).switchesTo(MpaStartupHandler.initiator(settings, NO_PRIVATE_DATA));
        boolean crc = ourCrc || itsCrc;

        peer.expects(request(header(ourMarkers, ourCrc))).sends(reply(header(itsMarkers, itsCrc)));
        expectOurFpdu(peer, crc, itsMarkers);
        expectItsFpdus(peer, crc, ourMarkers);

        peer.done();
    }

    @ParameterizedTest(name = "our M={0} C={1}, peer''s M={2} C={3}")
    @MethodSource("allWishes")
    @Requirement({"MPA-18", "MPA-19", "MPA-26", "MPA-36", "MPA-37", "MPA-51", "MPA-56", "MPA-57", "MPA-69"})
    void responderSendsAndReceivesAsAgreed(boolean ourMarkers, boolean ourCrc, boolean itsMarkers, boolean itsCrc) {
        MpaSettings settings = settings(ourMarkers, ourCrc);
        StartupPeer peer = framed(settings)
                .switchesTo(MpaStartupHandler.responder(settings, asked -> asked.accept(NO_PRIVATE_DATA)));
        boolean crc = ourCrc || itsCrc;

        peer.sends(request(header(itsMarkers, itsCrc))).expects(reply(header(ourMarkers, crc)));
        expectItsFpdus(peer, crc, ourMarkers);
        expectOurFpdu(peer, crc, itsMarkers);

        peer.done();
    }

    private static void expectOurFpdu(StartupPeer peer, boolean crc, boolean markers) {
        Ulpdu ulpdu = new Ulpdu();
        ulpdu.header().writeBytes(filled(1));
        peer.channel.writeAndFlush(ulpdu);

        assertThat(peer.written()).isEqualTo(new ReferenceFramer(crc, markers).frame(filled(1)));
    }

    /** A good FPDU goes up; one with a wrong CRC does only if the CRC is off. */
    private static void expectItsFpdus(StartupPeer peer, boolean crc, boolean markers) {
        ReferenceFramer framer = new ReferenceFramer(crc, markers);
        byte[] good = framer.frame(filled(2));
        byte[] bad = framer.frame(filled(3));
        bad[bad.length - 1] ^= 1;

        peer.sends(good);
        assertThat(peer.seenAbove).last().isEqualTo(HexFormat.of().formatHex(filled(2)));
        peer.sends(bad);
        if (crc) {
            assertThat(peer.seenAbove)
                    .last()
                    .isInstanceOfSatisfying(
                            MpaEvent.Fault.class,
                            it -> assertThat(it.fault().error()).isEqualTo(ProtocolError.MPA_CRC_MISMATCH));
        } else {
            assertThat(peer.seenAbove).last().isEqualTo(HexFormat.of().formatHex(filled(3)));
        }
    }

    private static StartupPeer framed(MpaSettings settings) {
        StartupPeer peer = new StartupPeer();
        peer.channel.pipeline().addBefore("above", "framing", peer.framing(settings));
        return peer;
    }

    private static MpaSettings settings(boolean markers, boolean crc) {
        return MpaSettings.builder().requestMarkers(markers).crc(crc).build();
    }

    private static String header(boolean markers, boolean crc) {
        return String.format("%02x010000", (markers ? 0x80 : 0) | (crc ? 0x40 : 0));
    }

    private static byte[] filled(int value) {
        byte[] ulpdu = new byte[ULPDU_LENGTH];
        Arrays.fill(ulpdu, (byte) value);
        return ulpdu;
    }
}
