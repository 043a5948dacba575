package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A post with a future waits for room, unless its thread is an event loop. */
@Timeout(60)
class PostWaitTest {
    private static final int DEPTH = 4;
    private static final int THREADS = 300;
    private static final int ADDS = 20;
    private static final QueuePairSettings SETTINGS = QueuePairSettings.builder()
            .sendQueueDepth(DEPTH)
            .postWait(Duration.ofMinutes(1))
            .build();

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion region = domain.region()
            .allocate(ByteBufAllocator.DEFAULT, Long.BYTES)
            .rights(AccessRight.REMOTE_ATOMIC)
            .register();
    private final RemoteBuffer number = region.remoteBuffer();
    private QueuePair initiator;
    private QueuePair responder;

    @BeforeEach
    void connect() throws Exception {
        initiator = loopback.connect(loopback.accept(domain, SETTINGS, qp -> {}), domain, SETTINGS, qp -> {});
        responder = loopback.nextAccepted();
    }

    @AfterEach
    void close() throws Exception {
        initiator.abort();
        await(responder.closed());
        await(initiator.closed());
        region.close();
        domain.close();
        loopback.close();
    }

    private static <T> FutureTask<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "poster");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anyNumberOfThreadsMayWaitForItsOwnResult(boolean bytesAreShort) throws Exception {
        QueuePairSettings settings = bytesAreShort
                ? SETTINGS.toBuilder()
                        .sendQueueDepth(2 * THREADS)
                        .maxOutstandingBytes(DEPTH * Long.BYTES)
                        .build()
                : SETTINGS;
        QueuePair shared = loopback.connect(loopback.accept(domain, settings, qp -> {}), domain, settings, qp -> {});
        List<FutureTask<Void>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(start(() -> {
                for (int n = 0; n < ADDS; n++) {
                    shared.fetchAdd(number, 1).join();
                }
                return null;
            }));
        }
        for (FutureTask<Void> thread : threads) {
            thread.get();
        }
        assertThat(region.getVolatile(0)).isEqualTo(THREADS * ADDS);
        shared.close();
        await(shared.closed());
        await(loopback.nextAccepted().closed());
    }

    /** The requests of a responder wait for the initiator, which says nothing. */
    private void fill() {
        for (int i = 0; i < DEPTH; i++) {
            assertThat(responder.send(Unpooled.EMPTY_BUFFER)).isNotDone();
        }
    }

    /** Returns the posts of threads that all wait. */
    private List<FutureTask<CompletableFuture<Completion>>> waiting(ByteBuf message) {
        List<Thread> posters = new ArrayList<>();
        List<FutureTask<CompletableFuture<Completion>>> posts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            FutureTask<CompletableFuture<Completion>> post = new FutureTask<>(() -> responder.send(message));
            posts.add(post);
            posters.add(new Thread(post, "poster"));
        }
        posters.forEach(Thread::start);
        posters.forEach(PostWaitTest::awaitWaiting);
        return posts;
    }

    private static void awaitWaiting(Thread poster) {
        while (poster.getState() != Thread.State.TIMED_WAITING) {
            assertThat(poster.isAlive()).isTrue();
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theEndOfTheStreamEndsTheWait(boolean orderly) throws Exception {
        fill();
        ByteBuf message = Unpooled.copyInt(1);
        List<FutureTask<CompletableFuture<Completion>>> posts = waiting(message);
        if (orderly) {
            responder.close();
        } else {
            responder.abort();
        }
        for (FutureTask<CompletableFuture<Completion>> post : posts) {
            assertThat(post.get())
                    .failsWithin(1, TimeUnit.MINUTES)
                    .withThrowableThat()
                    .withCauseInstanceOf(ConnectionClosedException.class);
        }
        assertThat(responder.engine().life().refusalReason().endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThat(message.release()).isTrue();
    }

    @Test
    void anInterruptEndsTheWaitAndIsKept() throws Exception {
        fill();
        CompletableFuture<Boolean> kept = new CompletableFuture<>();
        FutureTask<CompletableFuture<Completion>> post = new FutureTask<>(() -> {
            CompletableFuture<Completion> sent = responder.send(Unpooled.EMPTY_BUFFER);
            kept.complete(Thread.currentThread().isInterrupted());
            return sent;
        });
        Thread poster = new Thread(post, "poster");
        poster.start();
        poster.interrupt();
        assertThat(post.get())
                .failsWithin(1, TimeUnit.MINUTES)
                .withThrowableThat()
                .withCauseInstanceOf(QueueFullException.class);
        assertThat(kept.get()).isTrue();
    }

    /** Its own, or that of another group, whose threads may be of any kind. */
    @Test
    void anEventLoopNeverWaits() throws Exception {
        fill();
        DefaultEventLoop other = new DefaultEventLoop((ThreadFactory) Thread::new);
        for (var loop : List.of(responder.channel().eventLoop(), other)) {
            CompletableFuture<Completion> refused =
                    loop.submit(() -> responder.send(Unpooled.EMPTY_BUFFER)).get();
            assertThat(refused)
                    .failsWithin(0, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .withCauseInstanceOf(QueueFullException.class);
        }
        other.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    @Test
    void threadsGetRoomInTheOrderOfTheirArrival() throws Exception {
        RoomQueue line = new RoomQueue();
        DrainSchedule drains = new DrainSchedule(responder.channel().eventLoop(), () -> {}, () -> {});
        AtomicBoolean room = new AtomicBoolean();
        Queue<Integer> order = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            // The first one finds no room when it comes, and the others would.
            LongSupplier attempt = () -> {
                boolean found = room.get() || number > 0;
                return found && order.add(number) ? number : PostRing.FULL;
            };
            Thread thread =
                    new Thread(() -> line.await(attempt, Duration.ofMinutes(1).toNanos(), drains));
            threads.add(thread);
            thread.start();
            awaitWaiting(thread);
        }
        room.set(true);
        line.wakeFirst();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(order).containsExactly(0, 1, 2);
    }

    @Test
    void aPostWithAnIdNeverWaits() throws Exception {
        fill();
        responder.completionListener((same, completion) -> {});
        assertThatThrownBy(() -> responder.sendQueue().send(1, Unpooled.EMPTY_BUFFER))
                .isInstanceOf(QueueFullException.class);
    }
}
