package io.iwarp.internal.mpa;

import static io.iwarp.internal.mpa.StartupFrames.concat;
import static io.iwarp.internal.mpa.StartupFrames.reply;
import static io.iwarp.internal.mpa.StartupFrames.request;
import static io.iwarp.mpa.MpaParameters.NOT_NEGOTIATED;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ProtocolError;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.ReadyToReceive;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.Unpooled;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The enhanced set-up between any two endpoints, and under arbitrary set-up data. */
class EnhancedSetupPropertyTest {

    @Test
    @Requirement({
        "SETUP-1",
        "SETUP-2",
        "SETUP-4",
        "SETUP-7",
        "SETUP-8",
        "SETUP-11",
        "SETUP-17",
        "SETUP-23",
        "SETUP-25",
        "SETUP-26"
    })
    void anyTwoEndpointsAgreeOrBothLearnWhyNot() {
        Seeds.forEach(1000, (seed, random) -> {
            MpaSettings mine = settings(random, 0);
            MpaSettings theirs = settings(random, 0);
            byte[] asked = privateData(random, mine.enhanced());
            StartupPeer initiator = StartupPeer.ofInitiator(mine, asked);
            StartupPeer responder = StartupPeer.ofResponder(theirs).sends(initiator.written());

            if (mine.enhanced() && theirs.revision() == 1) {
                assertThat(responder.failed().reason().error()).isEqualTo(ProtocolError.MPA_INVALID_STARTUP_FRAME);
                initiator.closes();
                assertThat(initiator.failed().enhancedRefused()).isTrue();
            } else {
                assertThat(responder.request().privateData()).isEqualTo(asked);
                byte[] replied = privateData(random, mine.enhanced());
                responder.request().accept(replied);
                initiator.sends(responder.written());
                assertConsistent(mine, theirs, established(initiator), established(responder));
                assertThat(established(initiator).parameters().peerPrivateData())
                        .isEqualTo(replied);
                assertThat(established(responder).parameters().peerPrivateData())
                        .isEqualTo(asked);
            }
            initiator.done();
            responder.done();
        });
    }

    private static void assertConsistent(
            MpaSettings mine, MpaSettings theirs, MpaEvent.Established atMine, MpaEvent.Established atTheirs) {
        AgreedParameters initiator = atMine.parameters();
        AgreedParameters responder = atTheirs.parameters();
        assertThat(initiator.enhanced()).isEqualTo(responder.enhanced()).isEqualTo(mine.enhanced());
        assertThat(initiator.revision()).isEqualTo(responder.revision()).isEqualTo(mine.enhanced() ? 2 : 1);
        assertThat(initiator.peerToPeer()).isEqualTo(responder.peerToPeer()).isEqualTo(mine.peerToPeer());
        assertThat(atTheirs.setupFault()).isNull();
        if (mine.enhanced() && mine.negotiateDepths()) {
            assertThat(initiator.ord()).isBetween(0, mine.ord()).isLessThanOrEqualTo(responder.ird());
            assertThat(responder.ord()).isBetween(0, theirs.ord()).isLessThanOrEqualTo(initiator.ird());
            assertThat(initiator.peerIrd()).isEqualTo(responder.ird());
            assertThat(initiator.peerOrd()).isEqualTo(responder.ord());
            assertThat(responder.peerIrd()).isEqualTo(mine.ird());
            assertThat(responder.peerOrd()).isEqualTo(mine.ord());
        } else {
            assertThat(initiator.ird()).isEqualTo(mine.ird());
            assertThat(initiator.ord()).isEqualTo(mine.ord());
            assertThat(responder.ird()).isBetween(theirs.ird(), Math.max(1, theirs.ird()));
            assertThat(responder.ord()).isEqualTo(theirs.ord());
        }
        assertRtr(mine, theirs, atMine, responder);
    }

    private static void assertRtr(
            MpaSettings mine, MpaSettings theirs, MpaEvent.Established atMine, AgreedParameters responder) {
        Set<ReadyToReceive> common = EnumSet.copyOf(mine.readyToReceive());
        common.retainAll(theirs.readyToReceive());
        ReadyToReceive first = atMine.parameters().readyToReceive();
        boolean expected = mine.peerToPeer() && !common.isEmpty();
        assertThat(first != null).isEqualTo(expected);
        assertThat(errorOf(atMine.setupFault()))
                .isEqualTo(mine.peerToPeer() && !expected ? ProtocolError.MPA_NO_MATCHING_RTR : null);
        assertThat(atMine.parameters().readyToReceiveKinds()).isEqualTo(responder.readyToReceiveKinds());
        if (expected) {
            assertThat(responder.readyToReceiveKinds()).isEqualTo(common).contains(first);
            assertThat(responder.ird()).isGreaterThanOrEqualTo(common.contains(ReadyToReceive.READ) ? 1 : 0);
        }
    }

    @Test
    @Requirement({"SETUP-4", "SETUP-5", "SETUP-8", "SETUP-13", "SETUP-14", "SETUP-17", "SETUP-27"})
    void aResponderRepliesToAnySetupDataWithinItsMeansAndTheRules() {
        Seeds.forEach(1000, (seed, random) -> {
            MpaSettings settings = settings(random, 2);
            byte[] data = hostileData(random);
            StartupPeer peer = StartupPeer.ofResponder(settings).sends(concat(request(header(data)), data));

            if (data.length < EnhancedSetup.LENGTH) {
                assertThat(peer.failed().reason().error()).isEqualTo(ProtocolError.MPA_INVALID_STARTUP_FRAME);
            } else {
                peer.request().accept(new byte[0]);
                EnhancedSetup asked = EnhancedSetup.decode(Unpooled.wrappedBuffer(data));
                EnhancedSetup replied =
                        MpaFrame.decode(Unpooled.wrappedBuffer(peer.written())).setup();
                assertThat(replied).isNotNull();
                AgreedParameters agreed = established(peer).parameters();
                assertThat(agreed.ird()).isBetween(0, Math.max(1, settings.ird()));
                assertThat(agreed.ord()).isBetween(0, Math.min(settings.ord(), asked.ird()));
                assertThat(replied.ird()).isEqualTo(asked.ord() == NOT_NEGOTIATED ? NOT_NEGOTIATED : agreed.ird());
                assertThat(replied.ord()).isEqualTo(asked.ird() == NOT_NEGOTIATED ? NOT_NEGOTIATED : agreed.ord());
                assertThat(replied.peerToPeer()).isEqualTo(asked.peerToPeer());
                assertThat(replied.readyToReceive().isEmpty()).isEqualTo(!asked.peerToPeer());
                assertThat(settings.readyToReceive()).containsAll(replied.readyToReceive());
                assertThat(agreed.readyToReceiveKinds()).isEqualTo(replied.readyToReceive());
            }
            peer.done();
        });
    }

    @Test
    @Requirement({"SETUP-4", "SETUP-11", "SETUP-13", "SETUP-14", "SETUP-27"})
    void anInitiatorTakesAnySetupDataWithinItsMeansOrFailsByTheNumber() {
        Seeds.forEach(1000, (seed, random) -> {
            MpaSettings settings =
                    settings(random, 2).toBuilder().enhanced(true).build();
            byte[] data = hostileData(random);
            StartupPeer peer = StartupPeer.ofInitiator(settings);
            peer.written();
            peer.sends(concat(reply(header(data)), data));

            if (data.length < EnhancedSetup.LENGTH) {
                assertThat(peer.failed().reason().error()).isEqualTo(ProtocolError.MPA_INVALID_STARTUP_FRAME);
            } else {
                EnhancedSetup replied = EnhancedSetup.decode(Unpooled.wrappedBuffer(data));
                AgreedParameters agreed = established(peer).parameters();
                ProtocolError error = errorOf(established(peer).setupFault());
                assertThat(agreed.ird()).isEqualTo(settings.ird());
                assertThat(agreed.ord()).isBetween(0, Math.min(settings.ord(), replied.ird()));
                boolean tooMuch = replied.ord() != NOT_NEGOTIATED && replied.ord() > settings.ird();
                assertThat(error == ProtocolError.MPA_INSUFFICIENT_IRD).isEqualTo(tooMuch);
                boolean ready = agreed.readyToReceive() != null;
                assertThat(ready).isEqualTo(settings.peerToPeer() && error == null);
                if (ready) {
                    assertThat(settings.readyToReceive()).contains(agreed.readyToReceive());
                    assertThat(replied.readyToReceive()).contains(agreed.readyToReceive());
                }
                assertThat(settings.peerToPeer() == replied.peerToPeer() || error != null)
                        .isTrue();
            }
            peer.done();
        });
    }

    private static @Nullable ProtocolError errorOf(@Nullable ProtocolFault fault) {
        return fault == null ? null : fault.error();
    }

    private static MpaEvent.Established established(StartupPeer peer) {
        return peer.onlyEvent(MpaEvent.Established.class);
    }

    /** Random settings; {@code revision} 0 for a random one. */
    private static MpaSettings settings(Random random, int revision) {
        int known = revision == 0 ? 1 + random.nextInt(2) : revision;
        boolean enhanced = known == 2 && random.nextInt(4) > 0;
        EnumSet<ReadyToReceive> kinds = EnumSet.allOf(ReadyToReceive.class);
        kinds.removeIf(kind -> kinds.size() > 1 && random.nextInt(3) > 0);
        return MpaSettings.builder()
                .revision(known)
                .enhanced(enhanced)
                .peerToPeer(enhanced && random.nextBoolean())
                .negotiateDepths(random.nextInt(4) > 0)
                .ird(depth(random))
                .ord(depth(random))
                .readyToReceive(kinds)
                .build();
    }

    /** Small ones often, as those are where limits meet. */
    private static int depth(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> random.nextInt(3);
            case 2 -> EnhancedSetup.MAX_DEPTH - random.nextInt(2);
            default -> random.nextInt(EnhancedSetup.MAX_DEPTH + 1);
        };
    }

    private static byte[] hostileData(Random random) {
        byte[] data = new byte[random.nextInt(8) == 0 ? random.nextInt(5) : 4 + random.nextInt(20)];
        random.nextBytes(data);
        if (data.length >= EnhancedSetup.LENGTH && random.nextBoolean()) {
            data[0] &= (byte) 0xC0;
            data[2] &= (byte) 0xC0;
        }
        if (data.length >= EnhancedSetup.LENGTH && random.nextInt(4) == 0) {
            int word = 2 * random.nextInt(2);
            data[word] |= 0x3F;
            data[word + 1] = (byte) 0xFF;
        }
        return data;
    }

    private static String header(byte[] data) {
        return String.format("5002%04x", data.length);
    }

    private static byte[] privateData(Random random, boolean enhanced) {
        byte[] bytes = new byte[random.nextInt(enhanced ? 509 : 513)];
        random.nextBytes(bytes);
        return bytes;
    }
}
