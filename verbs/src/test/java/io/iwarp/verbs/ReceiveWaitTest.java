package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that find no receive, where the settings say to wait for one. */
class ReceiveWaitTest {
    private static final int BYTES = 3_000;
    private static final QueuePairSettings PATIENT = QueuePairSettings.builder()
            .receiveTimeout(Duration.ofMinutes(1))
            .sendQueueDepth(1024)
            .closeTimeout(Duration.ofMillis(200))
            .build();

    /** One event loop, so that a stream which blocked it would be seen. */
    private final Loopback loopback = new Loopback(1);

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final BlockingQueue<Completion> received = new LinkedBlockingQueue<>();
    private final List<ByteBuf> buffers = new ArrayList<>();

    @AfterEach
    void release() throws Exception {
        loopback.close();
        domain.close();
        assertThat(buffers).allMatch(ByteBuf::release);
    }

    private ByteBuf buffer(int bytes) {
        ByteBuf buffer = Unpooled.directBuffer(bytes, bytes);
        buffers.add(buffer);
        return buffer;
    }

    private ByteBuf message(int number) {
        ByteBuf message = buffer(BYTES);
        byte[] bytes = new byte[BYTES];
        new Random(number).nextBytes(bytes);
        return message.writeBytes(bytes);
    }

    private SocketAddress listen(QueuePairSettings settings) throws Exception {
        return loopback.accept(
                domain,
                settings,
                queuePair -> queuePair.setCompletionListener((qp, completion) -> received.add(completion.copy())));
    }

    private QueuePair connect(SocketAddress address) throws Exception {
        return loopback.connect(address, domain, PATIENT, qp -> {});
    }

    private Completion next() throws InterruptedException {
        Completion completion = received.poll(60, TimeUnit.SECONDS);
        assertThat(completion).as("a receive").isNotNull();
        return completion;
    }

    private static void untilItWaits(QueuePair queuePair) {
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .until(() -> !queuePair.channel().config().isAutoRead());
    }

    @Test
    @Requirement("DDP-69")
    void everyMessageWaitsForItsReceiveAndNoneIsLostOrReordered() throws Exception {
        QueuePair sender = connect(listen(PATIENT));
        QueuePair taker = loopback.nextAccepted();
        int messages = 500;
        List<CompletableFuture<Completion>> sent = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            sent.add(sender.send(message(i)));
        }
        untilItWaits(taker);
        for (int i = 0; i < messages; i++) {
            taker.receiveQueue().receive(i, buffer(BYTES));
            Completion completion = next();
            assertThat(completion.workRequestId()).isEqualTo(i);
            assertThat(completion.buffer()).isEqualTo(buffers.get(i));
        }
        for (CompletableFuture<Completion> each : sent) {
            assertThat(await(each).bytes()).isEqualTo(BYTES);
        }
        sender.close();
        assertThat(await(taker.closed()).endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
    }

    @Test
    @Requirement("DDP-69")
    void theWaitIsBoundedAndEndsAsIfThereHadBeenNone() throws Exception {
        QueuePairSettings impatient = QueuePairSettings.builder()
                .receiveTimeout(Duration.ofMillis(20))
                .build();
        QueuePair sender = connect(listen(impatient));
        for (int i = 0; i < 10; i++) {
            sender.send(message(i));
        }
        CloseReason reason = await(sender.closed());
        assertThat(reason.endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
        assertThat(reason.error()).isEqualTo(ProtocolError.DDP_UNTAGGED_NO_BUFFER);
        assertThat(await(loopback.nextAccepted().closed()).error()).isEqualTo(ProtocolError.DDP_UNTAGGED_NO_BUFFER);
    }

    @Test
    void anotherStreamOfTheSameEventLoopContinues() throws Exception {
        SocketAddress address = listen(PATIENT);
        QueuePair stuck = connect(address);
        QueuePair stuckTaker = loopback.nextAccepted();
        QueuePair lively = connect(address);
        QueuePair livelyTaker = loopback.nextAccepted();
        stuck.send(message(0));
        untilItWaits(stuckTaker);
        for (int i = 0; i < 100; i++) {
            livelyTaker.receiveQueue().receive(i, buffer(BYTES));
            await(lively.send(message(i)));
            assertThat(next().workRequestId()).isEqualTo(i);
        }
        assertThat(stuckTaker.channel().config().isAutoRead()).isFalse();
        stuckTaker.receiveQueue().receive(7, buffer(BYTES));
        assertThat(next().workRequestId()).isEqualTo(7);
    }

    @Test
    void thePeersCloseBehindAMessageThatWaitsComesAfterIt() throws Exception {
        SocketAddress address = listen(PATIENT);
        try (SocketPeer peer = SocketPeer.established(address)) {
            QueuePair taker = loopback.nextAccepted();
            peer.sends(Segment.send(1, new byte[1]), Segment.send(2, new byte[2]));
            peer.finish();
            untilItWaits(taker);
            taker.receiveQueue().receive(1, buffer(2));
            assertThat(next().bytes()).isOne();
            taker.receiveQueue().receive(2, buffer(2));
            assertThat(next().bytes()).isEqualTo(2);
            assertThat(await(taker.closed()).endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
            peer.expectEnd();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStreamThatEndsWhileItWaitsLeavesNothingBehind(boolean inOrder) throws Exception {
        QueuePair sender = connect(listen(PATIENT));
        QueuePair taker = loopback.nextAccepted();
        sender.send(message(0));
        untilItWaits(taker);
        if (inOrder) {
            taker.close();
        } else {
            taker.abort();
        }
        await(taker.closed());
        await(sender.closed());
        assertThatThrownBy(() -> taker.receiveQueue().receive(1, buffer(1)))
                .isInstanceOf(ConnectionClosedException.class);
        assertThat(received).isEmpty();
    }

    @Test
    void managedReceivesWaitUntilTheirCompletionQueueWasPolled() throws Exception {
        int depth = 2;
        QueuePairSettings managed = QueuePairSettings.builder()
                .managedReceiveBytes(BYTES)
                .receiveQueueDepth(depth)
                .receiveTimeout(Duration.ofMinutes(1))
                .build();
        CompletionQueue queue = CompletionQueue.create(CompletionQueue.capacityFor(managed, 1));
        SocketAddress address = loopback.accept(domain, managed, qp -> qp.setCompletionQueue(queue));
        QueuePair sender = connect(address);
        QueuePair taker = loopback.nextAccepted();
        int messages = 50;
        for (int i = 0; i < messages; i++) {
            sender.send(message(i));
        }
        untilItWaits(taker);
        assertThat(queue.size()).isEqualTo(depth);
        for (int i = 0; i < messages; i++) {
            ByteBuf expected = buffers.get(i);
            assertThat(queue.await(60, TimeUnit.SECONDS)).isTrue();
            queue.poll(
                    (qp, completion) -> {
                        assertThat(completion.buffer()).isEqualTo(expected);
                        completion.buffer().release();
                    },
                    1);
        }
        taker.abort();
        await(taker.closed());
        queue.close();
    }

    /** The response is behind the message, so its deadline cannot run meanwhile. */
    @Test
    void aReadWhoseResponseIsBehindTheMessageThatWaitsIsNotGivenUp() throws Exception {
        Duration responseTimeout = Duration.ofMillis(20);
        QueuePairSettings settings = QueuePairSettings.builder()
                .receiveTimeout(Duration.ofMinutes(1))
                .responseTimeout(responseTimeout)
                .build();
        try (SocketPeer peer = SocketPeer.established(listen(settings))) {
            QueuePair taker = loopback.nextAccepted();
            peer.sends(Segment.send(1, new byte[1]));
            untilItWaits(taker);
            CompletableFuture<Completion> read = taker.read(buffer(8), new RemoteBuffer(1, 0, 8));
            peer.expectUlpdu();
            CompletableFuture<Void> later = new CompletableFuture<>();
            taker.channel()
                    .eventLoop()
                    .schedule(() -> later.complete(null), 3 * responseTimeout.toMillis(), TimeUnit.MILLISECONDS);
            await(later);
            assertThat(read).isNotDone();
            taker.abort();
            await(taker.closed());
            assertThat(read).isCompletedExceptionally();
        }
    }

    @Test
    void theWaitHasItsRange() {
        for (Duration wrong : List.of(Duration.ofNanos(1), Duration.ofMinutes(2), Duration.ofMillis(-1))) {
            assertThatThrownBy(() ->
                            QueuePairSettings.builder().receiveTimeout(wrong).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("receiveTimeout");
        }
    }
}
