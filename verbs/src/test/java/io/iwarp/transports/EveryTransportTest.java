package io.iwarp.transports;

import static io.iwarp.transports.Ends.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Requirement;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.PostOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operation and every way to end a stream, over every transport, protected and not, in each way of completion and
 * wherever messages get their buffers.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("wirings")
class EveryTransportTest {
    private static final int LENGTH = 200_000;
    private static final RemoteBuffer NOWHERE = new RemoteBuffer(0x12345678, 0, 8);

    private static Host host;

    @Parameter
    private Wiring wiring;

    @TempDir
    private Path directory;

    private Ends ends;
    private Ends.End initiator;
    private Ends.End responder;
    private MemoryRegion region;
    private ByteBuf pattern;

    static List<Wiring> wirings() {
        return Wiring.all();
    }

    @BeforeParameterizedClassInvocation
    static void open(Wiring wiring) throws Exception {
        host = new Host(wiring);
    }

    @AfterParameterizedClassInvocation
    static void shutDown() throws Exception {
        host.close();
    }

    @BeforeEach
    void connect() throws Exception {
        ends = new Ends(host, directory);
        initiator = ends.initiator();
        responder = ends.responder();
        region = ends.domain()
                .region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
                .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC)
                .register();
        pattern = Unpooled.directBuffer(LENGTH, LENGTH);
        for (int i = 0; i < LENGTH / Integer.BYTES; i++) {
            pattern.writeInt(i * 0x9e3779b9);
        }
    }

    @AfterEach
    void close() throws Exception {
        region.close();
        ends.close();
        assertThat(pattern.refCnt()).isOne();
        pattern.release();
    }

    private ByteBuf written(int length) {
        ByteBuf copy = Unpooled.buffer(length, length);
        region.getBytes(0, copy, length);
        return copy;
    }

    @Test
    @Requirement({"RDMAP-37"})
    void sendsArriveInOrderBothWays() throws Exception {
        initiator.posts().send(Unpooled.copyInt(1), PostOptions.NONE);
        Completion second = await(initiator.posts().send(Unpooled.copyInt(2, 3), PostOptions.SOLICITED));
        assertThat(second.operation()).isEqualTo(Operation.SEND);
        assertThat(responder.received(0).solicited()).isFalse();
        assertThat(responder.received(0).buffer()).isEqualTo(Unpooled.copyInt(1));
        assertThat(responder.received(1).solicited()).isTrue();
        assertThat(responder.received(1).buffer()).isEqualTo(Unpooled.copyInt(2, 3));
        await(responder.posts().send(Unpooled.EMPTY_BUFFER, PostOptions.NONE));
        assertThat(initiator.received(0).bytes()).isZero();
    }

    @Test
    void aBufferIsTheApplicationsAgainAfterItsCompletion() throws Exception {
        ByteBuf message = pattern.slice(0, Inbox.BYTES);
        await(initiator.posts().write(pattern, region.remoteBuffer(), PostOptions.NONE));
        pattern.setZero(0, LENGTH);
        await(initiator.posts().send(message, PostOptions.NONE));
        pattern.setByte(0, 1);
        responder.received(0);
        assertThat(responder.received(0).buffer()).isEqualTo(Unpooled.wrappedBuffer(new byte[Inbox.BYTES]));
        for (int i = 0; i < LENGTH / Integer.BYTES; i++) {
            pattern.setInt(i * Integer.BYTES, i * 0x9e3779b9);
        }
        assertThat(written(LENGTH)).isEqualTo(pattern);
    }

    @Test
    @Requirement({"RDMAP-38", "RDMAP-40"})
    void aSendTakesAWindowBack() throws Exception {
        MemoryWindow window = responder
                .queuePair()
                .window(region, 0, 16)
                .rights(AccessRight.REMOTE_READ)
                .bind();
        await(initiator.posts().sendWithInvalidate(Unpooled.copyInt(7), window.remoteBuffer(), PostOptions.SOLICITED));
        Completion taken = responder.received(0);
        assertThat(taken.invalidatedStag()).isEqualTo(window.stag());
        assertThat(taken.solicited()).isTrue();
        assertThat(window.isValid()).isFalse();
    }

    /** Over TLS too. */
    @Test
    @Requirement("SEC-26")
    void aWriteIsInPlaceWhenTheSendBehindItArrives() throws Exception {
        initiator.posts().write(pattern, region.remoteBuffer(), PostOptions.NONE);
        initiator.posts().send(Unpooled.copyInt(LENGTH), PostOptions.NONE);
        responder.received(0);
        assertThat(written(LENGTH)).isEqualTo(pattern);
    }

    @Test
    @Requirement({"EXT-28", "EXT-30", "EXT-31"})
    void immediateDataArrivesAloneAndBehindAWrite() throws Exception {
        initiator.posts().writeWithImmediate(pattern, region.remoteBuffer(), 1, PostOptions.NONE);
        await(initiator.posts().sendImmediate(-2, PostOptions.SOLICITED));
        assertThat(responder.received(0).immediate()).isEqualTo(1);
        assertThat(written(LENGTH)).isEqualTo(pattern);
        assertThat(responder.received(1).immediate()).isEqualTo(-2);
        assertThat(responder.received(1).solicited()).isTrue();
    }

    @Test
    @Requirement({"RDMAP-17", "RDMAP-22"})
    void readsOfBothSidesCross() throws Exception {
        region.setBytes(0, pattern.duplicate());
        ByteBuf one = Unpooled.directBuffer(LENGTH, LENGTH);
        ByteBuf other = Unpooled.directBuffer(LENGTH, LENGTH);
        CompletableFuture<Completion> reading = initiator.posts().read(one, region.remoteBuffer(), PostOptions.NONE);
        await(responder.posts().read(other, region.remoteBuffer(), PostOptions.NONE));
        assertThat(await(reading).bytes()).isEqualTo(LENGTH);
        assertThat(one).isEqualTo(pattern);
        assertThat(other).isEqualTo(pattern);
        one.release();
        other.release();
    }

    @Test
    @Requirement({"EXT-3", "EXT-27"})
    void atomicsChangeANumberAndBringTheOldOne() throws Exception {
        RemoteBuffer number = region.remoteBuffer(64, 8);
        assertThat(await(initiator.posts().fetchAdd(number, 5))).isZero();
        assertThat(await(responder.posts().compareSwap(number, 4, 9))).isEqualTo(5);
        assertThat(await(responder.posts().compareSwap(number, 5, 9))).isEqualTo(5);
        assertThat(region.getVolatile(64)).isEqualTo(9);
    }

    @Test
    void aFencedSendWaitsForTheReadBeforeIt() throws Exception {
        ByteBuf sink = Unpooled.directBuffer(LENGTH, LENGTH);
        CompletableFuture<Completion> read = initiator.posts().read(sink, region.remoteBuffer(), PostOptions.NONE);
        CompletableFuture<Completion> send = initiator.posts().send(Unpooled.copyInt(1), PostOptions.FENCE);
        responder.received(0);
        await(send);
        assertThat(await(read).bytes()).isEqualTo(LENGTH);
        assertThat(sink).isEqualTo(written(LENGTH));
        sink.release();
    }

    @Test
    @Requirement({"RDMAP-44", "RDMAP-47"})
    void aTerminateTellsThePeerWhyEverythingIsFlushed() throws Exception {
        CompletableFuture<Completion> write = initiator.posts().write(pattern.slice(0, 8), NOWHERE, PostOptions.NONE);
        CloseReason reason = await(initiator.queuePair().closed());
        assertThat(reason.endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
        assertThat(reason.error()).isEqualTo(ProtocolError.DDP_TAGGED_INVALID_STAG);
        CloseReason found = await(responder.queuePair().closed());
        assertThat(found.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(found.error()).isEqualTo(ProtocolError.DDP_TAGGED_INVALID_STAG);
        await(write.handle((completion, failure) -> completion));
        initiator.assertReceivesEnded(0, reason);
        responder.assertReceivesEnded(0, found);
    }

    @Test
    @Requirement({"RDMAP-47", "MPA-81", "MPA-82"})
    void anOrderlyCloseLosesNothingThatWasPostedBeforeIt() throws Exception {
        ByteBuf sink = Unpooled.directBuffer(LENGTH, LENGTH);
        List<CompletableFuture<Completion>> posted = new ArrayList<>();
        posted.add(initiator.posts().write(pattern, region.remoteBuffer(), PostOptions.NONE));
        posted.add(initiator.posts().read(sink, region.remoteBuffer(), PostOptions.FENCE));
        posted.add(initiator.posts().send(Unpooled.copyInt(1), PostOptions.NONE));
        initiator.queuePair().close();
        for (CompletableFuture<Completion> request : posted) {
            assertThat(await(request).successful()).isTrue();
        }
        assertThat(responder.received(0).bytes()).isEqualTo(Integer.BYTES);
        assertThat(written(LENGTH)).isEqualTo(pattern);
        assertThat(await(initiator.queuePair().closed()).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        CloseReason peersReason = await(responder.queuePair().closed());
        assertThat(peersReason.endedBy()).as(peersReason.toString()).isEqualTo(EndedBy.PEER_CLOSED);
        responder.assertReceivesEnded(1, peersReason);
        sink.release();
    }

    @Test
    @Requirement({"MPA-81", "MPA-82", "DDP-46", "DDP-47"})
    void theSideThatClosesFirstStillGetsWhatTheOtherSends() throws Exception {
        assumeTrue(wiring.halfCloses(), () -> wiring + ": the other half closes with the first");
        await(initiator.posts().send(Unpooled.copyInt(1), PostOptions.NONE));
        responder.received(0);
        CompletableFuture<Completion> send = responder
                .halfClosed()
                .thenCompose(event -> responder.posts().send(Unpooled.copyInt(5), PostOptions.NONE));
        initiator.queuePair().close();
        assertThat(await(send).successful()).isTrue();
        assertThat(initiator.received(0).bytes()).isEqualTo(Integer.BYTES);
        assertThat(await(initiator.queuePair().closed()).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThat(await(responder.queuePair().closed()).endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
    }

    @Test
    @Requirement("RDMAP-47")
    void anAbortFlushesBothSides() throws Exception {
        responder.queuePair().abort();
        CloseReason here = await(responder.queuePair().closed());
        assertThat(here.endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        responder.assertReceivesEnded(0, here);
        CloseReason there = await(initiator.queuePair().closed());
        assertThat(there.endedBy()).isIn(EndedBy.PEER_CLOSED, EndedBy.TRANSPORT);
        initiator.assertReceivesEnded(0, there);
    }
}
