package io.iwarp.transports;

import static io.iwarp.transports.Ends.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.verbs.PostOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * When both sides have been closed and their event loops shut down, everything is as it was before: threads, timers,
 * and the memory of the allocator. What was collected without being released is found when the class is over.
 */
class NothingLeftTest {
    private static final int LENGTH = 200_000;

    @TempDir
    private Path directory;

    static Stream<Wiring> wirings() {
        return Wiring.all().stream();
    }

    /** Netty's own, which serve the whole process and come and go as they like, left out. */
    private static Set<Thread> threads() {
        Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
        threads.removeIf(thread -> thread.getName().startsWith("globalEventExecutor"));
        return threads;
    }

    @ParameterizedTest
    @MethodSource("wirings")
    void aServerAndAClientLeaveNoThreadNoTimerAndNoBuffer(Wiring wiring) throws Exception {
        wiring.security().initiator();
        Set<Thread> before = threads();
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        Host host = new Host(wiring, allocator);
        Ends ends = new Ends(host, directory);
        MemoryRegion region = ends.domain()
                .region()
                .allocate(allocator, LENGTH)
                .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE)
                .register();
        ByteBuf bytes = Unpooled.directBuffer(LENGTH, LENGTH).writeZero(LENGTH);
        await(ends.initiator().posts().write(bytes, region.remoteBuffer(), PostOptions.NONE));
        await(ends.initiator().posts().read(bytes.clear(), region.remoteBuffer(), PostOptions.NONE));
        await(ends.initiator().posts().send(Unpooled.copyInt(1), PostOptions.NONE));
        ends.responder().received(0);
        assertThat(threads()).as("the event loops run").hasSizeGreaterThan(before.size());
        assertThat(allocator.metric().usedDirectMemory()).isGreaterThanOrEqualTo(LENGTH);

        ends.initiator().queuePair().close();
        await(ends.initiator().queuePair().closed());
        await(ends.responder().queuePair().closed());
        region.close();
        ends.close();
        bytes.release();
        assertThat(host.timers()).as("timers on the event loops").isZero();
        host.close();

        // The group is done before its threads are.
        for (Thread thread : threads()) {
            if (!before.contains(thread)) {
                thread.join(TimeUnit.SECONDS.toMillis(Ends.PATIENCE_SECONDS));
            }
        }
        assertThat(threads()).isEqualTo(before);
        assertThat(allocator.metric().usedDirectMemory()).as("direct memory").isZero();
        assertThat(allocator.metric().usedHeapMemory()).as("heap memory").isZero();
    }
}
