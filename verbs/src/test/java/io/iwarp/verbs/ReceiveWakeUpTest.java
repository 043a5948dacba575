package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who is woken by a receive, and for how long a message waits for one; under virtual time. */
class ReceiveWakeUpTest {
    private static final Duration WAIT = Duration.ofSeconds(4);
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(1);
    private static final QueuePairSettings PATIENT =
            QueuePairSettings.builder().receiveTimeout(WAIT).build();

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final List<SimulatedPair> pairs = new ArrayList<>();
    private final List<QueuePair> takers = new ArrayList<>();

    @AfterEach
    void close() {
        pairs.forEach(SimulatedPair::close);
        domain.close();
    }

    private SimulatedPair connect(Consumer<QueuePair> prepareTaker) {
        SimulatedPair pair = new SimulatedPair(domain, QueuePairSettings.DEFAULT, PATIENT, qp -> {}, prepareTaker);
        pairs.add(pair);
        return pair;
    }

    private SimulatedPair connect(SharedReceiveQueue receives) {
        return connect(qp -> qp.setSharedReceiveQueue(receives)
                .setCompletionListener((taker, completion) -> takers.add(completion.successful() ? taker : null)));
    }

    private SimulatedPeer peerThatHasToRespond() {
        QueuePairSettings settings = QueuePairSettings.builder()
                .receiveTimeout(WAIT)
                .responseTimeout(RESPONSE_TIMEOUT)
                .build();
        return SimulatedPeer.ofInitiator(domain, settings, qp -> {});
    }

    private void sendTo(SimulatedPair pair) {
        pair.initiator.queuePair().send(Unpooled.EMPTY_BUFFER);
        pair.run();
    }

    private void post(SharedReceiveQueue receives) {
        receives.receive(0, Unpooled.EMPTY_BUFFER);
        pairs.forEach(SimulatedPair::run);
    }

    @Test
    @Requirement("DDP-69")
    void eachReceiveIsTakenByAStreamThatWaitsForOne() {
        try (SharedReceiveQueue receives = SharedReceiveQueue.create(8, 1)) {
            for (int i = 0; i < 3; i++) {
                sendTo(connect(receives));
            }
            for (int posted = 1; posted <= 3; posted++) {
                post(receives);
                assertThat(takers).hasSize(posted);
            }
            assertThat(takers).doesNotHaveDuplicates().doesNotContainNull();
            close();
            pairs.clear();
        }
    }

    @Test
    void aStreamThatStoppedAtItsShareIsWokenByALaterReceive() {
        CompletionQueue completions = CompletionQueue.create(1_000);
        try (SharedReceiveQueue receives = SharedReceiveQueue.create(8, 1)) {
            SimulatedPair atItsShare =
                    connect(qp -> qp.setSharedReceiveQueue(receives).setCompletionQueue(completions));
            SimulatedPair other = connect(receives);
            post(receives);
            post(receives);
            sendTo(atItsShare);
            sendTo(atItsShare);
            sendTo(other);
            assertThat(takers).containsExactly(other.responder.queuePair());
            assertThat(receives.available()).isZero();
            assertThat(completions.poll((qp, completion) -> {}, 8)).isOne();
            atItsShare.run();

            post(receives);

            assertThat(completions.poll((qp, completion) -> {}, 8)).isOne();
            close();
            pairs.clear();
        }
    }

    /**
     * An application may call read() on the channel, or turn autoRead on: the message that waits comes up once more.
     */
    @Test
    @Requirement("DDP-69")
    void aMessageThatComesUpAgainLeavesNoDeadlineToTheNextOne() {
        ByteBuf sink = Unpooled.EMPTY_BUFFER;
        SimulatedPair pair = connect(qp -> qp.setCompletionListener((taker, completion) -> takers.add(taker)));
        QueuePair taker = pair.responder.queuePair();
        sendTo(pair);
        pair.advance(WAIT.dividedBy(4));
        taker.channel().read();
        pair.run();
        pair.advance(WAIT.dividedBy(4));
        taker.receiveQueue().receive(0, sink);
        pair.run();
        assertThat(takers).hasSize(1);

        sendTo(pair);
        pair.advance(WAIT.minusMillis(1));

        assertThat(taker.state()).isEqualTo(ConnectionState.READY);
        pair.advance(Duration.ofMillis(1));
        assertThat(taker.closed())
                .isCompletedWithValueMatching(reason -> reason.error() == ProtocolError.DDP_UNTAGGED_NO_BUFFER);
    }

    @Test
    void aMessageThatComesUpAgainBesideItsReceiveEndsTheWait() {
        SimulatedPair pair = connect(qp -> qp.setCompletionListener((taker, completion) -> takers.add(taker)));
        QueuePair taker = pair.responder.queuePair();
        sendTo(pair);
        taker.receiveQueue().receive(0, Unpooled.EMPTY_BUFFER);
        taker.channel().read();
        assertThat(takers).hasSize(1);
        assertThat(taker.engine().receiveSide().receiveStall().isStalled()).isFalse();
        pair.advance(WAIT.multipliedBy(2));
        assertThat(taker.state()).isEqualTo(ConnectionState.READY);
    }

    @Test
    void aMessageThatComesUpAgainKeepsItsDeadline() {
        SimulatedPair pair = connect(qp -> qp.setCompletionListener((taker, completion) -> {}));
        QueuePair taker = pair.responder.queuePair();
        sendTo(pair);
        pair.advance(WAIT.minusMillis(1));
        taker.channel().read();
        pair.run();
        assertThat(taker.state()).isEqualTo(ConnectionState.READY);
        pair.advance(Duration.ofMillis(1));
        CloseReason reason = taker.closed().join();
        assertThat(reason.error()).isEqualTo(ProtocolError.DDP_UNTAGGED_NO_BUFFER);
    }

    /** The receive is posted just before the deadline, and the loop comes to the deadline first. */
    @Test
    @Requirement("DDP-69")
    void nextMessageWaitsTheWholeReceiveTimeout() {
        SimulatedPair pair = connect(qp -> qp.setCompletionListener((taker, completion) -> takers.add(taker)));
        QueuePair taker = pair.responder.queuePair();
        pair.initiator.queuePair().send(Unpooled.EMPTY_BUFFER);
        sendTo(pair);
        taker.receiveQueue().receive(0, Unpooled.EMPTY_BUFFER);
        pair.responder.advanceTimeBy(WAIT.toNanos(), TimeUnit.NANOSECONDS);
        pair.responder.runScheduledPendingTasks();
        pair.run();
        assertThat(takers).hasSize(1);

        pair.advance(WAIT.minusMillis(1));

        assertThat(taker.state()).isEqualTo(ConnectionState.READY);
        pair.advance(Duration.ofMillis(1));
        assertThat(taker.closed())
                .isCompletedWithValueMatching(reason -> reason.error() == ProtocolError.DDP_UNTAGGED_NO_BUFFER);
    }

    /** The response to the Read follows the message. From the close on, a stall stops no clock. */
    @Test
    void closeTimeoutRunsWhileAMessageWaits() {
        Duration closeTimeout = WAIT.dividedBy(8);
        QueuePairSettings settings = QueuePairSettings.builder()
                .receiveTimeout(WAIT)
                .closeTimeout(closeTimeout)
                .build();
        MemoryRegion memory = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, 8)
                .rights(AccessRight.REMOTE_READ)
                .register();
        SimulatedPair pair = new SimulatedPair(
                domain,
                QueuePairSettings.DEFAULT,
                settings,
                qp -> {},
                qp -> qp.setCompletionListener((taker, completion) -> takers.add(taker)));
        pairs.add(pair);
        QueuePair taker = pair.responder.queuePair();
        sendTo(pair);
        ByteBuf sink = Unpooled.directBuffer(8, 8);
        CompletableFuture<Completion> read =
                taker.read(sink, new RemoteBuffer(memory.stag(), memory.baseTaggedOffset(), 8));
        taker.close();
        pair.run();
        assertThat(taker.state()).isEqualTo(ConnectionState.DRAINING);
        pair.advance(closeTimeout);
        pair.advance(closeTimeout);

        assertThat(takers).isEmpty();
        assertThat(read).isCompletedExceptionally();
        assertThat(taker.closed()).isCompletedWithValueMatching(reason -> reason.endedBy() == EndedBy.TIMEOUT);
        sink.release();
        memory.close();
    }

    /**
     * The event loop was late: a receive came, the time for the response ran out, and the input was looked at after
     * both.
     */
    @Test
    void aResponseBehindAMessageThatMayContinueIsNotTooLate() {
        try (SimulatedPeer peer = peerThatHasToRespond()) {
            CompletableFuture<Long> result = peer.queuePair().fetchAdd(new RemoteBuffer(1, 0, Long.BYTES), 1);
            int identifier = Unpooled.wrappedBuffer(peer.hears()).getInt(22);
            peer.sends(Segment.send(1, new byte[3]), Segment.atomicResponse(1, identifier, 41));

            CompletableFuture<Completion> received = peer.queuePair().receive(Unpooled.buffer(3, 3));
            EmbeddedChannel channel = (EmbeddedChannel) peer.queuePair().channel();
            channel.eventLoop().execute(channel::runScheduledPendingTasks);
            peer.pass(RESPONSE_TIMEOUT);

            assertThat(received).isCompletedWithValueMatching(Completion::successful);
            assertThat(result).isCompletedWithValue(41L);
            peer.queuePair().abort();
        }
    }

    /** The response is still in the socket when the message in front of it has continued. */
    @Test
    void theTimeForAResponseBeginsAgainWhenInputContinues() {
        try (SimulatedPeer peer = peerThatHasToRespond()) {
            CompletableFuture<Long> result = peer.queuePair().fetchAdd(new RemoteBuffer(1, 0, Long.BYTES), 1);
            int identifier = Unpooled.wrappedBuffer(peer.hears()).getInt(22);
            peer.sends(Segment.send(1, new byte[3]));
            peer.pass(RESPONSE_TIMEOUT.minusMillis(1));
            CompletableFuture<Completion> received = peer.queuePair().receive(Unpooled.buffer(3, 3));
            peer.pass(Duration.ZERO);
            assertThat(received).isCompletedWithValueMatching(Completion::successful);

            peer.pass(RESPONSE_TIMEOUT.minusMillis(1));
            assertThat(result).isNotDone();
            peer.sends(Segment.atomicResponse(1, identifier, 41));

            assertThat(result).isCompletedWithValue(41L);
            peer.queuePair().abort();
        }
    }
}
