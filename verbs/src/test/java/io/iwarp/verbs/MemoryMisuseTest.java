package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.LogCapture;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.IllegalReferenceCountException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An application that gives away memory which a request still uses: the stream ends with an error that says so, and
 * every request completes.
 */
class MemoryMisuseTest {
    private static final int BYTES = 100;

    @RegisterExtension
    final LogCapture log = new LogCapture(QueuePair.class.getName());

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf memory = Unpooled.directBuffer(BYTES, BYTES);
    private final MemoryRegion region =
            domain.register(memory, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC);
    private final SharedReceiveQueue shared = SharedReceiveQueue.create(4, 4);
    private final List<Completion> received = new ArrayList<>();
    private SimulatedPair pair = new SimulatedPair(
            domain,
            QueuePairSettings.DEFAULT,
            qp -> qp.setCompletionListener((same, completion) -> received.add(completion.copy())));
    private QueuePair one = pair.initiator.queuePair();
    private QueuePair other = pair.responder.queuePair();

    @AfterEach
    void close() {
        pair.close();
        shared.close();
        if (memory.refCnt() == 0) {
            assertThatThrownBy(region::close).isInstanceOf(IllegalReferenceCountException.class);
        } else {
            region.close();
            assertThat(memory.release()).isTrue();
        }
        assertThat(domain.device().regionCount()).isZero();
        assertThat(domain.device().registeredBytes()).isZero();
        domain.close();
    }

    private static ByteBuf buffer() {
        return Unpooled.directBuffer(BYTES, BYTES);
    }

    private static ByteBuf message() {
        return buffer().writeZero(BYTES);
    }

    private static CloseReason reason(QueuePair ended) {
        assertThat(ended.closed()).isCompleted();
        return ended.closed().join();
    }

    private static void assertThatMistakeEnded(QueuePair culprit, QueuePair peer) {
        CloseReason reason = reason(culprit);
        assertThat(reason.endedBy()).as("%s", reason).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(reason.error()).isEqualTo(ProtocolError.DDP_LOCAL_CATASTROPHIC);
        CloseReason peerReason = reason(peer);
        assertThat(peerReason.endedBy()).as("%s", peerReason).isEqualTo(EndedBy.PEER_TERMINATE);
        assertThat(peerReason.error()).isEqualTo(ProtocolError.DDP_LOCAL_CATASTROPHIC);
    }

    @Test
    void aSendWhoseBufferIsGoneBeforeItIsSent() {
        ByteBuf gone = message();
        CompletableFuture<Completion> send = one.send(gone);
        CompletableFuture<Completion> behind = one.send(Unpooled.EMPTY_BUFFER);
        gone.release(2);

        pair.run();

        assertThatMistakeEnded(one, other);
        assertThat(send).isCompletedExceptionally();
        assertThat(behind).isCompletedExceptionally();
    }

    @Test
    void aSendWhoseBufferIsGoneWhenTheTransportHasTakenIt() {
        other.receiveQueue().receive(1, Unpooled.EMPTY_BUFFER);
        other.receiveQueue().receive(2, region.slice(0, BYTES));
        other.receiveQueue().receive(3, Unpooled.EMPTY_BUFFER);
        ByteBuf gone = message();
        CompletableFuture<Completion> first = one.send(Unpooled.EMPTY_BUFFER);
        CompletableFuture<Boolean> released = first.thenApply(done -> gone.release(2));
        CompletableFuture<Completion> send = one.send(gone);
        CompletableFuture<Completion> behind = one.send(Unpooled.EMPTY_BUFFER);

        pair.run();

        assertThat(released).isCompletedWithValue(true);
        assertThatMistakeEnded(one, other);
        assertThat(reason(one).detail()).contains("SEND").contains("released");
        assertThat(send).isCompletedExceptionally();
        assertThat(behind).isCompletedExceptionally();
    }

    @Test
    void aSendWhoseBufferIsGoneWhenTheConnectionIsCut() {
        ByteBuf gone = message();
        pair.initiator.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        CompletableFuture<Completion> send = one.send(gone);
        CompletableFuture<Completion> behind = one.send(Unpooled.EMPTY_BUFFER);
        pair.initiator.runTasks();
        gone.release(2);

        one.abort();
        pair.run();

        assertThat(reason(one).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThat(send).isCompletedExceptionally();
        assertThat(behind).isCompletedExceptionally();
        assertThat(log.messages()).singleElement().asString().contains("SEND").contains("released");
    }

    @Test
    void aReceiveWhoseBufferIsGone() {
        ByteBuf gone = buffer();
        other.receiveQueue().receive(1, gone);
        other.receiveQueue().receive(2, region.slice(0, BYTES));
        gone.release(2);
        ByteBuf message = message();
        CompletableFuture<Completion> send = one.send(message);

        pair.run();

        assertThat(send).isCompleted();
        assertThatMistakeEnded(other, one);
        assertThat(received).extracting(Completion::workRequestId).containsExactly(1L, 2L);
        assertThat(received).noneMatch(Completion::successful);
        assertThat(message.release()).isTrue();
    }

    /** Nothing of it is placed, so nothing fails there. */
    @Test
    void aReceiveOfNoBytesWhoseBufferIsGone() {
        ByteBuf gone = buffer();
        other.receiveQueue().receive(1, gone);
        other.receiveQueue().receive(2, region.slice(0, BYTES));
        gone.release(2);
        one.send(Unpooled.EMPTY_BUFFER);

        pair.run();

        assertThatMistakeEnded(other, one);
        assertThat(received).extracting(Completion::workRequestId).containsExactly(1L, 2L);
        assertThat(received).noneMatch(Completion::successful);
    }

    @Test
    void aReceiveWhoseBufferIsGoneWhenTheQueuePairIsClosed() {
        ByteBuf gone = buffer();
        other.receiveQueue().receive(1, gone);
        other.receiveQueue().receive(2, region.slice(0, BYTES));
        gone.release(2);

        other.close();
        pair.run();

        assertThat(reason(other).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThat(received).extracting(Completion::workRequestId).containsExactly(1L, 2L);
        assertThat(log.messages())
                .singleElement()
                .asString()
                .contains("RECEIVE")
                .contains("released");
    }

    @Test
    void aReceiveOfASharedQueueWhoseBufferIsGone() {
        pair.close();
        pair = new SimulatedPair(domain, QueuePairSettings.DEFAULT, qp -> {
            qp.setCompletionListener((same, completion) -> received.add(completion.copy()));
            qp.setSharedReceiveQueue(shared);
        });
        one = pair.initiator.queuePair();
        other = pair.responder.queuePair();
        ByteBuf gone = buffer();
        shared.receive(1, gone);
        gone.release(2);
        one.send(Unpooled.EMPTY_BUFFER);

        pair.run();

        assertThatMistakeEnded(other, one);
        assertThat(received)
                .singleElement()
                .satisfies(flushed -> assertThat(flushed.successful()).isFalse());
    }

    @Test
    void aReadWhoseSinkIsGoneWhenItsResponseComes() {
        other.receiveQueue().receive(1, Unpooled.EMPTY_BUFFER);
        ByteBuf gone = buffer();
        CompletableFuture<Completion> read = one.read(gone, region.remoteBuffer());
        CompletableFuture<Completion> behind = one.send(Unpooled.EMPTY_BUFFER);
        pair.initiator.runTasks();
        gone.release(2);

        pair.run();

        assertThatMistakeEnded(one, other);
        assertThat(read).isCompletedExceptionally();
        assertThat(behind).isCompletedExceptionally();
    }

    /** Both would place their bytes at the same index. */
    @ParameterizedTest
    @ValueSource(ints = {0, Long.BYTES})
    void aSinkThatAReadFillsIsRefused(int length) {
        one.setCompletionListener((same, completion) -> {});
        ByteBuf sink = buffer();
        RemoteBuffer source = region.remoteBuffer(0, length);
        CompletableFuture<Completion> first = one.read(sink, source);
        assertThatThrownBy(() -> one.read(sink, source))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in use by a Read");
        assertThatThrownBy(() -> one.sendQueue().read(1, sink, source, PostOptions.NONE))
                .hasMessageContaining("in use by a Read");
        CompletableFuture<Completion> inCallback = first.thenCompose(done -> one.read(sink.clear(), source));

        pair.run();

        assertThat(inCallback).isCompletedWithValueMatching(Completion::successful);
        for (int id = 1; id <= 2; id++) {
            one.sendQueue().read(id, sink.clear(), source, PostOptions.NONE);
            pair.run();
        }
        assertThat(one.closeReason()).isNull();
        assertThat(sink.release()).isTrue();
    }

    @Test
    void aReadThatIsRefusedDoesNotUseItsSink() {
        ByteBuf sink = buffer();
        region.close();
        RemoteBuffer gone = new RemoteBuffer(region.stag(), 0, Long.BYTES);
        for (int i = 0; i < 2; i++) {
            ByteBuf heap = Unpooled.buffer(Long.BYTES);
            assertThatThrownBy(() -> one.read(heap, gone)).isInstanceOf(IllegalArgumentException.class);
        }
        CompletableFuture<Completion> ends = one.read(sink, gone);
        pair.run();
        assertThat(ends).isCompletedExceptionally();
        for (int i = 0; i < 2; i++) {
            assertThat(one.read(sink, gone)).isCompletedExceptionally();
        }
        assertThat(sink.release()).isTrue();
    }

    @Test
    void aBufferThatAReceiveAndAReadFill() {
        ByteBuf sink = buffer();
        one.receive(sink);
        CompletableFuture<Completion> read = one.read(sink, region.remoteBuffer());
        ByteBuf message = message();
        other.send(message);

        pair.run();

        assertThatMistakeEnded(one, other);
        assertThat(reason(one).detail()).contains("READ").contains("used it twice");
        assertThat(read).isCompletedExceptionally();
        assertThat(sink.release()).isTrue();
        assertThat(message.release()).isTrue();
    }

    @Test
    void aRegionWhoseMemoryIsGoneWhenThePeerWritesToIt() {
        RemoteBuffer target = region.remoteBuffer();
        memory.release(2);
        ByteBuf message = message();
        one.write(message, target);

        pair.run();

        assertThatMistakeEnded(other, one);
        assertThat(message.release()).isTrue();
    }

    @Test
    void aRegionWhoseMemoryIsGoneWhenThePeerReadsIt() {
        RemoteBuffer source = region.remoteBuffer();
        memory.release(2);
        ByteBuf sink = buffer();
        CompletableFuture<Completion> read = one.read(sink, source);

        pair.run();

        assertThatMistakeEnded(other, one);
        assertThat(read).isCompletedExceptionally();
        assertThat(sink.release()).isTrue();
    }

    @Test
    void aRegionWhoseMemoryIsGoneWhenThePeerChangesItByAnAtomic() {
        RemoteBuffer target = region.remoteBuffer(0, Long.BYTES);
        memory.release(2);
        CompletableFuture<Long> atomic = one.fetchAdd(target, 1);

        pair.run();

        assertThatMistakeEnded(other, one);
        assertThat(atomic).isCompletedExceptionally();
    }
}
