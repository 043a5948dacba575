package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.StartupFrames.concat;
import static io.iwarp.internal.mpa.StartupFrames.encoded;
import static io.iwarp.internal.mpa.StartupFrames.reply;
import static io.iwarp.internal.mpa.StartupFrames.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Start-up under arbitrary cuts of the stream, and under arbitrary bytes. */
class MpaStartupPropertyTest {

    @Test
    @Requirement({"MPA-51", "MPA-56", "MPA-57", "MPA-61", "MPA-63", "MPA-80"})
    void anyTwoEndpointsAgreeHoweverTheirStreamsAreCut() {
        Seeds.forEach(300, (seed, random) -> {
            MpaSettings mine = settings(random);
            MpaSettings theirs = settings(random);
            byte[] asked = bytes(random, 513);
            byte[] replied = bytes(random, 513);
            byte[] fpdus = bytes(random, 2000);
            StartupPeer initiator = StartupPeer.ofInitiator(mine, asked);
            StartupPeer responder = StartupPeer.ofResponder(theirs);

            sendInPieces(random, responder, initiator.written());
            responder.request().accept(replied);
            sendInPieces(random, initiator, concat(responder.written(), fpdus));

            AgreedParameters atInitiator = ((MpaEvent.Established) initiator.seenAbove.get(0)).parameters();
            boolean crc = mine.crc() || theirs.crc();
            assertThat(atInitiator)
                    .isEqualTo(AgreedParameters.builder(Role.INITIATOR)
                            .crc(crc)
                            .sendMarkers(theirs.requestMarkers())
                            .receiveMarkers(mine.requestMarkers())
                            .peerPrivateData(replied)
                            .build());
            assertThat(responder.onlyEvent(MpaEvent.Established.class).parameters())
                    .isEqualTo(AgreedParameters.builder(Role.RESPONDER)
                            .crc(crc)
                            .sendMarkers(mine.requestMarkers())
                            .receiveMarkers(theirs.requestMarkers())
                            .peerPrivateData(asked)
                            .build());
            assertThat(textAfterTheFirstEvent(initiator))
                    .isEqualTo(HexFormat.of().formatHex(fpdus));
            initiator.expectsHandlerGone().done();
            responder.expectsHandlerGone().done();
        });
    }

    @Test
    @Requirement({"MPA-76", "MPA-86"})
    void arbitraryBytesCauseAFailureOrAWaitAndNothingElse() {
        Seeds.forEach(500, (seed, random) -> {
            boolean initiator = random.nextBoolean();
            StartupPeer peer =
                    initiator ? StartupPeer.ofInitiator(settings(random)) : StartupPeer.ofResponder(settings(random));
            peer.written();
            byte[] bytes = hostile(random, initiator);

            sendInPieces(random, peer, bytes);

            if (!peer.seenAbove.isEmpty() && peer.seenAbove.get(0) instanceof MpaEvent.StartupFailed failed) {
                assertThat(failed.reason().error()).isEqualTo(ProtocolError.MPA_INVALID_STARTUP_FRAME);
                assertThat(peer.channel.isOpen()).isFalse();
                assertThat(peer.seenAbove).hasSize(1);
                peer.expectsNoTimer();
            } else {
                assertLegal(peer, initiator, bytes);
            }
            peer.channel.close();
            peer.expectsNothing().done();
        });
    }

    /** What did not fail was right so far: the beginning of a frame, or a whole one. */
    private static void assertLegal(StartupPeer peer, boolean initiator, byte[] bytes) {
        byte[] key = initiator ? reply("") : request("");
        int compared = Math.min(bytes.length, key.length);
        assertThat(Arrays.copyOf(bytes, compared)).isEqualTo(Arrays.copyOf(key, compared));
        boolean whole = bytes.length >= 20
                && bytes.length >= 20 + ByteBuffer.wrap(bytes).getShort(18);
        boolean over = initiator ? !peer.seenAbove.isEmpty() : !peer.requests.isEmpty();
        assertThat(over).isEqualTo(whole);
    }

    /** From noise to a legal frame with one byte changed, as that gets deepest. */
    private static byte[] hostile(Random random, boolean toInitiator) {
        byte[] privateData = bytes(random, 513);
        boolean asReply = random.nextInt(8) == 0 ? !toInitiator : toInitiator;
        byte[] frame = encoded(
                asReply
                        ? new MpaFrame.Reply(
                                random.nextBoolean(), random.nextBoolean(), random.nextBoolean(), false, 1, privateData)
                        : new MpaFrame.Request(random.nextBoolean(), random.nextBoolean(), false, 1, privateData));
        return switch (random.nextInt(5)) {
            case 0 -> bytes(random, 600);
            case 1 -> Arrays.copyOf(frame, random.nextInt(frame.length + 1));
            case 2 -> concat(frame, bytes(random, 30));
            default -> {
                frame[random.nextInt(20)] ^= (byte) (1 << random.nextInt(8));
                yield frame;
            }
        };
    }

    private static MpaSettings settings(Random random) {
        return MpaSettings.builder()
                .requestMarkers(random.nextBoolean())
                .crc(random.nextBoolean())
                .build();
    }

    private static byte[] bytes(Random random, int bound) {
        byte[] bytes = new byte[random.nextInt(bound)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static void sendInPieces(Random random, StartupPeer peer, byte[] bytes) {
        int longest = 1 + random.nextInt(bytes.length + 1);
        for (int sent = 0; sent < bytes.length && peer.channel.isOpen(); ) {
            int piece = Math.min(random.nextInt(longest + 1), bytes.length - sent);
            peer.sends(Arrays.copyOfRange(bytes, sent, sent + piece));
            sent += piece;
        }
    }

    private static String textAfterTheFirstEvent(StartupPeer peer) {
        StringBuilder text = new StringBuilder();
        peer.seenAbove.subList(1, peer.seenAbove.size()).forEach(text::append);
        return text.toString();
    }
}
