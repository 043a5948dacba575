package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a queue pair with Reads and atomics under way: what is waited for, what is flushed, and why. */
@Timeout(60)
class LifeTest {
    private static final int LENGTH = 1 << 20;
    private static final RemoteBuffer SOMEWHERE = new RemoteBuffer(0x1234, 0, 8);
    private static final Duration SHORT = Duration.ofMillis(200);

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf bytes = Unpooled.directBuffer(8, 8).writeLong(1);
    private MemoryRegion region;
    private ServerSocket server;
    private QueuePair queuePair;
    private SocketPeer peer;

    @BeforeEach
    void listen() throws Exception {
        region = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
                .rights(AccessRight.REMOTE_READ, AccessRight.LOCAL_WRITE)
                .register();
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    private void establish(QueuePairSettings settings) throws Exception {
        CompletableFuture<SocketPeer> accepted = SocketPeer.accepting(server);
        queuePair = loopback.connect(server.getLocalSocketAddress(), domain, settings, qp -> {});
        peer = await(accepted);
    }

    @AfterEach
    void release() throws Exception {
        peer.close();
        await(queuePair.closed());
        loopback.close();
        server.close();
        region.close();
        domain.close();
        assertThat(bytes.release()).isTrue();
    }

    /** One post of each kind that sends; those that have a response come first. */
    private List<CompletableFuture<?>> postAll() {
        return new ArrayList<>(List.of(
                queuePair.read(region.slice(0, SOMEWHERE.length()), SOMEWHERE),
                queuePair.fetchAdd(SOMEWHERE, 1),
                queuePair.compareSwap(SOMEWHERE, 1, 2),
                queuePair.read(bytes.clear(), SOMEWHERE),
                queuePair.send(bytes, PostOptions.FENCE),
                queuePair.sendWithInvalidate(bytes, SOMEWHERE),
                queuePair.write(bytes, SOMEWHERE),
                queuePair.writeWithImmediate(bytes, SOMEWHERE, new ImmediateData(1), PostOptions.NONE),
                queuePair.sendImmediate(new ImmediateData(1), PostOptions.NONE),
                queuePair.receive(bytes)));
    }

    private static void assertFlushed(List<CompletableFuture<?>> posted, CloseReason reason) {
        for (CompletableFuture<?> flushed : posted) {
            assertThatThrownBy(() -> await(flushed))
                    .cause()
                    .isInstanceOfSatisfying(
                            ConnectionClosedException.class,
                            ended -> assertThat(ended.reason()).isSameAs(reason));
        }
    }

    private void respondToRead() throws Exception {
        ByteBuffer request = ByteBuffer.wrap(peer.expectUlpdu());
        peer.sends(Segment.readResponse(request.getInt(18), request.getLong(22), new byte[request.getInt(30)]));
    }

    private void settle() throws Exception {
        queuePair.channel().eventLoop().submit(() -> {}).sync();
    }

    @Test
    @Requirement({"RDMAP-63", "DDP-43", "DDP-44"})
    void anOrderlyCloseWaitsForTheResponsesToWhatWasPosted() throws Exception {
        establish(QueuePairSettings.DEFAULT);
        CompletableFuture<Completion> read = queuePair.read(region.slice(0, SOMEWHERE.length()), SOMEWHERE);
        CompletableFuture<Completion> behind = queuePair.send(bytes, PostOptions.FENCE);
        queuePair.close();
        assertThat(queuePair.state()).isEqualTo(ConnectionState.DRAINING);
        assertFlushedWith(queuePair.fetchAdd(SOMEWHERE, 1), EndedBy.LOCAL_APPLICATION);
        settle();
        assertThat(queuePair.counters().get(Counter.FPDUS_SENT)).isOne();
        assertThat(queuePair.closed()).isNotDone();
        respondToRead();
        assertThat(peer.expectOpcode()).isEqualTo(3);
        peer.expectEnd();
        assertThat(await(read).bytes()).isEqualTo(8);
        assertThat(await(behind).bytes()).isEqualTo(8);
        peer.close();
        assertThat(await(queuePair.closed()).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
    }

    private static void assertFlushedWith(CompletableFuture<?> post, EndedBy endedBy) {
        assertThatThrownBy(() -> await(post))
                .cause()
                .isInstanceOfSatisfying(
                        ConnectionClosedException.class,
                        ended -> assertThat(ended.reason().endedBy()).isEqualTo(endedBy));
    }

    /** A peer that has asked for more than its socket takes keeps this side draining until it reads. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusesRequestsAfterPeerCloseWithTheCloseReason(boolean outstanding) throws Exception {
        establish(QueuePairSettings.DEFAULT);
        CompletableFuture<Void> halfClosed = new CompletableFuture<>();
        queuePair.setCompletionListener((qp, completion) -> {}).setListener(new QueuePairListener() {
            @Override
            public void onInputShutdown(QueuePair qp) {
                halfClosed.complete(null);
            }
        });
        if (outstanding) {
            queuePair.read(region.slice(0, SOMEWHERE.length()), SOMEWHERE);
            assertThat(peer.expectOpcode()).isOne();
        }
        Segment[] reads = new Segment[16];
        for (int i = 0; i < reads.length; i++) {
            reads[i] = Segment.readRequest(i + 1, 7, 0, LENGTH, region.stag(), 0);
        }
        peer.sends(reads);
        peer.finish();
        await(halfClosed);
        settle();
        assertThat(queuePair.state()).isEqualTo(ConnectionState.DRAINING);
        CompletableFuture<Completion> future = queuePair.send(bytes);
        Throwable refused =
                catchThrowable(() -> queuePair.sendQueue().sendImmediate(1, new ImmediateData(1), PostOptions.NONE));
        queuePair.close();
        CompletableFuture<Completion> afterClose = queuePair.send(bytes);
        peer.expectAnythingUntilTheEnd();
        peer.close();
        CloseReason reason = await(queuePair.closed());
        assertThat(reason.endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        assertFlushed(List.of(future, afterClose), reason);
        assertThat(refused)
                .isInstanceOfSatisfying(
                        ConnectionClosedException.class,
                        closed -> assertThat(closed.reason()).isSameAs(reason));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement({"RDMAP-47", "DDP-50", "MPA-82"})
    void whatWaitsForAResponseIsFlushedAtOnceWhenThePeerClosesItsHalf(boolean closeWithPeer) throws Exception {
        establish(QueuePairSettings.builder().closeWithPeer(closeWithPeer).build());
        List<CompletableFuture<?>> posted = postAll();
        for (int opcode : new int[] {1, 0xa, 0xa, 1}) {
            assertThat(peer.expectOpcode()).isEqualTo(opcode);
        }
        peer.finish();
        CloseReason reason = await(queuePair.closed());
        assertThat(reason.endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        assertThat(reason.detail()).contains("4 Reads or atomics without a response");
        assertFlushed(posted, reason);
    }

    @Test
    @Requirement({"RDMAP-47"})
    void gracefulCloseFlushesOutstandingRequests() throws Exception {
        establish(QueuePairSettings.DEFAULT);
        List<CompletableFuture<?>> posted = postAll();
        queuePair.close();
        peer.finish();
        CloseReason reason = await(queuePair.closed());
        assertThat(reason.endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        assertThat(reason.detail()).contains("without a response");
        assertFlushed(posted, reason);
    }

    @Test
    @Requirement({"MPA-81", "MPA-82", "DDP-46", "DDP-47", "DDP-48"})
    void afterThePeersHalfCloseSendsGoOutAndAReadEndsTheStream() throws Exception {
        establish(QueuePairSettings.builder().closeWithPeer(false).build());
        CompletableFuture<Void> halfClosed = new CompletableFuture<>();
        queuePair.setListener(new QueuePairListener() {
            @Override
            public void onInputShutdown(QueuePair qp) {
                halfClosed.complete(null);
            }
        });
        peer.sends(Segment.readRequest(1, 7, 0, 8, region.stag(), 0));
        peer.finish();
        await(halfClosed);
        assertThat(queuePair.state()).isEqualTo(ConnectionState.READY);
        assertThat(peer.expectOpcode()).isEqualTo(2);
        await(queuePair.send(bytes));
        assertThat(peer.expectOpcode()).isEqualTo(3);
        await(queuePair.sendImmediate(new ImmediateData(5), PostOptions.FENCE));
        assertThat(peer.expectOpcode()).isEqualTo(8);
        assertFlushedWith(queuePair.read(region.slice(0, SOMEWHERE.length()), SOMEWHERE), EndedBy.PEER_CLOSED);
        assertThat(await(queuePair.closed()).detail()).contains(" 1 Read or atomic without a response");
    }

    @Test
    @Requirement({"RDMAP-47", "RDMAP-57"})
    void aPeerThatNeverRespondsIsTerminated() throws Exception {
        establish(QueuePairSettings.builder().responseTimeout(SHORT).build());
        List<CompletableFuture<?>> posted = postAll();
        for (int i = 0; i < 4; i++) {
            peer.expectUlpdu();
        }
        peer.expectTerminate("0000 0000");
        CloseReason reason = await(queuePair.closed());
        assertThat(reason.endedBy()).isEqualTo(EndedBy.TIMEOUT);
        assertThat(reason.detail()).contains("4 Reads or atomics").contains("PT0.2S");
        assertFlushed(posted, reason);
        assertThat(queuePair.state()).isEqualTo(ConnectionState.ERROR);
        peer.close();
        queuePair.channel().closeFuture().sync();
        settle();
        assertThat(queuePair.state()).isEqualTo(ConnectionState.CLOSED);
    }

    @Test
    @Requirement({"RDMAP-44", "RDMAP-47"})
    void aTerminateInAnOrderlyCloseIsTheReasonOfWhatItFlushes() throws Exception {
        establish(QueuePairSettings.DEFAULT);
        List<CompletableFuture<?>> posted = postAll();
        queuePair.close();
        peer.expectUlpdu();
        peer.sends(Segment.terminate(new byte[] {0x02, 0x06, 0, 0}));
        CloseReason reason = await(queuePair.closed());
        assertThat(reason.endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
        assertThat(reason.error()).isEqualTo(ProtocolError.RDMAP_UNEXPECTED_OPCODE);
        assertFlushed(posted, reason);
    }

    @Test
    @Requirement({"RDMAP-47", "RDMAP-56", "RDMAP-76"})
    void whateverIsPostedIsFlushedWithTheOneFirstCause() throws Exception {
        establish(QueuePairSettings.DEFAULT);
        List<CompletableFuture<?>> posted = postAll();
        peer.expectUlpdu();
        peer.sends(Segment.readResponse(1, 2, new byte[3]), Segment.terminate(new byte[] {0x02, 0x06, 0, 0}));
        CloseReason reason = await(queuePair.closed());
        assertThat(reason.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(reason.error()).isEqualTo(ProtocolError.DDP_TAGGED_INVALID_STAG);
        assertFlushed(posted, reason);
        assertThat(domain.device().regionCount())
                .as("the sink of the Read is registered no longer")
                .isOne();
    }

    /** The application must not touch a buffer that it posted; if it does, it learns what it did. */
    @Test
    @Requirement({"RDMAP-47"})
    void aReceiveWhoseBufferWasFilledMeanwhileIsFlushedLikeAllOthers() throws Exception {
        establish(QueuePairSettings.DEFAULT);
        bytes.clear();
        List<CompletableFuture<?>> posted = List.of(queuePair.receive(bytes), queuePair.receive(bytes));
        bytes.writeLong(1);
        Segment send = Segment.send(1, new byte[3]);
        peer.sends(send);
        peer.expectTerminate("1000 c000 0015" + HexFormat.of().formatHex(send.header()));
        CloseReason reason = await(queuePair.closed());
        assertThat(reason.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(reason.error()).isEqualTo(ProtocolError.DDP_LOCAL_CATASTROPHIC);
        assertThat(reason.detail())
                .contains("the buffer of RECEIVE 0")
                .contains("do not change it before the completion");
        assertFlushed(posted, reason);
        assertThat(bytes.refCnt()).isOne();
    }

    @Test
    void whateverIsPostedAfterTheEndFailsWithItsReason() throws Exception {
        establish(QueuePairSettings.DEFAULT);
        queuePair.abort();
        CloseReason reason = await(queuePair.closed());
        assertFlushed(postAll(), reason);
        queuePair.setCompletionListener((qp, completion) -> {});
        Stream.<Function<QueuePair, Runnable>>of(
                        qp -> () -> qp.sendQueue()
                                .read(1, bytes.clear(), SOMEWHERE.slice(0, bytes.writableBytes()), PostOptions.NONE),
                        qp -> () -> qp.sendQueue().read(1, region.slice(0, 8), SOMEWHERE.slice(0, 8), PostOptions.NONE),
                        qp -> () -> qp.sendQueue()
                                .fetchAdd(1, SOMEWHERE.slice(0, Long.BYTES), FetchAdd.add(1), PostOptions.NONE),
                        qp -> () -> qp.sendQueue().sendImmediate(1, new ImmediateData(1), PostOptions.NONE),
                        qp -> () -> qp.receiveQueue().receive(1, bytes))
                .forEach(post -> assertThatThrownBy(post.apply(queuePair)::run)
                        .isInstanceOfSatisfying(
                                ConnectionClosedException.class,
                                closed -> assertThat(closed.reason()).isSameAs(reason)));
        assertThat(domain.device().regionCount()).isOne();
    }
}
