package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.ResourceLimitException;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receives that several queue pairs take from one queue. */
class SharedReceiveQueueTest {
    private static final int DEPTH = 16;
    private static final int SHARE = 4;
    private static final int PATIENCE_SECONDS = 60;

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final SharedReceiveQueue receives = SharedReceiveQueue.create(DEPTH, SHARE);
    private final BlockingQueue<Completion> received = new LinkedBlockingQueue<>();
    private final List<ByteBuf> sinks = new ArrayList<>();

    @AfterEach
    void release() throws Exception {
        loopback.close();
        domain.close();
        receives.close();
        assertThat(sinks).allMatch(ByteBuf::release);
    }

    private void post(int first, int count) {
        for (int i = first; i < first + count; i++) {
            ByteBuf sink = Unpooled.directBuffer(Long.BYTES, Long.BYTES);
            sinks.add(sink);
            receives.receive(i, sink);
        }
    }

    private SocketAddress listen(QueuePairSettings settings) throws Exception {
        return loopback.accept(
                domain,
                settings,
                queuePair -> queuePair.setSharedReceiveQueue(receives).setCompletionListener((qp, completion) -> {
                    received.add(completion.copy());
                }));
    }

    private QueuePair connect(SocketAddress address) throws Exception {
        return loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
    }

    private Completion next() throws InterruptedException {
        Completion completion = received.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(completion).as("a receive").isNotNull();
        return completion;
    }

    private static CompletableFuture<Completion> send(QueuePair sender, long number) {
        ByteBuf message = Unpooled.buffer(Long.BYTES).writeLong(number);
        return sender.send(message);
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 128})
    void receiveQueueDepthBesideASharedQueueIsRefused(int depth) {
        QueuePairSettings deep =
                QueuePairSettings.builder().receiveQueueDepth(depth).build();
        SharedReceiveQueue queue = SharedReceiveQueue.create(4, 4);
        QueuePair[] made = new QueuePair[1];
        SimulatedPair.End end =
                new SimulatedPair.End(IwarpChannelInitializer.initiator(domain, deep, new byte[0], queuePair -> {
                    made[0] = queuePair;
                    assertThatThrownBy(() -> queuePair.setSharedReceiveQueue(queue))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageStartingWith("receiveQueueDepth is set to " + depth);
                }));
        assertThat(made[0].closeReason()).isNull();
        made[0].abort();
        end.finishAndReleaseAll();
        queue.close();
    }

    @Test
    void messagesOfAllStreamsTakeTheReceivesInTheOrderOfPosting() throws Exception {
        SocketAddress address = listen(QueuePairSettings.DEFAULT);
        QueuePair[] senders = {connect(address), connect(address), connect(address)};
        post(0, DEPTH);
        for (int i = 0; i < DEPTH; i++) {
            await(send(senders[i % senders.length], i));
            Completion completion = next();
            assertThat(completion.workRequestId()).isEqualTo(i);
            assertThat(completion.buffer()).isSameAs(sinks.get(i));
            assertThat(sinks.get(i).getLong(0)).isEqualTo(i);
        }
        assertThat(receives.available()).isZero();
    }

    @Test
    void receivesIntoARegionAndForImmediateDataWorkAsWell() throws Exception {
        QueuePair sender = connect(listen(QueuePairSettings.DEFAULT));
        MemoryRegion region = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, Long.BYTES)
                .register();
        receives.receive(1, region.slice(0, Long.BYTES));
        receives.receive(2, Unpooled.EMPTY_BUFFER);
        await(send(sender, 42));
        assertThat(next().workRequestId()).isOne();
        ByteBuf received = region.view(0, Long.BYTES);
        assertThat(received.readLong()).isEqualTo(42);
        received.release();
        await(sender.sendImmediate(new ImmediateData(7), PostOptions.NONE));
        assertThat(next().immediate()).isEqualTo(7);
        region.close();
    }

    @Test
    void theDepthAndTheEndOfTheQueueAreItsLimits() throws Exception {
        post(0, DEPTH);
        ByteBuf sink = Unpooled.directBuffer(1, 1);
        assertThatThrownBy(() -> receives.receive(DEPTH, sink)).isInstanceOf(QueueFullException.class);
        SocketAddress address = listen(QueuePairSettings.DEFAULT);
        QueuePair sender = connect(address);
        assertThatThrownBy(receives::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("close them first");
        QueuePair user = loopback.nextAccepted();
        assertThatThrownBy(() -> user.receiveQueue().receive(1, sink))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("shared receive queue");
        assertThatThrownBy(() -> user.setSharedReceiveQueue(receives)).hasMessageContaining("before the connection");
        sender.abort();
        await(user.closed());
        assertThat(received).as("what no stream took stays").isEmpty();
        assertThat(receives.available()).isEqualTo(DEPTH);
        receives.close();
        assertThatThrownBy(() -> receives.receive(1, sink)).hasMessageContaining("closed");
        assertThatThrownBy(() -> receives.armLimit(1)).isInstanceOf(IllegalStateException.class);
        assertThat(sink.release()).isTrue();
        assertThatThrownBy(() -> SharedReceiveQueue.create(0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SharedReceiveQueue.create(1, 2)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aMessageThatFindsTheQueueEmptyEndsItsStreamAlone() throws Exception {
        SocketAddress address = listen(QueuePairSettings.DEFAULT);
        QueuePair unlucky = connect(address);
        QueuePair other = connect(address);
        send(unlucky, 1);
        assertThat(await(unlucky.closed()).error()).isEqualTo(ProtocolError.DDP_UNTAGGED_NO_BUFFER);
        post(0, 1);
        await(send(other, 2));
        assertThat(next().successful()).isTrue();
    }

    @Test
    @Requirement("SEC-18")
    void theQueueTellsOnceForEachArmingThatItRunsLowAndWhoTookTheLast() throws Exception {
        BlockingQueue<QueuePair> takers = new LinkedBlockingQueue<>();
        assertThatThrownBy(() -> receives.armLimit(1)).hasMessageContaining("listener");
        receives.setListener((queue, taker) -> takers.add(taker));
        assertThat(receives.armLimit(1)).as("fewer already").isTrue();
        post(0, 4);
        assertThat(receives.armLimit(3)).isFalse();
        SocketAddress address = listen(QueuePairSettings.DEFAULT);
        QueuePair sender = connect(address);
        QueuePair taker = loopback.nextAccepted();
        await(send(sender, 0));
        next();
        assertThat(takers).as("3 remain").isEmpty();
        for (int i = 1; i < 3; i++) {
            await(send(sender, i));
            next();
        }
        assertThat(takers).containsExactly(taker);
        assertThatThrownBy(() -> receives.armLimit(DEPTH + 1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(receives.armLimit(1)).isFalse();
        await(send(sender, 3));
        next();
        assertThat(takers).containsExactly(taker, taker);
    }

    /** The completions of all streams wait in one queue that is not polled while one stream sends as fast as it can. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement({"SEC-18", "SEC-23"})
    void aGreedyStreamGetsItsShareAndCannotStarveTheOthers(boolean waits) throws Exception {
        QueuePairSettings settings = QueuePairSettings.builder()
                .sendQueueDepth(1)
                .receiveTimeout(waits ? Duration.ofMinutes(1) : Duration.ZERO)
                .build();
        CompletionQueue queue = CompletionQueue.create(2 * (SHARE + 1));
        SocketAddress address = loopback.accept(
                domain, settings, qp -> qp.setSharedReceiveQueue(receives).setCompletionQueue(queue));
        QueuePair greedy = connect(address);
        QueuePair modest = connect(address);
        QueuePair greedyTaker = loopback.nextAccepted();
        QueuePair modestTaker = loopback.nextAccepted();
        assertThat(queue.reserved()).isEqualTo(queue.capacity());
        post(0, DEPTH);
        for (int i = 0; i < 2 * SHARE; i++) {
            send(greedy, i);
        }
        if (!waits) {
            assertThat(await(greedy.closed()).error()).isEqualTo(ProtocolError.DDP_UNTAGGED_NO_BUFFER);
        }
        await(send(modest, 100));
        Map<QueuePair, Integer> polled = new HashMap<>();
        int expected = waits ? 2 * SHARE + 1 : SHARE + 1;
        int most = 0;
        while (polled.values().stream().mapToInt(Integer::intValue).sum() < expected) {
            assertThat(queue.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            most = Math.max(most, greedyTaker.snapshot().receiveRequests());
            queue.poll((qp, completion) -> polled.merge(qp, 1, Integer::sum), 1);
        }
        assertThat(most).isLessThanOrEqualTo(SHARE);
        assertThat(polled).containsEntry(modestTaker, 1).containsEntry(greedyTaker, expected - 1);
        assertThat(receives.available()).isEqualTo(DEPTH - expected);
        greedy.abort();
        modest.abort();
        await(greedyTaker.closed());
        await(modestTaker.closed());
        queue.poll((qp, completion) -> {}, Integer.MAX_VALUE);
        queue.close();
    }

    @Test
    @Requirement("SEC-23")
    void theShareIsTheRoomThatAQueuePairNeedsInItsCompletionQueue() throws Exception {
        CompletionQueue tight = CompletionQueue.create(SHARE);
        CompletionQueue sends = CompletionQueue.create(QueuePairSettings.DEFAULT.sendQueueDepth());
        CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
        SocketAddress address = loopback.listen(domain, QueuePairSettings.DEFAULT, request -> {
            QueuePair queuePair = request.queuePair();
            queuePair.setSharedReceiveQueue(receives);
            try {
                queuePair.setCompletionQueues(sends, tight);
                accepted.complete(queuePair);
                request.accept();
            } catch (ResourceLimitException full) {
                request.reject();
            }
        });
        QueuePair first = connect(address);
        assertThat(tight.reserved()).isEqualTo(SHARE);
        assertThatThrownBy(() -> connect(address)).hasCauseInstanceOf(ConnectionRejectedException.class);
        assertThat(tight.reserved()).isEqualTo(SHARE);
        first.close();
        await(first.closed());
        await(await(accepted).closed());
        assertThat(tight.reserved()).isZero();
        tight.close();
        sends.close();
    }

    @Test
    void onlyTheReceiveOfAPartialMessageIsFlushed() throws Exception {
        SocketAddress address = listen(QueuePairSettings.DEFAULT);
        post(0, 3);
        try (SocketPeer peer = SocketPeer.established(address)) {
            QueuePair taker = loopback.nextAccepted();
            peer.sends(Segment.send(1, new byte[4]).last(false));
            Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> receives.available() == 2);
            peer.reset();
            await(taker.closed());
        }
        Completion flushed = next();
        assertThat(flushed.successful()).isFalse();
        assertThat(flushed.workRequestId()).isZero();
        assertThat(received).isEmpty();
        assertThat(receives.available()).isEqualTo(2);
        QueuePair sender = connect(address);
        await(send(sender, 1));
        assertThat(next().workRequestId()).isOne();
        assertThat(await(closed(sender)).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
    }

    private static CompletableFuture<CloseReason> closed(QueuePair queuePair) {
        queuePair.close();
        return queuePair.closed();
    }
}
