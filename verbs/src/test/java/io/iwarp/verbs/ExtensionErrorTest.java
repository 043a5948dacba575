package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketAddress;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a peer is told whose extensions (RFC 7306) a queue pair does not take: nothing changes, and the next peer is served. */
class ExtensionErrorTest {
    private static final int LENGTH = 64;
    private static final int MARGIN = 16;
    private static final long BASE = 0x1000;
    private static final byte PATTERN = 0x5a;
    private static final int SINK = 0xa1a2a3a4;
    private static final String CONTROL_AND_HEADER = "c000";

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf memory = Unpooled.directBuffer(LENGTH + 2 * MARGIN);
    private final ByteBuf receiveBuffer = Unpooled.buffer(16, 16).writeZero(16);
    private MemoryRegion region;
    private SocketAddress address;

    @BeforeEach
    void listen() throws Exception {
        for (int i = 0; i < memory.capacity(); i++) {
            memory.setByte(i, PATTERN);
        }
        region = domain.region()
                .buffers(memory.slice(MARGIN, LENGTH))
                .baseTaggedOffset(BASE)
                .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_ATOMIC)
                .register();
        address = listen(true);
    }

    private SocketAddress listen(boolean extensions) throws Exception {
        QueuePairSettings settings =
                QueuePairSettings.builder().extensions(extensions).build();
        return loopback.accept(domain, settings, qp -> {
            qp.completionListener((queuePair, completion) -> {});
            qp.receiveQueue().receive(1, receiveBuffer.slice().clear());
        });
    }

    @AfterEach
    void release() {
        loopback.close();
        region.close();
        domain.close();
        memory.release();
    }

    @Test
    @Requirement({"EXT-34"})
    void withoutTheExtensionsTheirMessagesAreUnknown() throws Exception {
        SocketAddress plain = listen(false);
        Segment[] extensions = {
            Segment.fetchAdd(1, region.stag(), BASE, 0, 0),
            Segment.immediate(1, 0),
            Segment.immediate(1, 0).opcode(9),
            Segment.atomicResponse(1, 1, 0)
        };
        for (Segment segment : extensions) {
            try (SocketPeer peer = SocketPeer.established(plain)) {
                peer.sends(segment);
                peer.expectTerminate("0206" + CONTROL_AND_HEADER
                        + String.format("%04x", segment.ulpdu().length)
                        + HexFormat.of().formatHex(segment.header()));
            }
            assertRefused("0206");
        }
    }

    private CloseReason awaitClosed() throws Exception {
        return await(loopback.nextAccepted().closed());
    }

    private void assertRefused(String code) throws Exception {
        CloseReason reason = awaitClosed();
        assertThat(reason.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(reason.error()).isNotNull();
        assertThat(String.format(
                        "%x%x%02x",
                        reason.error().layer().number(),
                        reason.error().type(),
                        reason.error().code()))
                .isEqualTo(code);
        for (int i = 0; i < memory.capacity(); i++) {
            assertThat(memory.getByte(i)).as("byte %d", i).isEqualTo(PATTERN);
        }
        try (SocketPeer peer = SocketPeer.established(address)) {
            peer.sends(Segment.readRequest(1, SINK, 7, 2, region.stag(), BASE));
            assertThat(peer.expectUlpdu())
                    .isEqualTo(Segment.readResponse(SINK, 7, new byte[] {PATTERN, PATTERN})
                            .ulpdu());
        }
        awaitClosed();
    }
}
