package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.StartupDriver.agreed;
import static io.iwarp.internal.mpa.StartupDriver.awaitingDecision;
import static io.iwarp.internal.mpa.StartupDriver.failure;
import static io.iwarp.internal.mpa.StartupDriver.failureAt;
import static io.iwarp.internal.mpa.StartupDriver.receive;
import static io.iwarp.internal.mpa.StartupDriver.repliedTo;
import static io.iwarp.internal.mpa.StartupDriver.started;
import static io.iwarp.internal.mpa.StartupFrames.NO_PRIVATE_DATA;
import static io.iwarp.internal.mpa.StartupFrames.ascii;
import static io.iwarp.internal.mpa.StartupFrames.concat;
import static io.iwarp.internal.mpa.StartupFrames.reply;
import static io.iwarp.internal.mpa.StartupFrames.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ProtocolError;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Captures;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the start-up refuses, and at which byte it knows. */
class MpaStartupRefusalTest {

    private static final MpaSettings DEFAULTS = MpaSettings.DEFAULT;

    @Test
    @Requirement({"MPA-54", "MPA-66", "MPA-73", "MPA-86"})
    void responderFailsAtTheFirstWrongByteOfTheKey() {
        for (int wrong = 0; wrong < MpaFrameLayout.KEY_LENGTH; wrong++) {
            byte[] bytes = request("40010000");
            bytes[wrong] ^= 0x40;
            assertThat(failureAt(started(MpaStartup.responder(DEFAULTS)), bytes, wrong))
                    .contains("byte " + wrong + " of the key of the MPA Request Frame")
                    .contains("does not speak MPA");
        }
    }

    @Test
    @Requirement({"MPA-55", "MPA-71", "MPA-73", "MPA-86"})
    void initiatorFailsAtTheFirstWrongByteOfTheKey() {
        for (int wrong = 0; wrong < MpaFrameLayout.KEY_LENGTH; wrong++) {
            byte[] bytes = reply("40010000");
            bytes[wrong] ^= 0x40;
            assertThat(failureAt(started(MpaStartup.initiator(DEFAULTS, NO_PRIVATE_DATA)), bytes, wrong))
                    .contains("byte " + wrong + " of the key of the MPA Reply Frame");
        }
    }

    /** Where a TLS record may begin: at the first byte, with a content type from 20 to 23. */
    @ParameterizedTest
    @CsvSource({
        "0, 19, false",
        "0, 20, true",
        "0, 22, true",
        "0, 23, true",
        "0, 24, false",
        "0, -128, false",
        "1, 22, false"
    })
    void tlsPeerIsRecognized(int position, byte first, boolean tls) {
        byte[] bytes = request("40010000");
        bytes[position] = first;
        String detail = failureAt(started(MpaStartup.responder(DEFAULTS)), bytes, position);

        assertThat(detail).contains(String.format("0x%02x", first));
        assertThat(detail.contains("it speaks TLS, and this side does not")).isEqualTo(tls);
        assertThat(detail.contains("does not speak MPA")).isEqualTo(!tls);
    }

    @Test
    @Requirement("MPA-54")
    void httpRequestIsRecognizedAtOnce() {
        assertThat(failureAt(started(MpaStartup.responder(DEFAULTS)), ascii("GET / HTTP/1.1\r\n"), 0))
                .contains("0x47, expected 0x4d");
    }

    @Test
    @Requirement({"MPA-55", "MPA-74"})
    void initiatorRecognizesAnotherInitiator() {
        int tellingByte = "MPA ID Re".length();
        assertThat(failureAt(
                        started(MpaStartup.initiator(DEFAULTS, NO_PRIVATE_DATA)), request("40010000"), tellingByte))
                .contains("both sides are initiators");
    }

    @Test
    @Requirement("MPA-54")
    void responderRecognizesAnotherResponder() {
        int tellingByte = "MPA ID Re".length();
        assertThat(failureAt(started(MpaStartup.responder(DEFAULTS)), reply("40010000"), tellingByte))
                .contains("both sides are responders");
    }

    @ParameterizedTest
    @ValueSource(strings = {"4000", "4003", "40ff", "5000", "5003"})
    @Requirement({"MPA-60", "MPA-66", "MPA-71"})
    void aRevisionWithoutCommonGroundFailsBothSidesAtItsByte(String flagsAndRevision) {
        int oneByte = MpaFrameLayout.REVISION_OFFSET;
        assertThat(failureAt(started(MpaStartup.responder(DEFAULTS)), request(flagsAndRevision + "0000"), oneByte))
                .contains("MPA revision " + Integer.parseInt(flagsAndRevision.substring(2), 16))
                .contains("(expected: 1 or 2)");
        assertThat(failureAt(
                        started(MpaStartup.initiator(DEFAULTS, NO_PRIVATE_DATA)),
                        reply(flagsAndRevision + "0000"),
                        oneByte))
                .contains("MPA revision");
    }

    @Test
    @Requirement({"MPA-86", "SETUP-25"})
    void enhancedRequestToRevisionOnePeerNamesTheRemedy() {
        byte[] siw = Captures.SIW_STANDARD.conversation().initiator();
        MpaSettings settings = MpaSettings.builder().revision(1).build();

        assertThat(failureAt(started(MpaStartup.responder(settings)), siw, MpaFrameLayout.REVISION_OFFSET))
                .contains("enhanced connection set-up")
                .contains("use revision 1");
    }

    @Test
    @Requirement("MPA-71")
    void unrequestedEnhancedReplyFails() {
        byte[] siw = Captures.SIW_STANDARD.conversation().responder();

        assertThat(failureAt(
                        started(MpaStartup.initiator(DEFAULTS, NO_PRIVATE_DATA)), siw, MpaFrameLayout.REVISION_OFFSET))
                .contains("enhanced connection set-up");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0201", "0300", "ffff"})
    @Requirement({"MPA-62", "MPA-66", "MPA-71", "MPA-76"})
    void tooLongPrivateDataFailsBeforeAnyOfItIsRead(String length) {
        int lastOfHeader = MpaFrameLayout.HEADER_LENGTH - 1;
        byte[] privateData = new byte[513];

        assertThat(failureAt(
                        started(MpaStartup.responder(DEFAULTS)), request("4001" + length, privateData), lastOfHeader))
                .contains("PD_Length is " + Integer.parseInt(length, 16) + " bytes (expected: 0 to 512)");
        assertThat(failureAt(
                        started(MpaStartup.initiator(DEFAULTS, NO_PRIVATE_DATA)),
                        reply("4001" + length, privateData),
                        lastOfHeader))
                .contains("(expected: 0 to 512)");
    }

    @Test
    @Requirement({"MPA-62", "MPA-66", "MPA-70"})
    void bytesAfterTheRequestFail() {
        byte[] bytes = request("40010002", ascii("hi!"));

        assertThat(failure(receive(started(MpaStartup.responder(DEFAULTS)), bytes))
                        .detail())
                .contains("1 bytes followed the MPA Request Frame");

        MpaStartup responder = awaitingDecision(DEFAULTS, request("40010000"));
        assertThat(receive(responder)).isInstanceOf(StartupAction.Wait.class);
        assertThat(failure(receive(responder, (byte) 0)).error()).isEqualTo(ProtocolError.MPA_INVALID_STARTUP_FRAME);
    }

    @Test
    @Requirement({"MPA-51", "MPA-69"})
    void bytesAfterTheReplyAreKeptUnlessRefused() {
        byte[] bytes = concat(reply("40010000"), ascii("FPDU"));
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        agreed(started(MpaStartup.initiator(DEFAULTS, NO_PRIVATE_DATA)).received(in));
        assertThat(in.readableBytes()).isEqualTo(4);

        MpaSettings strict = MpaSettings.builder().refuseEarlyFpdus(true).build();
        assertThat(failure(receive(started(MpaStartup.initiator(strict, NO_PRIVATE_DATA)), bytes))
                        .detail())
                .contains("4 bytes followed the MPA Reply Frame");
        agreed(repliedTo(strict, reply("40010000")));
    }
}
