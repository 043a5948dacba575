package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionState;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The order in which a domain, its regions and its queue pairs end. */
class EndOfMemoryTest {
    private static final int ROUNDS = 20;

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain peers = ProtectionDomain.create();
    private SocketAddress address;

    @BeforeEach
    void listen() throws Exception {
        address = loopback.accept(peers, QueuePairSettings.DEFAULT, queuePair -> {});
    }

    @AfterEach
    void close() throws Exception {
        loopback.close();
        peers.close();
        await(peers.closed());
    }

    private QueuePair connect(ProtectionDomain domain) throws Exception {
        return loopback.connect(address, domain, QueuePairSettings.DEFAULT, queuePair -> {});
    }

    @Test
    void resourcesCloseInEachOrder() throws Exception {
        List<ProtectionDomain> closed = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            ProtectionDomain domain = ProtectionDomain.create();
            closed.add(domain);
            try (domain;
                    MemoryRegion region = domain.allocate(8, AccessRight.REMOTE_WRITE);
                    QueuePair queuePair = connect(domain)) {
                assertThat(queuePair.closeReason()).isNull();
                assertThat(region.isValid()).isTrue();
            }
            ProtectionDomain other = ProtectionDomain.create();
            closed.add(other);
            try (other;
                    QueuePair queuePair = connect(other);
                    MemoryRegion region = queuePair.allocate(8, AccessRight.REMOTE_WRITE)) {
                assertThat(region.isValid()).isTrue();
            }
            ProtectionDomain third = ProtectionDomain.create();
            closed.add(third);
            QueuePair queuePair = connect(third);
            MemoryRegion region = queuePair.allocate(8, AccessRight.REMOTE_WRITE);
            try (region;
                    third;
                    queuePair) {
                assertThat(region.isValid()).isTrue();
            }
        }
        for (ProtectionDomain domain : closed) {
            await(domain.closed());
            assertThat(domain.device().regionCount()).isZero();
        }
    }

    @Test
    void openQueuePairKeepsItsDomainOpen() throws Exception {
        try (ProtectionDomain domain = ProtectionDomain.create();
                QueuePair queuePair = connect(domain)) {
            assertThatIllegalStateException()
                    .isThrownBy(domain::close)
                    .withMessageContaining("open regions (0) and streams (1)");
            assertThat(queuePair.state()).isNotEqualTo(ConnectionState.CLOSED);
        }
    }

    @Test
    void regionsOfAnEndedQueuePairAreNotRegisteredAndReadable() throws Exception {
        ProtectionDomain domain = ProtectionDomain.create();
        QueuePair queuePair = connect(domain);
        List<MemoryRegion> regions = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            regions.add(queuePair.allocate(8, AccessRight.REMOTE_ATOMIC));
        }
        queuePair.close();
        await(queuePair.closed());

        assertThat(domain.regionCount()).isZero();
        domain.close();
        await(domain.closed());
        for (MemoryRegion region : regions) {
            assertThat(region.isValid()).isFalse();
            region.setVolatile(0, 7);
            assertThat(region.getVolatile(0)).isEqualTo(7);
            region.close();
        }
    }

    @Test
    void readAfterTheDomainWasClosedReportsTheClose() throws Exception {
        ProtectionDomain domain = ProtectionDomain.create();
        QueuePair queuePair = connect(domain);
        queuePair.close();
        domain.close();
        ByteBuf sink = Unpooled.directBuffer(8);

        assertThatThrownBy(() -> await(queuePair.read(sink, new RemoteBuffer(1, 0, 8))))
                .cause()
                .isInstanceOf(ConnectionClosedException.class);
        await(domain.closed());
        sink.release();
    }
}
