package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.ResourceLimitException;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.BlockingOperationException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Completions of queue pairs, collected for one thread. */
class CompletionQueueTest {
    private static final int DEPTH = 4;
    private static final int GENEROUS = 1000;
    private static final QueuePairSettings SMALL = QueuePairSettings.builder()
            .sendQueueDepth(DEPTH)
            .receiveQueueDepth(DEPTH)
            .build();

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final List<String> polled = new ArrayList<>();

    @AfterEach
    void release() throws Exception {
        loopback.close();
        domain.close();
    }

    /** A connection whose initiator uses these completion queues; the responder posts {@code receives} receives. */
    private QueuePair connect(int receives, CompletionQueue sends, CompletionQueue gets) throws Exception {
        SocketAddress address = loopback.accept(domain, SMALL, queuePair -> {
            queuePair.setCompletionListener((qp, completion) -> {});
            for (int i = 0; i < receives; i++) {
                queuePair.receiveQueue().receive(i, Unpooled.EMPTY_BUFFER);
            }
        });
        return loopback.connect(address, domain, SMALL, queuePair -> queuePair.setCompletionQueues(sends, gets));
    }

    private void poll(CompletionQueue queue, int completions) throws InterruptedException {
        int left = completions;
        while (left > 0) {
            assertThat(queue.await(60, TimeUnit.SECONDS)).isTrue();
            left -= queue.poll((queuePair, completion) -> polled.add(completion.toString()), left);
        }
    }

    private static void end(QueuePair queuePair) throws Exception {
        queuePair.close();
        await(queuePair.closed());
    }

    private static void drain(CompletionQueue queue) {
        queue.poll((queuePair, completion) -> {}, Integer.MAX_VALUE);
        assertThat(queue.reserved()).isZero();
        queue.close();
    }

    @Test
    void completionsWaitUntilTheyArePolled() throws Exception {
        CompletionQueue queue = CompletionQueue.create(2 * DEPTH);
        QueuePair initiator = connect(2, queue, queue);
        initiator.sendQueue().send(7, Unpooled.EMPTY_BUFFER);
        initiator.sendQueue().send(8, Unpooled.EMPTY_BUFFER);
        poll(queue, 2);
        assertThat(polled).containsExactly("SEND 7, 0 bytes", "SEND 8, 0 bytes");
        assertThat(queue.poll((queuePair, completion) -> {}, 1)).isZero();
        assertThat(queue.await(0, TimeUnit.SECONDS)).isFalse();
        assertThat(queue).hasToString("CompletionQueue[0 waiting, 8 of 8 reserved]");
        end(initiator);
        drain(queue);
    }

    @Test
    void wakeUpEndsTheWaitOrTheNextOne() throws Exception {
        CompletionQueue queue = CompletionQueue.create(1);
        queue.wakeUp();
        queue.wakeUp();
        assertThat(queue.await(1, TimeUnit.DAYS)).isFalse();
        Thread waker = new Thread(queue::wakeUp);
        waker.start();
        assertThat(queue.await(1, TimeUnit.DAYS)).isFalse();
        waker.join();
        queue.close();
    }

    @Test
    void pollReportsAnEndOnceAfterTheLastCompletion() throws Exception {
        CompletionQueue queue = CompletionQueue.create(2 * DEPTH);
        QueuePair initiator = connect(1, queue, queue);
        initiator.attach("a connection");
        List<String> heard = new ArrayList<>();
        CompletionListener handler = new CompletionListener() {
            @Override
            public void onCompletion(QueuePair queuePair, CompletionView completion) {
                heard.add(queuePair.attachment() + " " + completion);
            }

            @Override
            public void onClosed(QueuePair queuePair, CloseReason reason) {
                heard.add(queuePair.attachment() + " " + reason.endedBy());
            }
        };
        initiator.sendQueue().send(7, Unpooled.EMPTY_BUFFER);
        initiator.close();
        await(initiator.closed());
        assertThat(queue.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(queue.poll(handler, 1)).isOne();
        while (heard.size() < 2) {
            assertThat(queue.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(queue.poll(handler, 1)).isZero();
        }
        assertThat(queue.poll(handler, 1)).isZero();
        assertThat(heard).containsExactly("a connection SEND 7, 0 bytes", "a connection LOCAL_APPLICATION");
        assertThat(queue.await(0, TimeUnit.SECONDS)).isFalse();
        initiator.attach(null);
        assertThat(initiator.attachment()).isNull();
        queue.close();
    }

    @Test
    void sendsAndReceivesMayCompleteInDifferentQueues() throws Exception {
        CompletionQueue sends = CompletionQueue.create(DEPTH);
        CompletionQueue receives = CompletionQueue.create(DEPTH);
        QueuePair initiator = connect(1, sends, receives);
        ByteBuf sink = Unpooled.directBuffer(8, 8);
        initiator.receiveQueue().receive(1, sink);
        initiator.sendQueue().send(2, Unpooled.EMPTY_BUFFER);
        poll(sends, 1);
        ByteBuf eight = Unpooled.directBuffer(8, 8).writeLong(1);
        loopback.nextAccepted().send(eight);
        poll(receives, 1);
        assertThat(polled).containsExactly("SEND 2, 0 bytes", "RECEIVE 1, 8 bytes");
        end(initiator);
        drain(sends);
        drain(receives);
        assertThat(sink).isEqualTo(eight);
        sink.release();
        eight.release();
    }

    @Test
    @Requirement("SEC-23")
    void roomIsReservedInBothQueuesOrInNone() throws Exception {
        CompletionQueue roomy = CompletionQueue.create(GENEROUS);
        CompletionQueue tight = CompletionQueue.create(DEPTH - 1);
        SocketAddress address = loopback.accept(domain, SMALL, queuePair -> {});
        QueuePair queuePair = loopback.connect(address, domain, SMALL, qp -> {});
        assertThatThrownBy(() -> queuePair.setCompletionQueues(roomy, tight))
                .isInstanceOfSatisfying(ResourceLimitException.class, refused -> {
                    assertThat(refused.setting()).isEqualTo("capacity");
                    assertThat(refused.limit()).isEqualTo(DEPTH - 1);
                })
                .hasMessageContaining("needs " + DEPTH);
        assertThat(roomy.reserved()).isZero();
        assertThat(tight.reserved()).isZero();
        queuePair.setCompletionQueue(roomy);
        assertThat(roomy.reserved()).isEqualTo(2 * DEPTH);
        assertThatThrownBy(() -> queuePair.setCompletionQueue(roomy)).hasMessageContaining("already");
        end(queuePair);
        drain(roomy);
        tight.close();
    }

    /** Two queue pairs on one event loop: one completion queue is never polled, the other is. */
    @Test
    @Requirement({"SEC-10", "SEC-16", "SEC-23"})
    void aQueueThatIsNotPolledStopsItsOwnPostersAndNoOthers() throws Exception {
        CompletionQueue neglected = CompletionQueue.create(2 * DEPTH);
        CompletionQueue polledQueue = CompletionQueue.create(2 * DEPTH);
        try (Loopback oneLoop = new Loopback(1)) {
            SocketAddress address = oneLoop.accept(domain, SMALL, queuePair -> {
                queuePair.setCompletionListener((qp, completion) -> {
                    if (completion.successful()) {
                        qp.receiveQueue().receive(0, Unpooled.EMPTY_BUFFER);
                    }
                });
                for (int i = 0; i < DEPTH; i++) {
                    queuePair.receiveQueue().receive(i, Unpooled.EMPTY_BUFFER);
                }
            });
            QueuePair idle = oneLoop.connect(address, domain, SMALL, qp -> qp.setCompletionQueue(neglected));
            QueuePair busy = oneLoop.connect(address, domain, SMALL, qp -> qp.setCompletionQueue(polledQueue));
            for (int i = 0; i < DEPTH; i++) {
                idle.sendQueue().send(i, Unpooled.EMPTY_BUFFER);
            }
            assertThatThrownBy(() -> idle.sendQueue().send(DEPTH, Unpooled.EMPTY_BUFFER))
                    .isInstanceOf(QueueFullException.class);
            for (int i = 0; i < GENEROUS; i++) {
                busy.sendQueue().send(i, Unpooled.EMPTY_BUFFER);
                poll(polledQueue, 1);
            }
            assertThat(polled).hasSize(GENEROUS).last().isEqualTo("SEND " + (GENEROUS - 1) + ", 0 bytes");
            assertThatThrownBy(() -> idle.sendQueue().send(DEPTH, Unpooled.EMPTY_BUFFER))
                    .isInstanceOf(QueueFullException.class);
            polled.clear();
            poll(neglected, 1);
            idle.sendQueue().send(DEPTH, Unpooled.EMPTY_BUFFER);
            poll(neglected, DEPTH);
            assertThat(polled).hasSize(DEPTH + 1).last().isEqualTo("SEND " + DEPTH + ", 0 bytes");
            end(idle);
            end(busy);
            await(oneLoop.nextAccepted().closed());
            await(oneLoop.nextAccepted().closed());
        }
        drain(neglected);
        drain(polledQueue);
    }

    @Test
    void whatWasFlushedCanBePolledAfterTheEndAndHoldsTheQueueOpen() throws Exception {
        CompletionQueue queue = CompletionQueue.create(2 * DEPTH);
        QueuePair initiator = connect(0, queue, queue);
        assertThatThrownBy(queue::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("reserved");
        ByteBuf sink = Unpooled.directBuffer(8, 8);
        for (int i = 0; i < DEPTH; i++) {
            initiator.receiveQueue().receive(i, sink);
        }
        initiator.abort();
        CloseReason reason = await(initiator.closed());
        assertThat(queue.size()).isEqualTo(DEPTH);
        assertThatThrownBy(queue::close).isInstanceOf(IllegalStateException.class);
        List<CloseReason> reasons = new ArrayList<>();
        assertThat(queue.poll((queuePair, completion) -> reasons.add(completion.failure()), GENEROUS))
                .isEqualTo(DEPTH);
        assertThat(reasons).containsOnly(reason);
        assertThatThrownBy(() -> initiator.receiveQueue().receive(9, sink))
                .isInstanceOf(ConnectionClosedException.class);
        drain(queue);
        assertThatThrownBy(() -> queue.poll((queuePair, completion) -> {}, 1)).hasMessageContaining("closed");
        assertThat(sink.release()).isTrue();
    }

    @Test
    void aHandlerMayPostAtFullDepthButNotPoll() throws Exception {
        CompletionQueue queue = CompletionQueue.create(2 * DEPTH);
        QueuePair initiator = connect(1, queue, queue);
        for (int i = 0; i < DEPTH; i++) {
            initiator.receiveQueue().receive(i, Unpooled.EMPTY_BUFFER);
        }
        await(initiator.send(Unpooled.EMPTY_BUFFER));
        loopback.nextAccepted().send(Unpooled.EMPTY_BUFFER);
        assertThat(queue.await(60, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> queue.poll(
                        (queuePair, completion) -> {
                            queuePair.receiveQueue().receive(DEPTH, Unpooled.EMPTY_BUFFER);
                            queue.poll((again, other) -> {}, 1);
                        },
                        1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("being polled");
        end(initiator);
        poll(queue, DEPTH);
        assertThat(polled).hasSize(DEPTH);
        drain(queue);
    }

    @Test
    void anArmedQueueTellsOnceAndOnlyOfWhatComesAfterwards() throws Exception {
        CompletionQueue queue = CompletionQueue.create(2 * DEPTH);
        BlockingQueue<Integer> events = new LinkedBlockingQueue<>();
        assertThatThrownBy(queue::arm).hasMessageContaining("listener");
        queue.setListener(armed -> events.add(armed.size()));
        QueuePair initiator = connect(DEPTH, queue, queue);
        initiator.sendQueue().send(1, Unpooled.EMPTY_BUFFER);
        poll(queue, 1);
        assertThat(events).isEmpty();
        assertThat(queue.arm()).isFalse();
        await(initiator.send(Unpooled.EMPTY_BUFFER));
        initiator.sendQueue().send(2, Unpooled.EMPTY_BUFFER);
        assertThat(events.poll(60, TimeUnit.SECONDS)).isNotNull();
        initiator.sendQueue().send(3, Unpooled.EMPTY_BUFFER);
        poll(queue, 2);
        assertThat(events).isEmpty();
        queue.arm();
        end(initiator);
        assertThat(events.poll(60, TimeUnit.SECONDS)).as("an end is an event").isZero();
        assertThat(events).isEmpty();
        drain(queue);
    }

    @Test
    void solicitedArmingReportsSolicitedMessagesAndFailures() throws Exception {
        CompletionQueue queue = CompletionQueue.create(2 * DEPTH);
        BlockingQueue<Integer> events = new LinkedBlockingQueue<>();
        queue.setListener(armed -> events.add(armed.size()));
        QueuePair initiator = connect(1, queue, queue);
        for (int i = 0; i < DEPTH; i++) {
            initiator.receiveQueue().receive(i, Unpooled.EMPTY_BUFFER);
        }
        assertThat(queue.armSolicited()).isFalse();
        initiator.sendQueue().send(8, Unpooled.EMPTY_BUFFER);
        poll(queue, 1);
        QueuePair responder = loopback.nextAccepted();
        responder.send(Unpooled.EMPTY_BUFFER);
        poll(queue, 1);
        assertThat(events).isEmpty();
        await(responder.send(Unpooled.EMPTY_BUFFER, PostOptions.SOLICITED));
        assertThat(events.poll(60, TimeUnit.SECONDS)).isOne();
        assertThat(queue.armSolicited()).isTrue();
        poll(queue, 1);
        initiator.abort();
        await(initiator.closed());
        assertThat(events.poll(60, TimeUnit.SECONDS)).isOne();
        assertThat(events).isEmpty();
        drain(queue);
    }

    /**
     * Event loop A claims a slot and stalls. Loop B publishes behind it and raises the event. The publish of A then
     * must not raise a second one.
     */
    @Test
    void armingSaysThatThereIsSomethingWhileAnEventLoopAddsIt() throws Exception {
        List<CompletionQueue> events = new ArrayList<>();
        CompletionQueue queue = CompletionQueue.create(2 * DEPTH).setListener(events::add);
        QueuePair initiator = connect(0, queue, queue);
        CompletionPort port = (CompletionPort) initiator.engine().requests().target();
        CompletionView failed = new WorkRequest((request, future) -> {})
                .report(new CompletionView(), new CloseReason(EndedBy.TIMEOUT, null, "a failure", null));
        assertThat(queue.armSolicited()).isFalse();
        long slow = queue.ring().claim();
        queue.add(port, failed);
        assertThat(events).hasSize(1);

        assertThat(queue.poll((queuePair, completion) -> {}, 1)).isZero();
        assertThat(queue.armSolicited()).isTrue();
        assertThat(queue.arm()).isTrue();

        queue.ring().publish(slow, port, failed);
        assertThat(queue.size()).isEqualTo(2);
    }

    @Test
    void armingForSolicitedCompletionsDoesNotTakeBackArmingForAny() throws Exception {
        CompletionQueue queue = CompletionQueue.create(2 * DEPTH);
        BlockingQueue<Integer> events = new LinkedBlockingQueue<>();
        queue.setListener(armed -> {
            events.add(armed.size());
            throw new IllegalStateException("thrown by a listener on purpose");
        });
        QueuePair initiator = connect(1, queue, queue);
        queue.arm();
        queue.armSolicited();
        initiator.sendQueue().send(1, Unpooled.EMPTY_BUFFER);
        poll(queue, 1);
        assertThat(events.poll(60, TimeUnit.SECONDS)).isNotNull();
        end(initiator);
        drain(queue);
    }

    @Test
    void awaitIsRefusedOnEventLoopsAndEndsWithTheQueue() throws Exception {
        CompletionQueue queue = CompletionQueue.create(2 * DEPTH);
        QueuePair initiator = connect(0, queue, queue);
        CompletableFuture<Throwable> onLoop = new CompletableFuture<>();
        initiator.channel().eventLoop().execute(() -> {
            try {
                queue.await(1, TimeUnit.HOURS);
            } catch (InterruptedException | RuntimeException refused) {
                onLoop.complete(refused);
            }
        });
        assertThat(await(onLoop)).isInstanceOf(BlockingOperationException.class);
        end(initiator);
        assertThat(queue.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(queue.poll((queuePair, completion) -> {}, 1)).isZero();
        CompletableFuture<Boolean> waiting = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                waiting.complete(queue.await(1, TimeUnit.HOURS));
            } catch (InterruptedException | RuntimeException ended) {
                waiting.completeExceptionally(ended);
            }
        });
        waiter.start();
        while (waiter.getState() != Thread.State.TIMED_WAITING && !waiting.isDone()) {
            Thread.onSpinWait();
        }
        queue.close();
        assertThatThrownBy(() -> await(waiting))
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("the completion queue was closed");
        waiter.join();
        Thread interrupted = Thread.currentThread();
        CompletionQueue another = CompletionQueue.create(1);
        interrupted.interrupt();
        assertThatThrownBy(() -> another.await(1, TimeUnit.HOURS)).isInstanceOf(InterruptedException.class);
        another.close();
    }

    @Test
    @Requirement("SEC-9")
    void aQueuePairSharesNoCompletionQueueUnlessToldTo() throws Exception {
        SocketAddress address = loopback.accept(domain, SMALL, qp -> {});
        QueuePair initiator = loopback.connect(address, domain, SMALL, qp -> {});
        assertThatThrownBy(() -> initiator.sendQueue().send(1, Unpooled.EMPTY_BUFFER))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("completion queue");
        initiator.send(Unpooled.EMPTY_BUFFER);
        CompletionQueue late = CompletionQueue.create(GENEROUS);
        assertThatThrownBy(() -> initiator.setCompletionQueue(late))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("before the first post");
        late.close();
    }

    @Test
    void theCapacityHasItsRange() {
        assertThatThrownBy(() -> CompletionQueue.create(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> CompletionQueue.create(CompletionQueue.MAX_CAPACITY + 1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
