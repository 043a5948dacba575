package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.GoldenVectors;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The responses to Reads and atomics of a peer, byte for byte on a raw socket. */
class ResponderTest {
    private static final int SINK = 0xa1a2a3a4;
    private static final int LENGTH = 16 << 20;
    private static final int LONG_READ = 10 << 20;
    private static final int MULPDU = 1442;
    private static final int TAGGED_HEADER_LENGTH = 14;

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf memory = Unpooled.directBuffer(LENGTH, LENGTH);
    private byte[] bytes;
    private MemoryRegion region;
    private SocketAddress address;

    @BeforeEach
    void listen() throws Exception {
        bytes = new byte[LENGTH];
        new Random(LENGTH).nextBytes(bytes);
        memory.setBytes(0, bytes);
        region = domain.register(memory, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC);
        QueuePairSettings settings = QueuePairSettings.builder()
                .mpa(MpaSettings.builder().mulpdu(MULPDU).build())
                .build();
        address = loopback.accept(domain, settings, qp -> {
            qp.setCompletionListener((queuePair, completion) -> {});
            qp.receiveQueue().receive(1, Unpooled.buffer(16));
        });
    }

    @AfterEach
    void close() {
        loopback.close();
        region.close();
        domain.close();
        memory.release();
    }

    private CloseReason reason() throws Exception {
        return await(loopback.nextAccepted().closed());
    }

    private Segment read(int msn, long sinkOffset, int size, long offset) {
        return Segment.readRequest(msn, SINK, sinkOffset, size, region.stag(), offset);
    }

    private static byte[] goldenUlpdu(String title) {
        byte[] fpdu = GoldenVectors.bytes(title);
        return Arrays.copyOfRange(fpdu, 2, 2 + ByteBuffer.wrap(fpdu).getShort());
    }

    @Test
    @Requirement({"RDMAP-20", "RDMAP-22", "RDMAP-23", "RDMAP-27", "EXT-10", "EXT-12", "EXT-18", "EXT-21"})
    void responsesLookLikeTheGoldenVectors() throws Exception {
        memory.setInt(0, 0xdeadbeef);
        memory.setByte(8, 0xff).setZero(9, 7);
        long original = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0xffL : 0xffL << 56;
        Segment add = Segment.fetchAdd(2, region.stag(), 8, 0, 0);
        ByteBuffer.wrap(add.payload()).putInt(4, 5);
        try (SocketPeer peer = SocketPeer.established(address)) {
            peer.sends(read(1, 0x1000, 4, 0), add);
            assertThat(peer.expectUlpdu()).isEqualTo(goldenUlpdu("RDMA Read Response 4 octets de ad be ef"));
            byte[] expected = goldenUlpdu("Atomic Response id 5 original 0x00000000000000ff");
            ByteBuffer.wrap(expected).putLong(expected.length - 8, original);
            assertThat(peer.expectUlpdu()).isEqualTo(expected);
        }
        reason();
    }

    @Test
    @Requirement({"RDMAP-25", "RDMAP-26"})
    void aReadOfNothingGetsAResponseWhateverItsSource() throws Exception {
        try (SocketPeer peer = SocketPeer.established(address)) {
            peer.sends(
                    Segment.readRequest(1, 0, 0, 0, 0, 0),
                    Segment.readRequest(2, 0x77777777, -1, 0, 0x12345678, -1),
                    read(3, 9, 0, LENGTH + 1L));
            assertThat(peer.expectUlpdu()).isEqualTo(goldenUlpdu("RDMA Read Response zero-length, stag 0 to 0"));
            assertThat(peer.expectUlpdu())
                    .isEqualTo(Segment.readResponse(0x77777777, -1, new byte[0]).ulpdu());
            assertThat(peer.expectUlpdu())
                    .isEqualTo(Segment.readResponse(SINK, 9, new byte[0]).ulpdu());
        }
        assertThat(reason().endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
    }

    @Test
    @Requirement({"RDMAP-26", "RDMAP-29", "RDMAP-32", "RDMAP-69", "EXT-14", "EXT-17", "EXT-23"})
    void responsesComeInTheOrderOfTheRequestsAndCutByTheMulpdu() throws Exception {
        try (SocketPeer peer = SocketPeer.established(address)) {
            memory.setZero(0, 8);
            peer.sends(
                    read(1, 0x5000, LONG_READ, 4096),
                    Segment.fetchAdd(2, region.stag(), 0, 1, 0),
                    read(3, 0x9000, 1, 9));
            expectResponse(peer, 0x5000, LONG_READ, 4096);
            assertThat(peer.expectUlpdu())
                    .isEqualTo(Segment.atomicResponse(1, 2, 0).ulpdu());
            expectResponse(peer, 0x9000, 1, 9);
        }
        reason();
    }

    private void expectResponse(SocketPeer peer, long sinkOffset, int size, int offset) throws Exception {
        for (int done = 0; done < size; ) {
            ByteBuffer segment = ByteBuffer.wrap(peer.expectUlpdu());
            int payload = segment.capacity() - TAGGED_HEADER_LENGTH;
            assertThat(payload).isEqualTo(Math.min(size - done, (MULPDU - TAGGED_HEADER_LENGTH) & -Long.BYTES));
            assertThat(segment.get() & 0xff).isEqualTo(done + payload == size ? 0xc1 : 0x81);
            assertThat(segment.get()).isEqualTo((byte) 0x42);
            assertThat(segment.getInt()).isEqualTo(SINK);
            assertThat(segment.getLong()).isEqualTo(sinkOffset + done);
            assertThat(segment).isEqualTo(ByteBuffer.wrap(bytes, offset + done, payload));
            done += payload;
        }
    }

    @Test
    @Requirement({"EXT-1", "EXT-11"})
    void fieldsWithoutMeaningAreIgnored() throws Exception {
        memory.setZero(0, 8);
        Segment add = Segment.atomic(1, 0xfffffff0, region.stag(), 0, 3, 0, 0x1111, 0x2222)
                .invalidateStag(region.stag());
        try (SocketPeer peer = SocketPeer.established(address)) {
            peer.sends(add, read(2, 0, 1, 0).invalidateStag(region.stag()));
            assertThat(peer.expectUlpdu())
                    .isEqualTo(Segment.atomicResponse(1, 1, 0).ulpdu());
            assertThat(peer.expectUlpdu()[1]).isEqualTo((byte) 0x42);
        }
        reason();
        assertThat(region.isValid()).isTrue();
    }

    @Test
    @Requirement({"RDMAP-46", "RDMAP-52", "RDMAP-54"})
    void sourceRevokedDuringReadQuotesTheRequest() throws Exception {
        Segment request = read(1, 0x1000, LENGTH, 0);
        try (SocketPeer peer = SocketPeer.established(address)) {
            peer.sends(request);
            byte[] ulpdu = peer.expectUlpdu();
            region.invalidate();
            int responseBytes = 0;
            while (ulpdu[1] == 0x42) {
                assertThat(ulpdu[0]).as("not the last segment").isEqualTo((byte) 0x81);
                responseBytes += ulpdu.length - TAGGED_HEADER_LENGTH;
                ulpdu = peer.expectUlpdu();
            }
            ByteBuffer quoted = ByteBuffer.wrap(request.payload().clone());
            quoted.putLong(4, 0x1000 + responseBytes)
                    .putInt(12, LENGTH - responseBytes)
                    .putLong(20, responseBytes);
            assertThat(responseBytes).isPositive().isLessThan(LENGTH);
            assertThat(HexFormat.of().formatHex(ulpdu))
                    .isEqualTo("41470000000000000002000000010000" + "0000" + "0100e000" + "002e"
                            + HexFormat.of().formatHex(request.header())
                            + HexFormat.of().formatHex(quoted.array()));
            peer.expectEnd();
        }
        CloseReason reason = reason();
        assertThat(reason.error()).isEqualTo(ProtocolError.RDMAP_INVALID_STAG);
        assertThat(reason.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
    }

    @Test
    @Requirement({"RDMAP-39", "RDMAP-41"})
    void anStagThatThePeerTookBackIsUnknown() throws Exception {
        CompletableFuture<MemoryWindow> bound = new CompletableFuture<>();
        SocketAddress server = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {
            qp.setCompletionListener((queuePair, completion) -> {});
            qp.receiveQueue().receive(1, Unpooled.buffer(16));
            bound.complete(
                    qp.window(region, 0, 64).rights(AccessRight.REMOTE_WRITE).bind());
        });
        try (SocketPeer peer = SocketPeer.established(server)) {
            int stag = await(bound).stag();
            Segment write = Segment.write(stag, 0, new byte[] {9});
            peer.sends(
                    Segment.write(stag, 4, new byte[] {7}),
                    Segment.send(1, new byte[0]).opcode(4).invalidateStag(stag),
                    write);
            peer.expectTerminate("1100c000" + "000f" + HexFormat.of().formatHex(write.header()));
        }
        reason();
        assertThat(memory.getByte(4)).isEqualTo((byte) 7);
        assertThat(memory.getByte(0)).isEqualTo(bytes[0]);
    }

    @Test
    @Requirement("RDMAP-55")
    void ofTwoErrorsTheFirstIsReported() throws Exception {
        Segment first = read(1, 0, 8, LENGTH);
        try (SocketPeer peer = SocketPeer.established(address)) {
            peer.sends(first, Segment.fetchAdd(2, region.stag(), 4, 1, 0));
            peer.expectTerminate("0101e000" + "002e"
                    + HexFormat.of().formatHex(first.header())
                    + HexFormat.of().formatHex(first.payload()));
        }
        assertThat(reason().error()).isEqualTo(ProtocolError.RDMAP_BASE_OR_BOUNDS);
    }
}
