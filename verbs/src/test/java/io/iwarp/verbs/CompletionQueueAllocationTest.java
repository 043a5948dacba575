package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.iwarp.Role;
import io.iwarp.memory.ProtectionDomain;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** What completions cost once a queue has been used. */
class CompletionQueueAllocationTest {
    private static final int ROUNDS = 10_000;
    /** What a stray allocation of the JVM itself may cost; one object for each completion would cost far more. */
    private static final long TOLERATED_BYTES = ROUNDS;

    @Test
    void addingAndPollingCompletionsAllocatesNothing() throws Exception {
        assumeTrue(
                ManagementFactory.getThreadMXBean() instanceof ThreadMXBean meter
                        && meter.isThreadAllocatedMemorySupported(),
                "this JVM does not meter allocation");
        QueuePairSettings settings = QueuePairSettings.DEFAULT;
        CompletionQueue queue = CompletionQueue.create(CompletionQueue.capacityFor(settings, 1));
        EmbeddedChannel channel = new EmbeddedChannel();
        ProtectionDomain domain = ProtectionDomain.create();
        QueuePair queuePair = new QueuePair(channel, domain, settings, Role.INITIATOR, null).setCompletionQueue(queue);
        CompletionTarget port = queuePair.engine().receiveSide().target();
        QueueSlots place = queuePair.engine().receiveSide().source().slots();
        CompletionView completion = new CompletionView();
        long[] seen = new long[1];
        CompletionListener handler = (qp, polled) -> seen[0] += polled.bytes() + 1;
        run(queue, port, place, completion, handler);
        long before = allocated();
        run(queue, port, place, completion, handler);
        assertThat(allocated() - before).isLessThan(TOLERATED_BYTES);
        assertThat(seen[0]).isEqualTo(2 * ROUNDS);
        channel.finish();
    }

    private static void run(
            CompletionQueue queue,
            CompletionTarget port,
            QueueSlots place,
            CompletionView completion,
            CompletionListener handler) {
        for (int i = 0; i < ROUNDS; i += 2) {
            port.complete(completion, place);
            port.complete(completion, place);
            queue.poll(handler, 2);
        }
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
