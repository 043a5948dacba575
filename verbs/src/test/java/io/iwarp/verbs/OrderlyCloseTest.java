package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.EndedBy;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How two ends close whose last requests cross on the wire, under virtual time. */
class OrderlyCloseTest {
    private static final int BYTES = 100;
    private static final int MANY = 20;

    private final List<ByteBuf> sinks = new ArrayList<>();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion region = domain.region()
            .allocate(UnpooledByteBufAllocator.DEFAULT, BYTES)
            .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_ATOMIC)
            .register();
    private final SimulatedPair pair = new SimulatedPair(domain, QueuePairSettings.DEFAULT, qp -> {});
    private final QueuePair one = pair.initiator.queuePair();
    private final QueuePair other = pair.responder.queuePair();

    @AfterEach
    void close() {
        pair.close();
        assertThat(sinks).allMatch(ByteBuf::release);
        region.close();
        domain.close();
    }

    private void assertThatBothEndedInOrder() {
        assertThat(one.closed()).isCompleted();
        assertThat(other.closed()).isCompleted();
        assertThat(one.closed().join().endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThat(other.closed().join().endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThat(pair.initiator.isOpen()).isFalse();
        assertThat(pair.responder.isOpen()).isFalse();
    }

    /** The first Write tells the responder that it may send. */
    private void bothMaySend() {
        one.write(Unpooled.EMPTY_BUFFER, region.remoteBuffer());
        pair.run();
    }

    /** Both have sent what they had to send before anything of the other arrives. */
    private void requestsCross() {
        pair.initiator.runTasks();
        pair.responder.runTasks();
    }

    private ByteBuf sink() {
        ByteBuf sink = Unpooled.directBuffer(BYTES, BYTES);
        sinks.add(sink);
        return sink;
    }

    @Test
    void readsThatCrossBehindWhichBothSidesCloseBothGetTheirResponses() {
        bothMaySend();
        CompletableFuture<Completion> ours = one.read(sink(), region.remoteBuffer());
        one.close();
        CompletableFuture<Completion> theirs = other.read(sink(), region.remoteBuffer());
        other.close();

        requestsCross();
        pair.run();

        assertThat(ours).isCompletedWithValueMatching(done -> done.bytes() == BYTES);
        assertThat(theirs).isCompletedWithValueMatching(done -> done.bytes() == BYTES);
        assertThatBothEndedInOrder();
    }

    @Test
    void crossingReadsGetTheirResponsesWhenBothSidesClose() {
        bothMaySend();
        List<CompletableFuture<?>> asked = new ArrayList<>();
        for (QueuePair asking : List.of(one, other)) {
            for (int i = 0; i < MANY; i++) {
                asked.add(asking.read(sink(), region.remoteBuffer()));
                asked.add(asking.fetchAdd(region.remoteBuffer(0, Long.BYTES), 1));
            }
            asking.close();
        }

        requestsCross();
        pair.run();

        assertThat(asked).allSatisfy(each -> assertThat(each).isCompleted());
        assertThatBothEndedInOrder();
    }

    /** What it wanted to know it has: the peer could hold up the close with one request after the other. */
    @Test
    void rejectsRequestsAfterCloseOnceItHasItsResponses() {
        bothMaySend();
        one.close();
        pair.initiator.runTasks();
        CompletableFuture<Completion> late = other.read(sink(), region.remoteBuffer());

        pair.run();

        assertThat(late).isCompletedExceptionally();
        assertThat(one.closed().join().endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThat(other.closed().join().endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
    }
}
