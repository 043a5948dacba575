package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.EndedBy;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import java.net.SocketAddress;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections with every operation under way in both directions that end at any moment, in any way, on either side. */
@Timeout(120)
class OperationKillTest {
    private static final int KILLS = 50;
    private static final int REGION = 8192;
    private static final int LATEST_KILL = 150;

    private enum Kill {
        ABORT,
        ORDERLY,
        RESET;

        void run(QueuePair queuePair) {
            switch (this) {
                case ABORT -> queuePair.abort();
                case ORDERLY -> queuePair.close();
                case RESET -> {
                    queuePair.channel().config().setOption(ChannelOption.SO_LINGER, 0);
                    queuePair.channel().close();
                }
            }
        }
    }

    /** One end of a connection: its traffic, and when it kills. */
    private static final class End {
        private final Traffic traffic;
        private int left;

        End(
                QueuePair queuePair,
                MemoryRegion memory,
                Supplier<MemoryWindow> windows,
                Random random,
                Kill kill,
                int after) {
            left = after;
            traffic = new Traffic(
                    queuePair, Traffic.Kind.values(), memory.remoteBuffer(), memory, windows, random, () -> {
                        if (--left == 0) {
                            kill.run(queuePair);
                        }
                    });
        }
    }

    @Test
    @Requirement({"RDMAP-47", "DDP-50", "MPA-50"})
    void everyRequestCompletesOnceWhateverEndsTheConnection() throws Exception {
        ProtectionDomain domain = ProtectionDomain.create();
        try (Loopback loopback = new Loopback()) {
            MemoryRegion memory = domain.region()
                    .allocate(UnpooledByteBufAllocator.DEFAULT, REGION)
                    .rights(
                            AccessRight.REMOTE_READ,
                            AccessRight.REMOTE_WRITE,
                            AccessRight.REMOTE_ATOMIC,
                            AccessRight.LOCAL_WRITE)
                    .register();
            Seeds.forEach(KILLS, (seed, random) -> runOne(loopback, domain, memory, random));
            assertThat(domain.device().regionCount())
                    .as("sinks that were registered for one Read are not any more")
                    .isOne();
            assertThat(domain.device().windowCount()).isZero();
            memory.close();
        }
        domain.close();
    }

    private static void runOne(Loopback loopback, ProtectionDomain domain, MemoryRegion memory, Random random)
            throws Exception {
        Kill kill = Kill.values()[random.nextInt(Kill.values().length)];
        int after = 1 + random.nextInt(LATEST_KILL);
        boolean byResponder = random.nextBoolean();
        QueuePairSettings settings = QueuePairSettings.builder()
                .mpa(MpaSettings.builder()
                        .requestMarkers(random.nextBoolean())
                        .ord(1 + random.nextInt(16))
                        .build())
                .build();
        QueuePair[] pair = new QueuePair[2];
        End[] ends = new End[2];
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {
            pair[1] = qp;
            ends[1] =
                    new End(qp, memory, () -> bind(memory, pair[0]), new Random(after), kill, byResponder ? after : 0);
        });
        QueuePair initiator = loopback.connect(address, domain, settings, qp -> {
            pair[0] = qp;
            ends[0] = new End(qp, memory, () -> bind(memory, pair[1]), random, kill, byResponder ? 0 : after);
        });
        assertThat(loopback.nextAccepted()).isNotSameAs(initiator);
        for (End end : ends) {
            end.traffic.begin();
        }
        for (End end : ends) {
            assertThat(end.traffic.finish().endedBy())
                    .isIn(EndedBy.LOCAL_APPLICATION, EndedBy.PEER_CLOSED, EndedBy.TRANSPORT);
        }
    }

    /** Something of the other end that a Send may invalidate. */
    private static MemoryWindow bind(MemoryRegion memory, QueuePair other) {
        return other.window(memory, 0, Long.BYTES)
                .rights(AccessRight.REMOTE_READ)
                .bind();
    }
}
