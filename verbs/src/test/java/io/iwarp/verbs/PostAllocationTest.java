package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a post by numbers allocates, each with another target. */
class PostAllocationTest {
    private static final int DEPTH = 4096;
    /** What a stray allocation of the JVM itself may cost; one object for each post would cost 8 times as much. */
    private static final long TOLERATED_BYTES = 2 * DEPTH;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion region = domain.allocate(DEPTH, AccessRight.LOCAL_WRITE);
    private final EmbeddedChannel channel = new EmbeddedChannel(IwarpChannelInitializer.initiator(
            domain,
            QueuePairSettings.builder()
                    .sendQueueDepth(DEPTH)
                    .mpa(MpaSettings.builder().start(StartMode.PREAGREED).build())
                    .build(),
            new byte[0],
            fresh -> fresh.setCompletionListener((from, completion) -> {})));
    private final QueuePair queuePair = IwarpChannelInitializer.queuePair(channel);
    private final SendQueue sends = queuePair.sendQueue();

    @BeforeEach
    void needsAMeter() {
        assumeTrue(
                ManagementFactory.getThreadMXBean() instanceof ThreadMXBean meter
                        && meter.isThreadAllocatedMemorySupported(),
                "this JVM does not meter allocation");
    }

    @AfterEach
    void close() {
        queuePair.abort();
        channel.finishAndReleaseAll();
        region.close();
        domain.close();
    }

    @Test
    void postsByNumbersAllocateNothing() {
        for (int i = 0; i < DEPTH; i++) {
            post(i);
        }
        channel.runPendingTasks();
        while (sends.room() < DEPTH) {
            channel.releaseOutbound();
            channel.runPendingTasks();
        }
        long before = allocated();

        for (int i = 0; i < DEPTH; i++) {
            post(i);
        }

        assertThat(allocated() - before).isLessThan(TOLERATED_BYTES);
    }

    private void post(int i) {
        if (i % 2 == 0) {
            sends.send(i, region, i, 1, PostOptions.NONE);
        } else {
            sends.write(i, region, i, 1, i, i, PostOptions.NONE);
        }
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
