package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receives whose buffers the queue pair takes from the channel's allocator. */
class ManagedReceiveTest {
    private static final int MAX = 200_000;
    private static final int DEPTH = 4;
    private static final QueuePairSettings MANAGED = QueuePairSettings.builder()
            .managedReceiveBytes(MAX)
            .receiveQueueDepth(DEPTH)
            .build();

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final BlockingQueue<Completion> received = new LinkedBlockingQueue<>();

    @AfterEach
    void release() throws Exception {
        loopback.close();
        domain.close();
        received.forEach(ManagedReceiveTest::releaseBuffer);
    }

    private static void releaseBuffer(CompletionView completion) {
        ByteBuf buffer = completion.buffer();
        if (buffer != null) {
            buffer.release();
        }
    }

    private static ByteBuf random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return Unpooled.directBuffer(Math.max(1, length)).writeBytes(bytes);
    }

    private SocketAddress listen() throws Exception {
        return loopback.accept(
                domain,
                MANAGED,
                queuePair -> queuePair.setCompletionListener((qp, completion) -> received.add(completion.copy())));
    }

    private Completion next() throws InterruptedException {
        Completion completion = received.poll(60, TimeUnit.SECONDS);
        assertThat(completion).as("a message").isNotNull();
        return completion;
    }

    @Test
    void eachMessageComesInABufferOfItsOwnThatTheApplicationReleases() throws Exception {
        QueuePair initiator = loopback.connect(listen(), domain, QueuePairSettings.DEFAULT, qp -> {});
        int[] lengths = {0, 1, 1000, 64_000, 70_000, MAX};
        for (int length : lengths) {
            ByteBuf message = random(length, length);
            await(initiator.send(message));
            Completion completion = next();
            assertThat(completion.operation()).isEqualTo(Operation.RECEIVE);
            assertThat(completion.bytes()).isEqualTo(length);
            assertThat(completion.buffer()).isEqualTo(message);
            assertThat(completion.buffer().capacity()).as("room").isLessThanOrEqualTo(MAX);
            releaseBuffer(completion);
            message.release();
        }
        await(initiator.sendImmediate(new ImmediateData(7), PostOptions.NONE));
        Completion immediate = next();
        assertThat(immediate.immediate()).isEqualTo(7);
        assertThat(immediate.buffer()).isNull();
        initiator.close();
        await(loopback.nextAccepted().closed());
        assertThat(received)
                .as("the application posted nothing that could be flushed")
                .isEmpty();
    }

    @Test
    void aMessageLongerThanAgreedEndsTheStream() throws Exception {
        QueuePair initiator = loopback.connect(listen(), domain, QueuePairSettings.DEFAULT, qp -> {});
        ByteBuf message = random(MAX + 1, 1);
        initiator.send(message);
        assertThat(await(initiator.closed()).error()).isEqualTo(ProtocolError.DDP_UNTAGGED_MESSAGE_TOO_LONG);
        await(loopback.nextAccepted().closed());
        message.release();
    }

    @Test
    void postingAReceiveIsRefusedAndTakesNothing() throws Exception {
        loopback.connect(listen(), domain, QueuePairSettings.DEFAULT, qp -> {});
        ByteBuf sink = Unpooled.directBuffer(1, 1);
        assertThatThrownBy(() -> loopback.nextAccepted().receiveQueue().receive(1, sink))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("managedReceiveBytes");
        assertThat(sink.release()).isTrue();
        assertThatThrownBy(() ->
                        QueuePairSettings.builder().managedReceiveBytes(-1).build())
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aMessageWithoutAListenerIsForNextMessage() throws Exception {
        SocketAddress address = loopback.accept(domain, MANAGED, qp -> {});
        QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        initiator.send(Unpooled.EMPTY_BUFFER);
        Message message = await(loopback.nextAccepted().nextMessage());
        assertThat(message.bytes().isReadable()).isFalse();
        message.bytes().release();
    }

    @Test
    void undeliverableMessageEndsTheStream() throws Exception {
        SharedReceiveQueue shared = SharedReceiveQueue.create(1, 1);
        shared.receive(1, Unpooled.EMPTY_BUFFER);
        SocketAddress address =
                loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> qp.setSharedReceiveQueue(shared));
        QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        initiator.send(Unpooled.EMPTY_BUFFER);
        assertThat(await(loopback.nextAccepted().closed()).toString()).contains("set a completion listener");
        assertThat(await(initiator.closed()).endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
    }

    @Test
    void messagesThatWaitToBePolledCountAgainstTheDepth() throws Exception {
        CompletionQueue queue = CompletionQueue.create(CompletionQueue.capacityFor(MANAGED, 1));
        SocketAddress address = loopback.accept(domain, MANAGED, qp -> qp.setCompletionQueue(queue));
        QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        QueuePair responder = loopback.nextAccepted();
        ByteBuf message = random(10, 1);
        int polled = 0;
        while (polled < 3 * DEPTH) {
            await(initiator.send(message));
            assertThat(queue.await(60, TimeUnit.SECONDS)).isTrue();
            polled += queue.poll((qp, completion) -> releaseBuffer(completion), 1);
        }
        for (int i = 0; i <= DEPTH; i++) {
            initiator.send(message);
        }
        assertThat(await(initiator.closed()).error()).isEqualTo(ProtocolError.DDP_UNTAGGED_NO_BUFFER);
        await(responder.closed());
        assertThat(queue.size()).isEqualTo(DEPTH);
        List<ByteBuf> buffers = new ArrayList<>();
        queue.poll((qp, completion) -> buffers.add(completion.buffer()), Integer.MAX_VALUE);
        assertThat(buffers).hasSize(DEPTH).allMatch(message::equals).allMatch(ByteBuf::release);
        assertThat(queue.reserved()).isZero();
        queue.close();
        message.release();
    }

    /** Leaks, of whole messages or of the part that was received, are found when the class is over. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void aKillAmidMessagesLeavesNoBuffer(long seed) throws Exception {
        Random random = new Random(seed);
        QueuePair initiator = loopback.connect(listen(), domain, QueuePairSettings.DEFAULT, qp -> {});
        QueuePair responder = loopback.nextAccepted();
        ByteBuf message = random(MAX, seed);
        int count = 5 + random.nextInt(20);
        for (int i = 0; i < count; i++) {
            initiator.send(message);
        }
        int before = random.nextInt(5);
        for (int i = 0; i < before; i++) {
            releaseBuffer(next());
        }
        QueuePair killed = random.nextBoolean() ? initiator : responder;
        killed.abort();
        await(initiator.closed());
        await(responder.closed());
        assertThat(message.release()).as("seed %s", seed).isTrue();
    }
}
