package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One peer writes into a region while bytes of it are on their way to another peer. */
class ChangedSourceTest {
    private static final int LENGTH = 64 * 1024;

    private final ProtectionDomain domain = ProtectionDomain.create();

    @AfterEach
    void release() {
        domain.close();
    }

    @Test
    void aWriteOfAPeerIntoARegionThatIsSentEndsNoStream() {
        try (MemoryRegion region = region(AccessRight.REMOTE_WRITE)) {
            assertArrives(region, region.remoteBuffer());
        }
    }

    @Test
    void aWriteOfAPeerIntoAWindowOfARegionThatIsSentEndsNoStream() {
        try (MemoryRegion region = region();
                MemoryWindow window = region.window(1000, 2000)
                        .rights(AccessRight.REMOTE_WRITE)
                        .bind()) {
            assertArrives(region, window.remoteBuffer());
        }
    }

    private MemoryRegion region(AccessRight... rights) {
        return domain.region()
                .allocate(ByteBufAllocator.DEFAULT, LENGTH)
                .rights(rights)
                .register();
    }

    private void assertArrives(MemoryRegion source, RemoteBuffer writable) {
        try (MemoryRegion target = region(AccessRight.REMOTE_WRITE);
                SimulatedPeer writer = SimulatedPeer.ofResponder(domain, QueuePairSettings.DEFAULT, qp -> {});
                SimulatedPair pair = new SimulatedPair(domain, QueuePairSettings.DEFAULT, qp -> {})) {
            CompletableFuture<Completion> written =
                    pair.initiator.queuePair().write(source.slice(0, LENGTH), target.remoteBuffer());
            pair.initiator.runTasks();

            writer.sends(Segment.write(writable.stag(), writable.taggedOffset(), new byte[] {1, 2, 3}));
            pair.run();

            assertThat(written).isCompleted();
            assertThat(pair.responder.queuePair().closed())
                    .as("the stream of the other peer")
                    .isNotDone();
        }
    }
}
