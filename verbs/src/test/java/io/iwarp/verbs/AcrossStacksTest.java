package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one end has to do with the other, or one stream with its neighbour, and neither shows alone. */
class AcrossStacksTest {
    private static final int LENGTH = 64;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion region = domain.region()
            .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
            .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE)
            .register();
    private final ByteBuf sink = Unpooled.directBuffer(LENGTH, LENGTH);
    private final List<SimulatedPair> pairs = new ArrayList<>();

    @AfterEach
    void close() {
        pairs.forEach(SimulatedPair::close);
        region.close();
        domain.close();
        sink.release();
    }

    private SimulatedPair connect(MpaSettings.Builder mpa) {
        QueuePairSettings settings = QueuePairSettings.builder()
                .sendQueueDepth(1024)
                .mpa(mpa.build())
                .build();
        SimulatedPair pair = new SimulatedPair(domain, settings, qp -> {});
        pairs.add(pair);
        return pair;
    }

    /** No receive is posted: there is room for a Terminate all the same. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1000})
    @Requirement({"RDMAP-16", "RDMAP-43"})
    void bothEndsLearnOfAWriteThatIsNotValid(int messagesBefore) {
        SimulatedPair pair = connect(MpaSettings.builder());
        QueuePair source = pair.initiator.queuePair();
        QueuePair target = pair.responder.queuePair();
        for (int i = 0; i < messagesBefore; i++) {
            source.write(Unpooled.EMPTY_BUFFER, region.remoteBuffer());
            pair.run();
        }

        source.write(Unpooled.copyLong(7), new RemoteBuffer(~region.stag(), 3, Long.BYTES));
        CompletableFuture<Completion> behind = source.read(sink, region.remoteBuffer());
        pair.run();

        CloseReason atTarget = target.closed().join();
        assertThat(atTarget.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(atTarget.error()).isEqualTo(ProtocolError.DDP_TAGGED_INVALID_STAG);
        CloseReason atSource = source.closed().join();
        assertThat(atSource.endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
        assertThat(atSource.error()).isEqualTo(ProtocolError.DDP_TAGGED_INVALID_STAG);
        assertThatThrownBy(behind::join)
                .hasCauseInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("0x1/0x1/0x00");
    }

    /** The plain set-up negotiates nothing, so that only the defaults make them fit. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement("RDMAP-75")
    void byDefaultEachEndTakesAsManyReadsAsTheOtherHasOutstanding(boolean enhanced) {
        SimulatedPair pair = connect(MpaSettings.builder().enhanced(enhanced));
        QueuePair initiator = pair.initiator.queuePair();
        QueuePair responder = pair.responder.queuePair();
        assertThat(initiator.parameters().ord()).isPositive();
        assertThat(initiator.parameters().ord())
                .isEqualTo(responder.parameters().ird());
        assertThat(responder.parameters().ord())
                .isEqualTo(initiator.parameters().ird());
        initiator.write(Unpooled.EMPTY_BUFFER, region.remoteBuffer());
        pair.run();

        for (boolean initiatorAsks : new boolean[] {true, false}) {
            SimulatedPair.End asking = initiatorAsks ? pair.initiator : pair.responder;
            SimulatedPair.End asked = initiatorAsks ? pair.responder : pair.initiator;
            QueuePair queuePair = asking.queuePair();
            int ord = queuePair.parameters().ord();
            stall(asked);
            List<CompletableFuture<Completion>> reads = readMany(queuePair, ord + 1);
            pair.run();
            assertThat(queuePair.snapshot().outstandingReads()).isEqualTo(ord);
            assertThat(asked.queuePair().snapshot().outstandingPeerReads()).isEqualTo(ord);

            goOn(asked);
            pair.run();
            assertThat(reads).allSatisfy(read -> assertThat(read).isCompleted());
        }
    }

    /** One whose responses do not get away has used up its own places. */
    @Test
    @Requirement("SEC-16")
    void theReadsOfAStreamTakeNoPlacesOfAnotherStream() {
        SimulatedPair stalled = connect(MpaSettings.builder());
        SimulatedPair other = connect(MpaSettings.builder());
        int ord = stalled.initiator.queuePair().parameters().ord();
        stall(stalled.responder);
        List<CompletableFuture<Completion>> outstanding = readMany(stalled.initiator.queuePair(), ord);
        stalled.run();
        assertThat(stalled.responder.queuePair().snapshot().outstandingPeerReads())
                .isEqualTo(ord);

        List<CompletableFuture<Completion>> reads = readMany(other.initiator.queuePair(), ord);
        other.run();

        assertThat(reads).allSatisfy(read -> assertThat(read).isCompleted());
        assertThat(outstanding).noneMatch(CompletableFuture::isDone);
        goOn(stalled.responder);
        stalled.run();
        assertThat(outstanding).allSatisfy(read -> assertThat(read).isCompleted());
    }

    private List<CompletableFuture<Completion>> readMany(QueuePair queuePair, int count) {
        List<CompletableFuture<Completion>> reads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            reads.add(queuePair.read(Unpooled.EMPTY_BUFFER, new RemoteBuffer(0, 0, 0)));
        }
        return reads;
    }

    /** The transport of an end takes nothing. */
    private static void stall(SimulatedPair.End end) {
        end.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        end.runTasks();
    }

    private static void goOn(SimulatedPair.End end) {
        end.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        end.runTasks();
    }
}
