package io.iwarp.verbs;

import static io.iwarp.verbs.CompareSwap.compare;
import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.IwarpException;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.LocalBuffer;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Effort;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Posts that fail leave nothing behind, and hold up no post behind them. */
class PostFailureTest {
    private static final RemoteBuffer SOMEWHERE = new RemoteBuffer(0x1234, 0, 64);

    private static final int ROUNDS = Effort.rounds(300);
    private static final int BYTES = 8;
    private static final int DEPTH = 16;

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ExecutorService closer = Executors.newSingleThreadExecutor();
    private QueuePair queuePair;

    @BeforeEach
    void connect() throws Exception {
        QueuePairSettings bounded = QueuePairSettings.builder()
                .sendQueueDepth(DEPTH)
                .receiveQueueDepth(DEPTH)
                .maxOutstandingBytes(DEPTH * BYTES)
                .build();
        QueuePairSettings managed =
                QueuePairSettings.builder().managedReceiveBytes(BYTES).build();
        queuePair = loopback.connect(
                loopback.accept(
                        domain,
                        managed,
                        qp -> qp.setCompletionListener((same, completion) -> {
                            if (completion.buffer() != null) {
                                completion.buffer().release();
                            }
                        })),
                domain,
                bounded,
                qp -> qp.setCompletionListener((same, completion) -> {}));
    }

    @AfterEach
    void close() throws Exception {
        queuePair.close();
        await(queuePair.closed());
        await(loopback.nextAccepted().closed());
        loopback.close();
        closer.shutdown();
        assertThat(closer.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(domain.device().regionCount()).isZero();
        domain.close();
    }

    @Test
    void aPostWithoutOptionsLeavesNothingBehind() throws Exception {
        ByteBuf bytes = Unpooled.directBuffer(BYTES, BYTES).writeZero(BYTES);
        ByteBuf sink = Unpooled.directBuffer(BYTES, BYTES);
        List<ThrowingCallable> posts = List.of(
                () -> queuePair.sendQueue().send(1, bytes, null),
                () -> queuePair.sendQueue().sendWithInvalidate(1, bytes, SOMEWHERE, null),
                () -> queuePair.sendQueue().write(1, bytes, SOMEWHERE, null),
                () -> queuePair.sendQueue().writeWithImmediate(1, bytes, SOMEWHERE, new ImmediateData(0), null),
                () -> queuePair.sendQueue().sendImmediate(1, new ImmediateData(0), null),
                () -> queuePair.sendQueue().read(1, sink, SOMEWHERE.slice(0, sink.writableBytes()), null),
                () -> queuePair.sendQueue().fetchAdd(1, SOMEWHERE.slice(0, Long.BYTES), FetchAdd.add(1), null),
                () -> queuePair
                        .sendQueue()
                        .compareSwap(
                                1, SOMEWHERE.slice(0, Long.BYTES), compare(0).swap(1), null));
        for (ThrowingCallable post : posts) {
            assertThatThrownBy(post).isInstanceOf(NullPointerException.class).hasMessageContaining("PostOptions.NONE");
        }
        await(queuePair.send(bytes));
        assertThat(queuePair.engine().requests().ring().unreleasedCount()).isZero();
        assertThat(bytes.release()).isTrue();
        assertThat(sink.release()).isTrue();
    }

    @Test
    void aRangeThatDoesNotFitIsRefusedAndLeavesNothingBehind() throws Exception {
        ByteBuf bytes = Unpooled.directBuffer(BYTES, BYTES).writeZero(BYTES);
        ByteBuf sink = Unpooled.directBuffer(BYTES, BYTES);
        MemoryRegion region = domain.register(sink, AccessRight.LOCAL_WRITE);
        LocalBuffer local = region.slice(0, BYTES);
        SendQueue sends = queuePair.sendQueue();
        RemoteBuffer shorter = new RemoteBuffer(0x1234, Long.MAX_VALUE, BYTES - 1);
        RemoteBuffer longer = new RemoteBuffer(0x1234, Long.MAX_VALUE, BYTES + 1);
        RemoteBuffer longest = new RemoteBuffer(0x1234, 0, Long.MAX_VALUE);
        ImmediateData data = new ImmediateData(0);
        Map<ThrowingCallable, String> posts = new LinkedHashMap<>();
        posts.put(() -> sends.write(1, bytes, shorter, PostOptions.NONE), "8 bytes do not fit into the 7 bytes");
        posts.put(() -> sends.write(1, local, shorter, PostOptions.NONE), "8 bytes do not fit into the 7 bytes");
        posts.put(
                () -> sends.writeWithImmediate(1, bytes, shorter, data, PostOptions.NONE),
                "8 bytes do not fit into the 7 bytes");
        posts.put(
                () -> sends.writeWithImmediate(1, local, shorter, data, PostOptions.NONE),
                "8 bytes do not fit into the 7 bytes");
        posts.put(() -> sends.read(1, sink, longer, PostOptions.NONE), "9 bytes, which do not fit into the 8");
        posts.put(() -> sends.read(1, local, longer, PostOptions.NONE), "9 bytes, which do not fit into LocalBuffer[");
        posts.put(() -> sends.read(1, sink, longest, PostOptions.NONE), "do not fit into the 8");
        posts.put(() -> sends.read(1, local, longest, PostOptions.NONE), "do not fit into LocalBuffer[");
        posts.put(() -> sends.fetchAdd(1, shorter, FetchAdd.add(1), PostOptions.NONE), "an atomic works on 8 bytes");
        posts.put(
                () -> sends.compareSwap(1, shorter, compare(0).swap(1), PostOptions.NONE),
                "an atomic works on 8 bytes");
        posts.forEach((post, message) -> assertThatThrownBy(post)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message));
        assertThat(queuePair.engine().requests().ring().unreleasedCount()).isZero();
        assertThat(domain.device().regionCount()).isOne();
        region.close();
        assertThat(bytes.release()).isTrue();
        assertThat(sink.release()).isTrue();
    }

    @Test
    void aRegionThatIsClosedWhileItIsPostedFromHoldsNothingUp() throws Exception {
        ByteBuf bytes = Unpooled.directBuffer(BYTES, BYTES).writeZero(BYTES);
        closeRegionsDuring(region -> queuePair.sendQueue().send(1, region.slice(0, BYTES), PostOptions.NONE));
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .until(() -> queuePair.engine().requests().ring().unreleasedCount() == 0);
        for (int i = 0; i < 2 * DEPTH; i++) {
            await(queuePair.send(bytes));
        }
        assertThat(queuePair.engine().requests().ring().unreleasedCount()).isZero();
        assertThat(bytes.release()).isTrue();
    }

    @Test
    void regionClosedDuringPostTakesNoSharedReceive() throws Exception {
        SharedReceiveQueue receives = SharedReceiveQueue.create(ROUNDS * DEPTH, 1);
        int posted = closeRegionsDuring(region -> receives.receive(1, region.slice(0, BYTES)));
        assertThat(receives.available()).isEqualTo(posted);
        ByteBuf sink = Unpooled.directBuffer(BYTES, BYTES);
        for (int i = posted; i < receives.depth(); i++) {
            receives.receive(1, sink);
        }
        assertThat(receives.available()).isEqualTo(receives.depth());
        receives.close();
        assertThat(sink.release()).isTrue();
    }

    private interface Post {
        void from(MemoryRegion region);
    }

    /** Returns how many posts succeeded. */
    private int closeRegionsDuring(Post post) throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        int posted = 0;
        for (int round = 0; round < ROUNDS; round++) {
            MemoryRegion region = domain.region()
                    .allocate(UnpooledByteBufAllocator.DEFAULT, BYTES)
                    .register();
            int spins = round % 64;
            Callable<Void> close = () -> {
                start.await();
                for (int i = 0; i < spins; i++) {
                    Thread.onSpinWait();
                }
                region.close();
                return null;
            };
            Future<Void> closing = closer.submit(close);
            start.await();
            posted += postUntilClosed(post, region);
            closing.get();
        }
        return posted;
    }

    private static int postUntilClosed(Post post, MemoryRegion region) {
        for (int posted = 0; posted < DEPTH; posted++) {
            try {
                post.from(region);
            } catch (IwarpException closed) {
                return posted;
            }
        }
        return DEPTH;
    }
}
