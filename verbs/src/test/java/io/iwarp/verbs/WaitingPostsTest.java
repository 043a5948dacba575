package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
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
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Posts that wait beyond the depth of the send queue. */
class WaitingPostsTest {
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
            .maxWaitingPosts(WAITING)
            .build();
    private final SimulatedPair pair = new SimulatedPair(domain, settings, qp -> {});
    private final QueuePair reader = pair.initiator.queuePair();
    private final List<Completion> completed = new ArrayList<>();

    @BeforeEach
    void listen() {
        reader.completionListener((same, completion) -> completed.add(completion.copy()));
    }

    @AfterEach
    void close() {
        pair.close();
        region.close();
        domain.close();
    }

    private void read(long id) {
        reader.sendQueue().read(id, region.slice(0, 8), region.remoteBuffer().slice(8, 8), PostOptions.NONE);
    }

    private void readAll() {
        for (int i = 0; i < ALL; i++) {
            read(i);
        }
    }

    private List<Long> ids() {
        return completed.stream().map(Completion::workRequestId).toList();
    }

    private static Long[] upTo(int end) {
        return LongStream.range(0, end).boxed().toArray(Long[]::new);
    }

    @Test
    void postsBeyondTheDepthWaitAndCompleteInTheOrderOfThePosts() {
        readAll();
        pair.initiator.runTasks();

        assertThat(reader.snapshot().sendRequests()).isEqualTo(ALL);
        assertThat(reader.snapshot().sendQueueDepth()).isEqualTo(ALL);
        assertThat(reader.snapshot().queuedSendRequests()).isEqualTo(WAITING);
        assertThatThrownBy(() -> read(ALL))
                .isInstanceOf(QueueFullException.class)
                .hasMessageContaining("holds 5 uncompleted requests, sendQueueDepth 2 and maxWaitingPosts 3");
        pair.run();

        assertThat(ids()).containsExactly(upTo(ALL));
        assertThat(completed).allMatch(Completion::successful);
        assertThat(reader.snapshot().sendRequests()).isZero();
        readAll();
        pair.run();
        assertThat(completed).hasSize(2 * ALL);
    }

    @Test
    void theEndFlushesThemInOrderWithTheFirstCause() {
        readAll();
        reader.abort();
        pair.run();

        CloseReason reason = reader.closeReason();
        assertThat(reason.detail()).contains("aborted by the application");
        assertThat(ids()).containsExactly(upTo(ALL));
        assertThat(completed)
                .allSatisfy(flushed -> assertThat(flushed.failure()).isSameAs(reason));
    }

    @Test
    void anOrderlyCloseSendsThem() {
        readAll();
        reader.close();
        assertThatThrownBy(() -> read(ALL)).isInstanceOf(ConnectionClosedException.class);
        pair.run();

        assertThat(ids()).containsExactly(upTo(ALL));
        assertThat(completed).allMatch(Completion::successful);
        assertThat(reader.closed()).isCompleted();
    }

    @Test
    void theyCompleteAlthoughNobodyPollsTheCompletionQueue() {
        try (CompletionQueue queue = queue();
                SimulatedPair other = pair(queue)) {
            QueuePair polled = readAll(other);
            assertThat(queue.reserved()).isEqualTo(queue.capacity());
            assertThat(queue.size()).isEqualTo(ALL);
            assertThat(polled.snapshot().queuedSendRequests()).isZero();
            assertThat(polled.send(Unpooled.EMPTY_BUFFER))
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(QueueFullException.class);
            poll(queue, 1);
            assertThat(polled.send(Unpooled.EMPTY_BUFFER)).isNotDone();
            poll(queue, ALL);

            assertThat(ids()).containsExactly(upTo(ALL));
            assertThat(completed).allMatch(Completion::successful);
        }
    }

    @Test
    void allHaveCompletedWhenTheEndIsReported() {
        try (CompletionQueue queue = queue();
                SimulatedPair other = pair(queue)) {
            QueuePair polled = other.initiator.queuePair();
            for (int i = 0; i < ALL - 1; i++) {
                polled.sendQueue()
                        .read(i, region.slice(0, 8), region.remoteBuffer().slice(8, 8), PostOptions.NONE);
            }
            CompletableFuture<Completion> last = polled.send(Unpooled.EMPTY_BUFFER);
            List<Object> atTheEnd = new ArrayList<>();
            polled.closed().thenRun(() -> atTheEnd.addAll(List.of(last.isCompletedExceptionally(), queue.size())));
            polled.abort();
            other.run();

            assertThat(atTheEnd).containsExactly(true, ALL - 1);
            poll(queue, ALL);
            assertThat(ids()).containsExactly(upTo(ALL - 1));
            assertThat(completed).extracting(Completion::failure).containsOnly(polled.closeReason());
            assertThat(queue.reserved()).isZero();
        }
    }

    enum Closing {
        BY_THE_APPLICATION,
        WITH_THE_PEER,
        WHEN_IDLE
    }

    /** The peer is not there any more: it takes nothing and answers nothing. */
    @ParameterizedTest
    @EnumSource
    void closeDeadlineStartsAtTheRequestDespiteWaitingPosts(Closing closing) {
        Duration idle = closing == Closing.WHEN_IDLE ? Duration.ofSeconds(1) : Duration.ZERO;
        QueuePairSettings hasty = settings.toBuilder()
                .closeTimeout(CLOSE_TIMEOUT)
                .idleTimeout(idle)
                .build();
        try (SimulatedPair other = new SimulatedPair(domain, hasty, qp -> {})) {
            QueuePair poster = other.initiator.queuePair();
            poster.completionListener((same, completion) -> completed.add(completion.copy()));
            for (int i = 0; i < ALL; i++) {
                poster.sendQueue()
                        .read(i, region.slice(0, 8), region.remoteBuffer().slice(8, 8), PostOptions.NONE);
            }
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
            assertThat(ids()).containsExactly(upTo(ALL));
            assertThat(completed).noneMatch(Completion::successful);
            assertThat(poster.closeReason().detail())
                    .contains(
                            switch (closing) {
                                case BY_THE_APPLICATION -> "the close made no progress within the close timeout";
                                case WITH_THE_PEER -> "left 2 Reads or atomics without an answer";
                                case WHEN_IDLE ->
                                    "nothing was sent or received for PT1S; the close that followed made no progress";
                            });
        }
    }

    @Test
    void aCloseNeedsNobodyWhoPolls() {
        try (CompletionQueue queue = queue();
                SimulatedPair other = pair(queue)) {
            QueuePair polled = readAll(other);
            polled.close();
            other.run();

            assertThat(polled.closed()).isCompleted();
            poll(queue, ALL);
            assertThat(ids()).containsExactly(upTo(ALL));
            assertThat(completed).allMatch(Completion::successful);
        }
    }

    private CompletionQueue queue() {
        return CompletionQueue.create(CompletionQueue.capacityFor(settings, 1));
    }

    private SimulatedPair pair(CompletionQueue queue) {
        return new SimulatedPair(domain, settings, settings, qp -> qp.completionQueue(queue), qp -> {});
    }

    private QueuePair readAll(SimulatedPair other) {
        QueuePair polled = other.initiator.queuePair();
        for (int i = 0; i < ALL; i++) {
            polled.sendQueue().read(i, region.slice(0, 8), region.remoteBuffer().slice(8, 8), PostOptions.NONE);
        }
        other.run();
        return polled;
    }

    private int poll(CompletionQueue queue, int most) {
        return queue.poll((qp, completion) -> completed.add(completion.copy()), most);
    }

    @Test
    void bytesAreLimitedAcrossAllPosts() {
        ByteBuf message = Unpooled.directBuffer(40).writeZero(40);
        QueuePairSettings limited =
                settings.toBuilder().maxOutstandingBytes(130).build();
        try (SimulatedPair other = new SimulatedPair(domain, limited, qp -> {})) {
            QueuePair sender = other.initiator.queuePair();
            sender.send(message);
            sender.send(message);
            sender.send(message);
            assertThat(sender.send(message))
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(QueueFullException.class)
                    .withMessageContaining("120 of the 130");
        }
        assertThat(message.release()).isTrue();
    }
}
