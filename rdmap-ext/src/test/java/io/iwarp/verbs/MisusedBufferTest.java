package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application that misuses a buffer it has posted: the stream ends with a typed error, and everything completes. */
class MisusedBufferTest {
    private static final int OCTETS = 8;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion source = domain.region()
            .allocate(UnpooledByteBufAllocator.DEFAULT, OCTETS)
            .rights(AccessRight.REMOTE_READ)
            .register();
    private final SimulatedPair pair = new SimulatedPair(
            domain,
            QueuePairSettings.DEFAULT,
            QueuePairSettings.DEFAULT,
            qp -> qp.completionListener((same, completion) -> {}),
            qp -> qp.completionListener((same, completion) -> {}));
    private final QueuePair queuePair = pair.initiator.queuePair();

    @AfterEach
    void release() {
        pair.close();
        source.close();
        domain.close();
    }

    private static ByteBuf buffer() {
        return Unpooled.directBuffer(OCTETS, OCTETS);
    }

    private static void assertEndedFor(ProtocolError error, String mistake, QueuePair culprit, QueuePair peer) {
        CloseReason reason = culprit.closed().toCompletableFuture().getNow(null);
        assertThat(reason).isNotNull();
        assertThat(reason.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(reason.error()).isEqualTo(error);
        assertThat(reason.detail()).contains(mistake).contains("leave the memory of a request alone");
        assertThat(culprit.engine().sendQueue().ring().uncompleted()).isZero();
        assertThat(culprit.engine().receives().bound().uncompleted()).isZero();
        assertThat(peer.closed().toCompletableFuture())
                .isCompletedWithValueMatching(told -> told.endedBy() == EndedBy.PEER_TERMINATE);
    }

    @Test
    void twoReadsIntoOneBuffer() {
        ByteBuf sink = buffer();
        RemoteBuffer remote = new RemoteBuffer(source.stag(), source.baseTaggedOffset(), OCTETS);
        CompletableFuture<Completion> first = queuePair.read(sink, remote);
        CompletableFuture<Completion> second = queuePair.read(sink, remote);

        pair.run();

        assertThat(first).isCompletedWithValueMatching(Completion::successful);
        assertThat(second).isCompletedExceptionally();
        assertEndedFor(
                ProtocolError.RDMAP_LOCAL_CATASTROPHIC, "used it for two Reads", queuePair, pair.responder.queuePair());
        assertThat(sink.release()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSendWhoseBufferIsReleasedOnceTooOften(boolean alsoBehind) {
        ByteBuf message = buffer().writeZero(OCTETS);
        pair.initiator.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object octets, ChannelPromise promise) throws Exception {
                super.write(ctx, octets, promise);
                if (message.refCnt() > 0) {
                    message.release(message.refCnt());
                }
            }
        });
        pair.responder.queuePair().receive(1, Unpooled.EMPTY_BUFFER);
        CompletableFuture<Completion> sent = queuePair.send(message);
        CompletableFuture<Completion> behind =
                alsoBehind ? queuePair.send(Unpooled.EMPTY_BUFFER) : CompletableFuture.failedFuture(new Exception());

        pair.run();

        assertThat(sent).isCompletedExceptionally();
        assertThat(behind).isCompletedExceptionally();
        assertThat(queuePair.closed().toCompletableFuture())
                .isCompletedWithValueMatching(reason -> reason.endedBy() == EndedBy.LOCAL_FAULT);
        assertThat(queuePair.engine().sendQueue().ring().uncompleted()).isZero();
    }

    @Test
    void aSendWhoseBufferIsReleasedBeforeItLeaves() {
        ByteBuf message = buffer().writeZero(OCTETS);
        CompletableFuture<Completion> sent = queuePair.send(message);
        message.release(2);
        pair.run();
        assertThat(sent).isCompletedExceptionally();
        assertThat(queuePair.closed().toCompletableFuture())
                .isCompletedWithValueMatching(reason -> reason.endedBy() == EndedBy.LOCAL_FAULT);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, OCTETS})
    void aReceiveWhoseBufferIsReleased(int octets) {
        ByteBuf sink = buffer();
        CompletableFuture<Completion> receive = queuePair.receive(sink);
        CompletableFuture<Completion> behind = queuePair.receive(Unpooled.EMPTY_BUFFER);
        sink.release(2);
        // A responder may send once it has heard from the initiator.
        queuePair.write(1, Unpooled.EMPTY_BUFFER, 0, 0);
        ByteBuf message = buffer().writeZero(octets);
        pair.responder.queuePair().send(1, message);

        pair.run();

        assertThat(receive).isCompletedExceptionally();
        assertThat(behind).isCompletedExceptionally();
        assertThat(queuePair.closed().toCompletableFuture())
                .isCompletedWithValueMatching(reason -> reason.endedBy() == EndedBy.LOCAL_FAULT
                        && reason.error() == ProtocolError.DDP_LOCAL_CATASTROPHIC);
        assertThat(queuePair.engine().receives().bound().uncompleted()).isZero();
        assertThat(message.release()).isTrue();
    }
}
