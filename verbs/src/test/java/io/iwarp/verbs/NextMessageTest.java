package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages that the application takes one by one, or by a listener, and what says that they have arrived. */
class NextMessageTest {
    private static final int DEPTH = 2;
    private static final QueuePairSettings SETTINGS = QueuePairSettings.builder()
            .receiveQueueDepth(DEPTH)
            .managedReceiveBytes(100)
            .build();

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final List<Message> heard = new ArrayList<>();
    private final List<CloseReason> ends = new ArrayList<>();
    private SimulatedPair pair = new SimulatedPair(domain, SETTINGS, qp -> {});
    private QueuePair one = pair.initiator.queuePair();
    private QueuePair other = pair.responder.queuePair();

    @AfterEach
    void close() {
        pair.close();
        domain.close();
    }

    private void connect(MessageListener listener) {
        pair.close();
        pair = new SimulatedPair(domain, SETTINGS, qp -> qp.messageListener(listener));
        one = pair.initiator.queuePair();
        other = pair.responder.queuePair();
    }

    private CompletableFuture<Completion> send(int number) {
        ByteBuf message = Unpooled.copyInt(number);
        CompletableFuture<Completion> sent = one.send(message);
        message.release();
        return sent;
    }

    private static int number(CompletableFuture<Message> message) {
        assertThat(message).isCompleted();
        ByteBuf bytes = message.getNow(null).bytes();
        int number = bytes.readInt();
        bytes.release();
        return number;
    }

    @Test
    void messagesAreTakenInTheirOrder() {
        CompletableFuture<Message> before = other.nextMessage();
        send(1);
        send(2);
        pair.run();
        CompletableFuture<Message> after = other.nextMessage();
        pair.run();
        assertThat(number(before)).isEqualTo(1);
        assertThat(number(after)).isEqualTo(2);
    }

    @Test
    void aCancelledFutureTakesNoMessage() {
        other.nextMessage().cancel(true);
        CompletableFuture<Message> next = other.nextMessage();
        send(1);
        pair.run();
        assertThat(number(next)).isEqualTo(1);
    }

    @Test
    void aFullQueueStopsThePeerAndLosesNothing() {
        int messages = DEPTH + 3;
        for (int i = 0; i < messages; i++) {
            send(i);
        }
        pair.run();
        pair.advance(Duration.ofMinutes(10));
        assertThat(other.closeReason()).isNull();
        for (int i = 0; i < messages; i++) {
            CompletableFuture<Message> next = other.nextMessage();
            pair.run();
            assertThat(number(next)).isEqualTo(i);
        }
    }

    @Test
    void bytesOfWaitingMessagesCountToTheLimitOfTheDevice() {
        ProtectionDomain small =
                IwarpDevice.builder().maxManagedReceiveBytes(6).build().createProtectionDomain();
        QueuePairSettings deep = SETTINGS.toBuilder().receiveQueueDepth(100).build();
        try (SimulatedPair limited = new SimulatedPair(small, deep, qp -> {})) {
            QueuePair sender = limited.initiator.queuePair();
            QueuePair taker = limited.responder.queuePair();
            int messages = 10;
            for (int i = 0; i < messages; i++) {
                ByteBuf message = Unpooled.copyInt(i);
                sender.send(message);
                message.release();
            }
            limited.run();
            limited.advance(Duration.ofMinutes(10));
            assertThat(small.device().managedReceiveBytes()).isEqualTo(2 * Integer.BYTES);
            for (int i = 0; i < messages; i++) {
                CompletableFuture<Message> next = taker.nextMessage();
                limited.run();
                assertThat(number(next)).isEqualTo(i);
            }
            assertThat(small.device().managedReceiveBytes()).isZero();
            sender.send(Unpooled.EMPTY_BUFFER);
            sender.send(Unpooled.copyInt(1));
            limited.run();
            assertThat(small.device().managedReceiveBytes()).isEqualTo(Integer.BYTES);
            taker.abort();
            limited.run();
            assertThat(small.device().managedReceiveBytes()).isZero();
        }
        small.close();
    }

    /** The application of one stream takes no message. That stops no other stream. */
    @Test
    void aStreamWithoutAWaitingMessageContinuesAtTheLimit() {
        ProtectionDomain small =
                IwarpDevice.builder().maxManagedReceiveBytes(1).build().createProtectionDomain();
        try (SimulatedPair lazy = new SimulatedPair(small, SETTINGS, qp -> {});
                SimulatedPair busy = new SimulatedPair(small, SETTINGS, qp -> {})) {
            one = lazy.initiator.queuePair();
            send(1);
            lazy.run();
            assertThat(small.device().managedReceiveBytes()).isEqualTo(Integer.BYTES);
            one = busy.initiator.queuePair();
            for (int i = 0; i < 3; i++) {
                send(i);
                busy.run();
                CompletableFuture<Message> next = busy.responder.queuePair().nextMessage();
                busy.run();
                assertThat(number(next)).isEqualTo(i);
            }
            lazy.responder.queuePair().close();
            lazy.run();
        }
        small.close();
    }

    @Test
    void messagesBeforeTheEndComeFirst() {
        send(1);
        one.close();
        pair.run();
        CompletableFuture<Message> last = other.nextMessage();
        CompletableFuture<Message> none = other.nextMessage();
        pair.run();
        assertThat(number(last)).isEqualTo(1);
        assertThat(none)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(ConnectionClosedException.class);
    }

    @Test
    void aCloseReleasesWhatWasNotTaken() {
        send(1);
        pair.run();
        other.abort();
        pair.run();
        assertThat(other.nextMessage()).isNotDone();
    }

    @Test
    void aListenerGetsImmediateDataAndTheEnd() {
        connect(new MessageListener() {
            @Override
            public void onMessage(QueuePair queuePair, Message message) {
                heard.add(message);
            }

            @Override
            public void onClosed(QueuePair queuePair, CloseReason reason) {
                ends.add(reason);
            }
        });
        assertThatIllegalStateException().isThrownBy(other::nextMessage);
        one.sendImmediate(new ImmediateData(7), PostOptions.SOLICITED);
        send(1);
        pair.run();
        assertThat(heard).hasSize(2);
        assertThat(heard.get(0).immediate()).isEqualTo(7);
        assertThat(heard.get(0).solicited()).isTrue();
        assertThatIllegalStateException().isThrownBy(heard.get(1)::immediate);
        one.close();
        pair.run();
        assertThat(ends).singleElement().extracting(CloseReason::endedBy).isEqualTo(EndedBy.PEER_CLOSED);
    }

    @Test
    void aListenerThatThrowsEndsTheStreamWithTheCause() {
        IllegalStateException thrown = new IllegalStateException("on purpose");
        connect((queuePair, message) -> {
            throw thrown;
        });
        send(1);
        pair.run();
        assertThat(other.closeReason().cause()).isSameAs(thrown);
        assertThat(other.closeReason().endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
    }

    private MemoryRegion writableWord() {
        return domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, Long.BYTES)
                .rights(AccessRight.REMOTE_WRITE)
                .register();
    }

    @Test
    void placedSaysThatEarlierWritesAreInThePeersMemory() {
        MemoryRegion region = writableWord();
        RemoteBuffer remote = region.remoteBuffer();
        ByteBuf bytes = Unpooled.copyLong(1);
        CompletableFuture<Completion> written = one.write(bytes, remote);
        CompletableFuture<Completion> placed = one.placed();
        pair.initiator.runTasks();
        assertThat(written).isCompleted();
        assertThat(placed).isNotDone();
        assertThat(region.getVolatile(0)).isZero();
        pair.run();
        assertThat(placed).isCompleted();
        assertThat(region.getVolatile(0)).isNotZero();

        region.invalidate();
        one.write(bytes, remote);
        CompletableFuture<Completion> refused = one.placed();
        pair.run();
        assertThat(refused).isCompletedExceptionally();
        assertThat(one.closeReason().accessRevoked()).isTrue();
        assertThat(other.closeReason().accessRevoked()).isFalse();
        bytes.release();
        region.close();
    }

    @Test
    void anAccessBeyondTheBoundsIsNotRevoked() {
        MemoryRegion region = writableWord();
        RemoteBuffer real = region.remoteBuffer();
        ByteBuf bytes = Unpooled.copyLong(1, 2);
        one.write(bytes, RemoteBuffer.of(real.stag(), real.taggedOffset(), 2 * Long.BYTES));
        CompletableFuture<Completion> refused = one.placed();
        pair.run();
        assertThat(refused).isCompletedExceptionally();
        assertThat(one.closeReason().error()).isEqualTo(ProtocolError.DDP_TAGGED_BASE_OR_BOUNDS);
        assertThat(one.closeReason().accessRevoked()).isFalse();
        bytes.release();
        region.close();
    }
}
