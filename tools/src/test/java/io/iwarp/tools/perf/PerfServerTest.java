package io.iwarp.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.CommandRun;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients of a perf server can cost it. */
class PerfServerTest {
    private static final PerfTask TASK = new PerfTask(
            PerfOperation.WRITE,
            PerfMode.BANDWIDTH,
            PerfTask.Direction.TO_SERVER,
            4096,
            1,
            new RemoteBuffer(1, 0, 4096));

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void memoryThatCannotBeAllocatedIsNotKept(int available) throws Exception {
        List<ByteBuf> allocated = new ArrayList<>();
        Allocator allocator = new Allocator(available, allocated);
        try (ProtectionDomain domain = ProtectionDomain.create()) {
            assertThatThrownBy(() -> new PerfMemory(allocator, domain, TASK, AccessRight.REMOTE_WRITE))
                    .isInstanceOf(OutOfMemoryError.class);
        }
        assertThat(allocated).hasSize(available).allMatch(buffer -> buffer.refCnt() == 0);
    }

    @Test
    void oneCollectionAnswersAllWhoAskedMeanwhile() {
        EmbeddedChannel time = new EmbeddedChannel();
        time.freezeTime();
        PerfUsage usage = new PerfUsage(1, 2, 3, 4, 5, 6);
        int[] collections = new int[1];
        List<PerfUsage> answers = new ArrayList<>();
        CollectedUsage collected = new CollectedUsage(time.eventLoop(), () -> {
            collections[0]++;
            return usage;
        });

        collected.ask(answers::add);
        time.runPendingTasks();
        assertThat(answers).containsExactly(usage);
        for (int i = 0; i < 28; i++) {
            collected.ask(answers::add);
        }
        time.runPendingTasks();
        assertThat(collections[0]).isEqualTo(1);

        pass(time);
        assertThat(collections[0]).isEqualTo(2);
        assertThat(answers).hasSize(29);

        pass(time);
        collected.ask(answers::add);
        time.runPendingTasks();
        assertThat(collections[0])
                .as("after a pause the next question is answered at once")
                .isEqualTo(3);
    }

    private static void pass(EmbeddedChannel time) {
        time.advanceTimeBy(CollectedUsage.PAUSE_SECONDS, TimeUnit.SECONDS);
        time.runScheduledPendingTasks();
    }

    @Test
    void aClientThatAsksForTooMuchMemoryIsRefusedAndTheNextIsServed() throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0", "--max-memory", "2M")) {
            String address = server.address();
            for (int attempt = 0; attempt < 3; attempt++) {
                CommandRun refused = measure(address, "513K");
                assertThat(refused.exitCode()).isEqualTo(1);
                assertThat(refused.err()).contains("this connection needs 1,026 KiB", "--max-memory");
            }

            CommandRun next = measure(address, "512K");

            assertThat(next.exitCode()).as(next.err()).isZero();
        }
    }

    private static CommandRun measure(String address, String size) {
        return CommandRun.of("perf", "client", address, "--size", size, "--duration", "0.05", "--warmup", "0");
    }

    /** Has memory for so many buffers. */
    private static final class Allocator extends AbstractByteBufAllocator {
        private final int available;
        private final List<ByteBuf> allocated;

        Allocator(int available, List<ByteBuf> allocated) {
            super(true);
            this.available = available;
            this.allocated = allocated;
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return newDirectBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            if (allocated.size() == available) {
                throw new OutOfMemoryError("no direct memory is left");
            }
            allocated.add(Unpooled.buffer(initialCapacity, maxCapacity));
            return allocated.get(allocated.size() - 1);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }
}
