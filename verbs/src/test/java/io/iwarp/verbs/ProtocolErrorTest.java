package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A scripted peer on a raw socket does what is wrong below DDP, or what TCP makes difficult. Each time: the exact
 * Terminate, then FIN; not one byte of memory changed; the server serves the next peer. Wrong segments are those of
 * {@code WrongSegmentTest} in the module of RDMAP.
 */
class ProtocolErrorTest {
    private static final int REGION_LENGTH = 256;
    private static final int MARGIN = 64;
    private static final long BASE = 0x1_0000L;
    private static final int RECEIVE_LENGTH = 32;
    private static final byte PATTERN = 0x5a;

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf memory = Unpooled.directBuffer(REGION_LENGTH + 2 * MARGIN);
    private final ByteBuf receiveMemory = Unpooled.directBuffer(RECEIVE_LENGTH, RECEIVE_LENGTH);
    private MemoryRegion region;
    private SocketAddress address;

    @BeforeEach
    void listen() throws Exception {
        for (int i = 0; i < memory.capacity(); i++) {
            memory.setByte(i, PATTERN);
        }
        ByteBuf inside = memory.slice(MARGIN, REGION_LENGTH);
        region = domain.region()
                .buffers(inside)
                .baseTaggedOffset(BASE)
                .rights(AccessRight.REMOTE_WRITE)
                .register();
        address = loopback.accept(domain, QueuePairSettings.DEFAULT, this::postOneReceive);
    }

    private void postOneReceive(QueuePair queuePair) {
        receiveMemory.clear();
        queuePair.setCompletionListener((qp, completion) -> {});
        queuePair.receiveQueue().receive(1, receiveMemory);
    }

    @AfterEach
    void release() throws Exception {
        loopback.close();
        region.close();
        domain.close();
        memory.release();
        receiveMemory.release();
    }

    private static Segment write(MemoryRegion region, long taggedOffset, byte[] payload) {
        return Segment.write(region.stag(), taggedOffset, payload);
    }

    @Test
    @Requirement({"MPA-40", "MPA-84", "MPA-88", "MPA-89", "RDMAP-57", "DDP-53"})
    void aBadCrcIsReportedWithoutHeadersAndNothingIsPlaced() throws Exception {
        byte[] bad = write(region, BASE, new byte[] {1, 2, 3, 4}).fpdu();
        bad[20] ^= 1;
        byte[] good = write(region, BASE + 8, new byte[] {1, 2, 3, 4}).fpdu();
        try (SocketPeer peer = SocketPeer.established(address)) {
            peer.sends(write(region, BASE, new byte[0]));
            peer.sends(bad, good);
            peer.expectTerminate("20020000");
        }
        assertEndedWith("2002", EndedBy.LOCAL_FAULT);
        assertMemoryUntouched();
        assertNextPeerIsServed();
    }

    @Test
    @Requirement({"MPA-30", "MPA-85", "MPA-88"})
    void aMarkerThatDisagreesWithTheLengthIsReported() throws Exception {
        QueuePairSettings settings = QueuePairSettings.builder()
                .mpa(MpaSettings.builder().requestMarkers(true).build())
                .build();
        SocketAddress withMarkers = loopback.accept(domain, settings, this::postOneReceive);
        byte[] fpdu = write(region, BASE, new byte[] {1, 2, 3, 4}).fpdu();
        try (SocketPeer peer = SocketPeer.established(withMarkers)) {
            byte[] first = write(region, BASE, new byte[0]).fpdu();
            peer.sends(withMarker(0, first));
            int sent = 4 + first.length;
            byte[] filler = Segment.send(1, new byte[0]).fpdu();
            while (sent + filler.length <= 512) {
                filler = write(region, BASE, new byte[0]).fpdu();
                peer.sends(filler);
                sent += filler.length;
            }
            int before = 512 - sent;
            peer.sends(withMarkerInside(fpdu, before, before + 4));
            peer.expectTerminate("20030000");
        }
        assertEndedWith("2003", EndedBy.LOCAL_FAULT);
        assertMemoryUntouched();
    }

    private static byte[] withMarker(int pointer, byte[] fpdu) {
        ByteBuffer marked = ByteBuffer.allocate(4 + fpdu.length).putInt(pointer).put(fpdu);
        return sealed(marked.array());
    }

    private static byte[] withMarkerInside(byte[] fpdu, int position, int pointer) {
        ByteBuffer marked = ByteBuffer.allocate(4 + fpdu.length)
                .put(fpdu, 0, position)
                .putInt(pointer)
                .put(fpdu, position, fpdu.length - position);
        return sealed(marked.array());
    }

    private static byte[] sealed(byte[] fpdu) {
        int crc = Integer.reverseBytes((int) Segment.crc(fpdu, 0, fpdu.length - 4));
        ByteBuffer.wrap(fpdu).putInt(fpdu.length - 4, crc);
        return fpdu;
    }

    @Test
    @Requirement({"MPA-83", "RDMAP-57"})
    void aFinInsideAnFpduIsALostConnection() throws Exception {
        try (SocketPeer peer = SocketPeer.established(address)) {
            peer.sends(write(region, BASE, new byte[0]));
            peer.sends(Arrays.copyOf(
                    write(region, BASE, new byte[] {1, 2, 3, 4}).fpdu(), 11));
            peer.finish();
            peer.expectTerminate("20010000");
        }
        assertEndedWith("2001", EndedBy.TRANSPORT);
        assertMemoryUntouched();
    }

    @Test
    @Requirement({"MPA-83", "DDP-50", "RDMAP-47"})
    void aResetFlushesWhatIsPosted() throws Exception {
        try (SocketPeer peer = SocketPeer.established(address)) {
            peer.sends(write(region, BASE, new byte[0]));
            QueuePair queuePair = loopback.nextAccepted();
            Loopback.await(queuePair.ready());
            var receive = queuePair.receive(Unpooled.EMPTY_BUFFER);
            peer.reset();
            Loopback.await(queuePair.closed());
            assertThat(receive).isCompletedExceptionally();
        }
    }

    @Test
    @Requirement({"RDMAP-45", "RDMAP-47", "RDMAP-54", "DDP-67"})
    void aTerminateOvertakesQueuedSendsAndNothingFollowsIt() throws Exception {
        int messages = 128;
        ByteBuf large = Unpooled.directBuffer(1 << 20).writeZero(1 << 20);
        AtomicInteger flushed = new AtomicInteger();
        AtomicInteger sent = new AtomicInteger();
        SocketAddress talkative = loopback.accept(domain, QueuePairSettings.DEFAULT, queuePair -> {
            queuePair.setCompletionListener(
                    (qp, completion) -> (completion.successful() ? sent : flushed).incrementAndGet());
            for (int i = 0; i < messages; i++) {
                queuePair.sendQueue().send(i, large);
            }
        });
        Segment wrong = Segment.write(0, 0, new byte[] {1});
        try (SocketPeer peer = SocketPeer.established(talkative)) {
            peer.sends(write(region, BASE, new byte[0]), wrong);
            byte[] ulpdu = peer.expectUlpdu();
            while (ulpdu[1] == 0x43) {
                ulpdu = peer.expectUlpdu();
            }
            assertThat(HexFormat.of().formatHex(ulpdu))
                    .isEqualTo("4147000000000000000200000001000000001100c000000f"
                            + HexFormat.of().formatHex(wrong.header()));
            peer.expectEnd();
        }
        assertEndedWith("1100", EndedBy.LOCAL_FAULT);
        assertThat(flushed.get()).isPositive();
        assertThat(sent.get() + flushed.get()).isEqualTo(messages);
        assertThat(large.release()).isTrue();
    }

    /** Closing a socket with unread input would send RST and take the Terminate away from the peer. */
    @Test
    @Requirement({"RDMAP-58", "DDP-66"})
    void aTerminateReachesAPeerThatKeepsSending() throws Exception {
        Segment wrong = Segment.write(0, 0, new byte[] {1});
        byte[] flood = Segment.write(0, 0, new byte[60_000]).fpdu();
        try (SocketPeer peer = SocketPeer.established(address)) {
            peer.sends(write(region, BASE, new byte[0]), wrong);
            for (int i = 0; i < 300; i++) {
                peer.sends(flood);
            }
            peer.expectTerminate("1100c000000f" + HexFormat.of().formatHex(wrong.header()));
        }
        assertEndedWith("1100", EndedBy.LOCAL_FAULT);
    }

    @Test
    @Requirement({"MPA-54", "MPA-66", "MPA-73", "MPA-86"})
    void aForeignProtocolGetsNoReply() throws Exception {
        for (String greeting : new String[] {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "MPA ID Rep Frame....", "X"}) {
            try (SocketPeer peer = SocketPeer.connectTo(address)) {
                peer.sends(greeting.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                peer.expectEnd();
            }
        }
        assertNextPeerIsServed();
    }

    static Stream<Function<MemoryRegion, Segment>> messagesOfTheExtensions() {
        return Stream.of(
                target -> Segment.fetchAdd(1, target.stag(), BASE, 0, 0),
                target -> Segment.immediate(1, 0),
                target -> Segment.immediate(1, 0).opcode(9),
                target -> Segment.atomicResponse(1, 1, 0));
    }

    @ParameterizedTest
    @MethodSource("messagesOfTheExtensions")
    @Requirement({"EXT-34"})
    void withoutTheExtensionsTheirMessagesAreUnknown(Function<MemoryRegion, Segment> message) throws Exception {
        QueuePairSettings settings =
                QueuePairSettings.builder().extensions(false).build();
        SocketAddress plain = loopback.accept(domain, settings, this::postOneReceive);
        try (MemoryRegion numbers = domain.region()
                        .buffers(memory.slice(MARGIN, REGION_LENGTH))
                        .baseTaggedOffset(BASE)
                        .rights(AccessRight.REMOTE_ATOMIC)
                        .register();
                SocketPeer peer = SocketPeer.established(plain)) {
            Segment segment = message.apply(numbers);
            peer.sends(segment);
            peer.expectTerminate("0206c000" + String.format("%04x", segment.ulpdu().length)
                    + HexFormat.of().formatHex(segment.header()));
        }
        assertEndedWith("0206", EndedBy.LOCAL_FAULT);
        assertMemoryUntouched();
        assertNextPeerIsServed();
    }

    private CloseReason assertEndedWith(String code, EndedBy endedBy) throws Exception {
        CloseReason reason = Loopback.await(loopback.nextAccepted().closed());
        assertThat(reason.endedBy()).isEqualTo(endedBy);
        assertThat(reason.error()).isNotNull();
        assertThat(String.format(
                        "%x%x%02x",
                        reason.error().layer().number(),
                        reason.error().type(),
                        reason.error().code()))
                .isEqualTo(code);
        return reason;
    }

    private void assertMemoryUntouched() {
        for (int i = 0; i < memory.capacity(); i++) {
            assertThat(memory.getByte(i)).as("byte %d", i).isEqualTo(PATTERN);
        }
    }

    private void assertNextPeerIsServed() throws Exception {
        try (SocketPeer peer = SocketPeer.established(address)) {
            peer.sends(write(region, BASE + 4, new byte[] {42}), Segment.send(1, new byte[] {43}));
            peer.finish();
            peer.expectEnd();
        }
        assertThat(memory.getByte(MARGIN + 4)).isEqualTo((byte) 42);
        assertThat(receiveMemory.getByte(0)).isEqualTo((byte) 43);
    }
}
