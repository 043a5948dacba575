package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What happens to a request whose future the application has cancelled. */
class CancellationTest {
    private static final int LENGTH = 64;
    private static final QueuePairSettings SETTINGS =
            QueuePairSettings.builder().sendQueueDepth(2).build();

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion remote = domain.region()
            .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
            .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC)
            .register();
    private final MemoryRegion local = domain.region()
            .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
            .rights(AccessRight.LOCAL_WRITE)
            .register();
    private final SimulatedPair pair = new SimulatedPair(domain, SETTINGS, qp -> {});
    private final QueuePair one = pair.initiator.queuePair();
    private final QueuePair other = pair.responder.queuePair();
    private final List<ByteBuf> buffers = new ArrayList<>();

    @AfterEach
    void close() {
        pair.close();
        remote.close();
        local.close();
        domain.close();
        assertThat(buffers).allSatisfy(buffer -> assertThat(buffer.refCnt()).isOne());
        buffers.forEach(ByteBuf::release);
    }

    private ByteBuf buffer(int capacity) {
        ByteBuf buffer = Unpooled.directBuffer(capacity, capacity);
        buffers.add(buffer);
        return buffer;
    }

    private ByteBuf bytes(int value) {
        return buffer(Long.BYTES).writeLong(value);
    }

    /** How the application gives a request up. */
    enum GivingUp {
        CANCEL {
            @Override
            void request(CompletableFuture<?> future) {
                assertThat(future.cancel(true)).isTrue();
                assertThat(future).isCancelled();
            }
        },
        /** As the thread of {@link CompletableFuture#orTimeout} does. */
        TIMEOUT {
            @Override
            void request(CompletableFuture<?> future) {
                assertThat(future.completeExceptionally(new TimeoutException())).isTrue();
            }
        };

        abstract void request(CompletableFuture<?> future);
    }

    @ParameterizedTest
    @EnumSource
    void aRequestThatHasNotBegunIsNeverSentAndReleasesItsMemory(GivingUp giveUp) {
        List<CompletableFuture<Completion>> writes = new ArrayList<>();
        List<ByteBuf> sources = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ByteBuf source = bytes(1);
            sources.add(source);
            writes.add(one.write(source, remote.remoteBuffer((long) i * Long.BYTES, Long.BYTES)));
        }
        // One is in the send queue, the other is pending.
        for (int i : new int[] {1, 3}) {
            giveUp.request(writes.get(i));
        }
        pair.run();

        assertThat(sources).allSatisfy(source -> assertThat(source.refCnt()).isOne());
        assertThat(List.of(remote.getVolatile(0), remote.getVolatile(16))).doesNotContain(0L);
        assertThat(List.of(remote.getVolatile(8), remote.getVolatile(24))).containsOnly(0L);
        assertThat(writes.get(2)).isCompleted();
        assertThat(one.sendQueue().room()).isEqualTo(2);
        giveUp.request(one.write(sources.get(0), remote.remoteBuffer(0, Long.BYTES)));
        one.close();
        pair.run();
        assertThat(one.closed()).isCompleted();
    }

    @ParameterizedTest
    @EnumSource
    void aRequestThatHasBegunContinues(GivingUp giveUp) {
        ByteBuf source = bytes(7);
        CompletableFuture<Completion> write = one.write(source, remote.remoteBuffer(8, Long.BYTES));
        CompletableFuture<Long> add = one.fetchAdd(remote.remoteBuffer(0, Long.BYTES), 1);
        pair.initiator.runTasks();
        for (CompletableFuture<?> begun : List.of(write, add)) {
            if (!begun.isDone()) {
                giveUp.request(begun);
            }
        }
        pair.run();
        assertThat(add).isCompletedExceptionally();
        assertThat(remote.getVolatile(0)).isOne();
        assertThat(remote.getVolatile(8)).isNotZero();
        assertThat(source.refCnt()).isOne();
        assertThat(one.sendQueue().room()).isEqualTo(2);
        assertThat(one.closeReason()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"CANCEL, false", "CANCEL, true", "TIMEOUT, false", "TIMEOUT, true"})
    void theLateResponseOfAReadGoesNowhere(GivingUp giveUp, boolean intoARegion) {
        remote.setVolatile(0, -1);
        ByteBuf sink = buffer(Long.BYTES).setLong(0, 0);
        CompletableFuture<Completion> read = intoARegion
                ? one.read(local.slice(0, Long.BYTES), remote.remoteBuffer(0, Long.BYTES))
                : one.read(sink, remote.remoteBuffer(0, Long.BYTES));
        pair.initiator.runTasks();
        giveUp.request(read);
        pair.initiator.runTasks();
        assertThat(sink.refCnt()).as("references before the response").isOne();
        CompletableFuture<Completion> later = one.read(buffer(Long.BYTES), remote.remoteBuffer(0, Long.BYTES));
        pair.run();

        assertThat(later).isCompleted();
        assertThat(sink.getLong(0)).isZero();
        assertThat(sink.writerIndex()).isZero();
        assertThat(local.getVolatile(0)).isZero();
        assertThat(one.sendQueue().readRoom()).isEqualTo(one.parameters().ord());
    }

    /** The event loop handles the response before it hears of the cancellation. */
    @ParameterizedTest
    @EnumSource
    void aResponseThatComesAtOnceLeavesTheSinkAlone(GivingUp giveUp) {
        ByteBuf sink = buffer(Long.BYTES);
        CompletableFuture<Completion> read = one.read(sink, remote.remoteBuffer(0, Long.BYTES));
        pair.initiator.runTasks();
        pair.carry(pair.initiator, pair.responder);
        pair.responder.runTasks();
        giveUp.request(read);
        sink.writeInt(1);
        pair.carry(pair.responder, pair.initiator);
        pair.run();

        assertThat(sink.writerIndex()).isEqualTo(Integer.BYTES);
        assertThat(one.closeReason()).isNull();
    }

    @Test
    void theSinkOfACancelledReadTakesAnotherAtOnce() {
        remote.setVolatile(0, -1);
        ByteBuf sink = buffer(Long.BYTES);
        one.read(sink, remote.remoteBuffer(0, Long.BYTES)).cancel(true);
        CompletableFuture<Completion> sent = one.read(sink, remote.remoteBuffer(0, Long.BYTES));
        pair.initiator.runTasks();
        sent.cancel(true);
        CompletableFuture<Completion> last = one.read(sink, remote.remoteBuffer(0, Long.BYTES));
        pair.run();

        assertThat(last.join().successful()).isTrue();
        assertThat(sink.readLong()).isEqualTo(-1);
        assertThatThrownBy(() -> one.read(sink, remote.remoteBuffer(0, Long.BYTES)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 writable bytes");
    }

    @ParameterizedTest
    @EnumSource
    void theMessageOfACancelledReceiveGoesToTheNextReceive(GivingUp giveUp) {
        List<CompletableFuture<Completion>> receives = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            receives.add(other.receive(buffer(Long.BYTES)));
        }
        giveUp.request(receives.get(0));
        giveUp.request(receives.get(2));
        one.send(bytes(1));
        one.send(bytes(2));
        pair.run();

        assertThat(receives.get(1).join().buffer().getLong(0)).isEqualTo(1);
        assertThat(receives.get(3).join().buffer().getLong(0)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void aMessageThatWasArrivingMovesToTheNextReceive(GivingUp giveUp) {
        QueuePairSettings small = SETTINGS.toBuilder()
                .mpa(SETTINGS.mpa().toBuilder().mulpdu(256).build())
                .build();
        try (SimulatedPair slow = new SimulatedPair(domain, small, qp -> {})) {
            int length = 1000;
            ByteBuf message = buffer(length);
            for (int i = 0; i < length; i++) {
                message.writeByte(i);
            }
            ByteBuf first = buffer(length);
            CompletableFuture<Completion> cancelled = slow.responder.queuePair().receive(first);
            CompletableFuture<Completion> next = slow.responder.queuePair().receive(buffer(length));
            slow.initiator.queuePair().send(message);
            slow.initiator.runTasks();
            ByteBuf wire = Unpooled.buffer();
            for (ByteBuf sent = slow.initiator.readOutbound(); sent != null; sent = slow.initiator.readOutbound()) {
                wire.writeBytes(sent);
                sent.release();
            }
            slow.responder.writeInbound(wire.readRetainedSlice(length / 2));
            giveUp.request(cancelled);
            slow.responder.writeInbound(wire);
            slow.run();

            assertThat(slow.responder.queuePair().closeReason()).isNull();
            assertThat(next.join().buffer()).isEqualTo(message);
            assertThat(first.writerIndex()).isZero();
        }
    }

    @Test
    void withoutAnotherReceiveTheStreamEnds() {
        other.receive(buffer(Long.BYTES)).cancel(true);
        one.send(bytes(1));
        pair.run();
        assertThat(other.closeReason().error()).isEqualTo(ProtocolError.DDP_UNTAGGED_NO_BUFFER);
    }
}
