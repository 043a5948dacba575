package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ConnectionClosedException;
import io.iwarp.Operation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Posts that wait beyond the depth of the send queue. */
class PendingPostsTest {
    private static final int DEPTH = 2;
    private static final int WAITING = 3;
    private static final int ALL = DEPTH + WAITING;
    private static final int LENGTH = 64;
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion region = domain.region()
            .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
            .rights(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ)
            .register();
    private final QueuePairSettings settings = QueuePairSettings.builder()
            .sendQueueDepth(DEPTH)
            .maxPendingPosts(WAITING)
            .build();
    private final SimulatedPair pair = new SimulatedPair(domain, settings, qp -> {});
    private final QueuePair reader = pair.initiator.queuePair();
    private final List<Integer> ended = new ArrayList<>();

    @AfterEach
    void close() {
        pair.close();
        region.close();
        domain.close();
    }

    private CompletableFuture<Completion> read(QueuePair queuePair, int number) {
        CompletableFuture<Completion> read =
                queuePair.read(region.slice(0, 8), region.remoteBuffer().slice(8, 8));
        read.whenComplete((completion, failure) -> ended.add(number));
        return read;
    }

    private List<CompletableFuture<Completion>> readAll(QueuePair queuePair) {
        return IntStream.range(0, ALL)
                .mapToObj(number -> read(queuePair, number))
                .toList();
    }

    private static Integer[] upTo(int end) {
        return IntStream.range(0, end).boxed().toArray(Integer[]::new);
    }

    private static void assertFull(CompletableFuture<Completion> refused, String text) {
        assertThat(refused)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(QueueFullException.class)
                .withMessageContaining(text);
        assertThat(refused.handle((nothing, failure) -> failure).join().getStackTrace())
                .isEmpty();
    }

    @Test
    void futuresBeyondTheDepthCompleteInOrder() {
        List<CompletableFuture<Completion>> reads = readAll(reader);
        pair.initiator.runTasks();

        assertThat(reader.snapshot().sendRequests()).isEqualTo(ALL);
        assertThat(reader.snapshot().sendQueueDepth()).isEqualTo(DEPTH);
        assertThat(reader.snapshot().queuedSendRequests()).isEqualTo(WAITING);
        assertFull(reader.send(Unpooled.EMPTY_BUFFER), "(maxPendingPosts: 3)");
        pair.run();

        assertThat(ended).containsExactly(upTo(ALL));
        assertThat(reads).allSatisfy(read -> assertThat(read).isCompleted());
        assertThat(reader.snapshot().sendRequests()).isZero();
        readAll(reader);
        pair.run();
        assertThat(ended).hasSize(2 * ALL);
    }

    /** As when the event loop runs between the two steps of a post by another thread. */
    @Test
    void aPostPublishedAfterAllOthersCompletedIsSent() {
        PostedRequests requests = reader.engine().requests();
        for (int number = 0; number < DEPTH; number++) {
            read(reader, number);
        }
        LoopFuture<Completion> late = new LoopFuture<>(reader.channel().eventLoop(), CompletionView::copy);
        WorkRequest request = requests.claim(0, PostOptions.NONE, late);
        request.payload().cover(Unpooled.EMPTY_BUFFER, 0, 0);
        request.send(false);
        pair.run();
        assertThat(ended).hasSize(DEPTH);

        requests.publish(request, 0, Operation.SEND, PostOptions.NONE, late);
        pair.run();

        assertThat(late).isCompleted();
    }

    @Test
    void aPostWithAnIdIsRefusedWhileAFutureIsPending() {
        reader.setCompletionListener((same, completion) -> {});
        readAll(reader);
        pair.initiator.runTasks();
        assertThat(reader.sendQueue().room()).isZero();
        assertThatThrownBy(() -> reader.sendQueue().send(1, Unpooled.EMPTY_BUFFER))
                .isInstanceOf(QueueFullException.class)
                .hasMessageContaining("(sendQueueDepth: 2, pending: 3)")
                .satisfies(refused -> assertThat(refused.getStackTrace()).isEmpty());
        pair.run();
        assertThat(reader.sendQueue().room()).isEqualTo(DEPTH);
    }

    @Test
    void theEndFlushesThemInOrderWithTheFirstCause() {
        List<CompletableFuture<Completion>> reads = readAll(reader);
        reader.abort();
        pair.run();

        assertThat(reader.closeReason().detail()).contains("aborted by the application");
        assertThat(ended).containsExactly(upTo(ALL));
        assertThat(reads)
                .allSatisfy(read -> assertThat(read)
                        .failsWithin(Duration.ZERO)
                        .withThrowableThat()
                        .withCauseInstanceOf(ConnectionClosedException.class));
    }

    @Test
    void anOrderlyCloseSendsThem() {
        List<CompletableFuture<Completion>> reads = readAll(reader);
        reader.close();
        assertThat(read(reader, ALL)).isCompletedExceptionally();
        pair.run();

        assertThat(ended).startsWith(ALL).endsWith(upTo(ALL));
        assertThat(reads).allSatisfy(read -> assertThat(read).isCompleted());
        assertThat(reader.closed()).isCompleted();
    }

    @Test
    void pendingPostsContinueWhenACompletionQueueIsPolled() {
        try (CompletionQueue queue = CompletionQueue.create(CompletionQueue.capacityFor(settings, 1));
                SimulatedPair other =
                        new SimulatedPair(domain, settings, settings, qp -> qp.setCompletionQueue(queue), qp -> {})) {
            QueuePair polled = other.initiator.queuePair();
            for (int i = 0; i < DEPTH; i++) {
                polled.sendQueue()
                        .read(i, region.slice(0, 8), region.remoteBuffer().slice(8, 8), PostOptions.NONE);
            }
            CompletableFuture<Completion> pending = read(polled, 0);
            other.run();
            assertThat(queue.size()).isEqualTo(DEPTH);
            assertThat(pending).isNotDone();
            queue.poll((qp, completion) -> {}, DEPTH);
            other.run();
            assertThat(pending).isCompleted();
        }
    }

    @Test
    void theyWaitForBytesOfEarlierRequests() {
        ByteBuf message = Unpooled.directBuffer(40).writeZero(40);
        QueuePairSettings limited = settings.toBuilder()
                .maxOutstandingBytes(70)
                .maxPendingBytes(100)
                .build();
        try (SimulatedPair other = new SimulatedPair(domain, limited, qp -> {})) {
            QueuePair sender = other.initiator.queuePair();
            other.responder.queuePair().receive(Unpooled.buffer(40));
            other.responder.queuePair().receive(Unpooled.buffer(40));
            other.responder.queuePair().receive(Unpooled.buffer(40));
            List<CompletableFuture<Completion>> sent =
                    List.of(sender.send(message), sender.send(message), sender.send(message));
            assertFull(sender.send(message), "(requested: 40, pending: 80, maxPendingBytes: 100)");
            other.run();
            assertThat(sent).allSatisfy(done -> assertThat(done).isCompleted());
        }
        assertThat(message.release()).isTrue();
    }

    /** The future waits for bytes. The post with an id needs none, and the depth has room for it. */
    @Test
    void aPostWithAnIdDoesNotOvertakeAFuture() {
        QueuePairSettings limited = settings.toBuilder().maxOutstandingBytes(12).build();
        try (SimulatedPair other = new SimulatedPair(domain, limited, qp -> {})) {
            QueuePair poster = other.initiator.queuePair();
            SendQueue queue = poster.sendQueueFor((same, completion) -> ended.add((int) completion.workRequestId()));
            read(poster, 1);
            read(poster, 2);
            for (int when = 0; when < 2; when++) {
                assertThatThrownBy(() -> queue.send(3, Unpooled.EMPTY_BUFFER)).isInstanceOf(QueueFullException.class);
                assertThatThrownBy(() -> queue.post(1, unit -> unit.send(3, Unpooled.EMPTY_BUFFER)))
                        .isInstanceOf(QueueFullException.class);
                assertThat(queue.room()).isZero();
                other.initiator.runTasks();
            }
            other.run();
            other.responder.queuePair().receive(Unpooled.EMPTY_BUFFER);
            queue.send(3, Unpooled.EMPTY_BUFFER);
            other.run();
        }
        assertThat(ended).containsExactly(1, 2, 3);
    }

    @Test
    void aSingleLargerRequestIsTakenIfNoOtherIsPending() {
        ByteBuf large = Unpooled.directBuffer(200).writeZero(200);
        QueuePairSettings limited = settings.toBuilder().maxPendingBytes(100).build();
        try (SimulatedPair other = new SimulatedPair(domain, limited, qp -> {})) {
            QueuePair sender = other.initiator.queuePair();
            for (int i = 0; i < DEPTH; i++) {
                sender.write(Unpooled.EMPTY_BUFFER, region.remoteBuffer(0, 0));
            }
            assertThat(sender.send(large)).isNotDone();
            assertFull(sender.send(Unpooled.wrappedBuffer(new byte[1])), "pending: 200, maxPendingBytes: 100");
        }
        assertThat(large.release()).isTrue();
    }

    @Test
    void roomIsReportedInTheOrderOfTheCalls() {
        assertThat(reader.sendQueue().readRoom()).isEqualTo(reader.parameters().ord());
        readAll(reader);
        List<Integer> order = new ArrayList<>();
        reader.sendQueue()
                .whenRoom(DEPTH)
                .thenRun(() -> order.add(reader.sendQueue().room()));
        reader.sendQueue().whenRoom(1).thenRun(() -> order.add(1));
        CompletableFuture<Void> cancelled = reader.sendQueue().whenRoom(1);
        cancelled.cancel(false);
        assertThat(reader.sendQueue().readRoom())
                .isEqualTo(Math.max(0, reader.parameters().ord() - ALL));
        pair.initiator.runTasks();
        assertThat(order).isEmpty();
        pair.run();
        assertThat(order).containsExactly(DEPTH, 1);
        CompletableFuture<Void> never = fillAndAwaitRoom();
        reader.abort();
        pair.run();
        assertThat(never).isCompletedExceptionally();
    }

    private CompletableFuture<Void> fillAndAwaitRoom() {
        readAll(reader);
        return reader.sendQueue().whenRoom(DEPTH);
    }

    @Test
    void aUnitIsPostedWholeOrNotAtAll() {
        List<Long> ids = new ArrayList<>();
        SendQueue queue = reader.sendQueueFor((same, completion) -> ids.add(completion.workRequestId()));
        ByteBuf memory = Unpooled.directBuffer(8).writeZero(8);
        queue.post(2, unit -> {
            unit.read(1, region.slice(0, 8), region.remoteBuffer().slice(8, 8), PostOptions.NONE);
            assertThat(reader.sendQueue().room()).isZero();
            unit.read(2, region.slice(0, 8), region.remoteBuffer().slice(8, 8), PostOptions.NONE);
        });
        pair.run();
        assertThat(ids).containsExactly(1L, 2L);
        assertThatThrownBy(() -> queue.post(2, unit -> {
                    unit.send(3, memory);
                    unit.read(4, region.slice(0, 4), region.remoteBuffer().slice(8, 8), PostOptions.NONE);
                }))
                .isInstanceOf(IllegalArgumentException.class);
        pair.run();
        assertThatThrownBy(() -> queue.post(2, unit -> unit.send(3, memory)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the unit has 2 requests, and 1 were posted");
        pair.run();
        assertThatThrownBy(() -> queue.post(1, unit -> {
                    unit.send(3, memory);
                    unit.send(3, memory);
                }))
                .isInstanceOf(IllegalStateException.class);
        pair.run();
        assertThat(ids).containsExactly(1L, 2L);
        assertThat(queue.room()).isEqualTo(DEPTH);
        assertThat(queue.readRoom()).isEqualTo(reader.parameters().ord());
        queue.read(5, region.slice(0, 8), region.remoteBuffer().slice(8, 8), PostOptions.NONE);
        assertThatThrownBy(() -> queue.post(2, unit -> {})).isInstanceOf(QueueFullException.class);
        assertThat(memory.release()).isTrue();
    }

    enum Closing {
        BY_THE_APPLICATION,
        WITH_THE_PEER,
        WHEN_IDLE
    }

    /** The peer is not there any more: it takes nothing and sends nothing. */
    @ParameterizedTest
    @EnumSource
    void theDeadlineOfACloseBeginsWhenItIsRequested(Closing closing) {
        Duration idle = closing == Closing.WHEN_IDLE ? Duration.ofSeconds(1) : Duration.ZERO;
        QueuePairSettings hasty = settings.toBuilder()
                .closeTimeout(CLOSE_TIMEOUT)
                .idleTimeout(idle)
                .build();
        try (SimulatedPair other = new SimulatedPair(domain, hasty, qp -> {})) {
            QueuePair poster = other.initiator.queuePair();
            List<CompletableFuture<Completion>> reads = readAll(poster);
            if (closing == Closing.BY_THE_APPLICATION) {
                poster.close();
            } else if (closing == Closing.WITH_THE_PEER) {
                other.initiator.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            }
            other.initiator.runTasks();
            other.pass(idle);
            other.pass(idle);
            other.pass(CLOSE_TIMEOUT);
            other.pass(CLOSE_TIMEOUT);

            assertThat(poster.closed()).isCompleted();
            assertThat(ended).containsExactly(upTo(ALL));
            assertThat(reads).allSatisfy(read -> assertThat(read).isCompletedExceptionally());
            assertThat(poster.closeReason().detail())
                    .contains(
                            switch (closing) {
                                case BY_THE_APPLICATION -> "the close made no progress within the close timeout";
                                case WITH_THE_PEER -> "left 2 Reads or atomics without a response";
                                case WHEN_IDLE ->
                                    "nothing was sent or received for PT1S; the close that followed made no progress";
                            });
        }
    }
}
