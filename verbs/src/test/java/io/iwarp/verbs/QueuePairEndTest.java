package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionState;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
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
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How connections end while there is work under way: what is sent, what is flushed, and why. */
class QueuePairEndTest {
    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();

    @AfterEach
    void release() throws Exception {
        loopback.close();
        domain.close();
    }

    @Test
    @Requirement({"DDP-43", "DDP-44", "DDP-48"})
    void anOrderlyCloseSendsEverythingPostedFirst() throws Exception {
        int length = 100 << 20;
        MemoryRegion target = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, length)
                .rights(AccessRight.REMOTE_WRITE)
                .register();
        ByteBuf source = Unpooled.directBuffer(length, length).writeZero(length);
        source.setInt(length - 4, 0xcafebabe);
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        CompletableFuture<Completion> written = initiator.write(source, target.remoteBuffer());
        initiator.close();
        assertThat(initiator.send(Unpooled.EMPTY_BUFFER)).isCompletedExceptionally();
        assertThat(await(initiator.closed()).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThat(await(written).bytes()).isEqualTo(length);
        assertThat(await(loopback.nextAccepted().closed()).endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        ByteBuf end = target.view(length - 4, 4);
        assertThat(end.readInt()).isEqualTo(0xcafebabe);
        end.release();
        target.close();
        source.release();
    }

    @Test
    @Requirement({"MPA-81", "MPA-82", "DDP-46", "DDP-47", "DDP-48"})
    void afterThePeersHalfCloseThisSideKeepsSending() throws Exception {
        QueuePairSettings staysOpen =
                QueuePairSettings.builder().closeWithPeer(false).build();
        CompletableFuture<QueuePair> halfClosed = new CompletableFuture<>();
        SocketAddress address = loopback.accept(
                domain,
                staysOpen,
                queuePair -> queuePair.setListener(new QueuePairListener() {
                    @Override
                    public void onInputShutdown(QueuePair qp) {
                        halfClosed.complete(qp);
                    }
                }));
        try (SocketPeer peer = SocketPeer.established(address)) {
            peer.sends(Segment.write(0, 0, new byte[0]));
            peer.finish();
            QueuePair responder = await(halfClosed);
            ByteBuf farewell = Unpooled.copiedBuffer("bye", StandardCharsets.UTF_8);
            await(responder.send(farewell));
            farewell.release();
            assertThat(peer.expectUlpdu())
                    .isEqualTo(Segment.send(1, "bye".getBytes(StandardCharsets.UTF_8))
                            .ulpdu());
            responder.close();
            peer.expectEnd();
            assertThat(await(responder.closed()).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        }
    }

    @Test
    @Requirement("MPA-83")
    void aFinInsideAnFpduLeavesNoSocketBehind() throws Exception {
        QueuePairSettings patient =
                QueuePairSettings.builder().closeTimeout(Duration.ofHours(1)).build();
        SocketAddress address = loopback.accept(domain, patient, queuePair -> {});
        try (SocketPeer peer = SocketPeer.established(address)) {
            peer.sends(Segment.write(0, 0, new byte[0]));
            peer.sends(new byte[] {0, 14, 0});
            peer.finish();
            QueuePair responder = loopback.nextAccepted();
            assertThat(await(responder.closed()).error()).isEqualTo(ProtocolError.MPA_CONNECTION_LOST);
            assertThat(responder.channel().closeFuture().await(1, TimeUnit.MINUTES))
                    .as("the socket is closed before the close timeout")
                    .isTrue();
        }
    }

    @Test
    @Requirement({"RDMAP-61", "RDMAP-67", "DDP-40", "MPA-50", "DDP-3", "DDP-50"})
    void writeCompletesOnceTakenElseFlushesWithFirstCause() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<SocketPeer> deafPeer = SocketPeer.accepting(server);
            QueuePair initiator =
                    loopback.connect(server.getLocalSocketAddress(), domain, QueuePairSettings.DEFAULT, qp -> {});
            int length = 64 << 20;
            ByteBuf source = Unpooled.directBuffer(length, length).writerIndex(length);
            RemoteBuffer somewhere = new RemoteBuffer(0x1234, 0, length);
            CompletableFuture<Completion> small = initiator.write(source.slice(0, 4), somewhere);
            await(small);
            CompletableFuture<Completion> large = initiator.write(source, somewhere);
            CompletableFuture<Completion> behind = initiator.send(Unpooled.EMPTY_BUFFER);
            await(deafPeer).reset();
            CloseReason reason = await(initiator.closed());
            assertThat(reason.endedBy()).isEqualTo(EndedBy.TRANSPORT);
            for (CompletableFuture<Completion> flushed : List.of(large, behind)) {
                assertThatThrownBy(() -> await(flushed))
                        .cause()
                        .isInstanceOfSatisfying(
                                ConnectionClosedException.class,
                                ended -> assertThat(ended.reason()).isEqualTo(reason));
            }
            assertThat(source.release()).isTrue();
        }
    }

    @Test
    @Requirement("MPA-77")
    void anApplicationCanLoseItsPatienceWithASilentPeer() throws Exception {
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        IwarpChannelInitializer initializer = IwarpChannelInitializer.initiator(
                        domain, QueuePairSettings.DEFAULT, new byte[0], qp -> {})
                .withTransportHandlers(pipeline ->
                        pipeline.addLast(new IdleStateHandler(100, 0, 0, TimeUnit.MILLISECONDS) {
                            @Override
                            protected void channelIdle(ChannelHandlerContext ctx, IdleStateEvent event) {
                                QueuePair queuePair = IwarpChannelInitializer.queuePair(ctx.channel());
                                if (queuePair.state() == ConnectionState.READY) {
                                    queuePair.abort();
                                }
                            }
                        }));
        QueuePair initiator = await(new IwarpConnector(loopback.bootstrap(), initializer).connect(address));
        CompletableFuture<Completion> reply = initiator.receive(Unpooled.EMPTY_BUFFER);
        assertThat(await(initiator.closed()).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThat(reply).isCompletedExceptionally();
    }

    @Test
    void aPeerThatTakesNothingCannotHoldAnOrderlyCloseForever() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<SocketPeer> deafPeer = SocketPeer.accepting(server);
            QueuePairSettings impatient = QueuePairSettings.builder()
                    .closeTimeout(Duration.ofMillis(200))
                    .build();
            QueuePair initiator = loopback.connect(server.getLocalSocketAddress(), domain, impatient, qp -> {});
            int length = 64 << 20;
            ByteBuf source = Unpooled.directBuffer(length, length).writerIndex(length);
            CompletableFuture<Completion> large = initiator.write(source, new RemoteBuffer(0x1234, 0, length));
            initiator.close();
            await(initiator.closed());
            assertThat(large).isCompletedExceptionally();
            await(deafPeer).close();
            source.release();
        }
    }

    /** The race of a post with the end, made certain: its slot is claimed before the end and published after it. */
    @Test
    void aPostThatCrossesTheEndOfTheStreamIsFlushed() throws Exception {
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        WorkRequest late = initiator.engine().requests().claim(0, PostOptions.NONE, (completion, place) -> {});
        ReceiveRequest lateReceive = initiator.engine().receiveSide().claim();
        initiator.abort();
        CloseReason reason = await(initiator.closed());
        CompletableFuture<CloseReason> sendFlushed = new CompletableFuture<>();
        CompletableFuture<CloseReason> receiveFlushed = new CompletableFuture<>();
        late.send(false);
        initiator
                .engine()
                .requests()
                .publish(
                        late,
                        1,
                        Operation.SEND,
                        PostOptions.NONE,
                        (completion, place) -> sendFlushed.complete(completion.failure()));
        initiator
                .engine()
                .receiveSide()
                .publish(lateReceive.set(2, (completion, place) -> receiveFlushed.complete(completion.failure())));
        assertThat(await(sendFlushed)).isEqualTo(reason);
        assertThat(await(receiveFlushed)).isEqualTo(reason);
    }

    @Test
    void concurrentPostsCompleteOnceDespiteTheEnd() throws Exception {
        int threads = 2;
        for (int round = 0; round < 10; round++) {
            SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
            AtomicLong completions = new AtomicLong();
            QueuePair initiator = loopback.connect(
                    address,
                    domain,
                    QueuePairSettings.DEFAULT,
                    qp -> qp.setCompletionListener((same, completion) -> completions.incrementAndGet()));
            ExecutorService executor = Executors.newFixedThreadPool(threads);
            List<Future<Long>> posters = new ArrayList<>();
            ByteBuf bytes = Unpooled.directBuffer(1, 1);
            for (int t = 0; t < threads; t++) {
                posters.add(executor.submit(() -> postUntilClosed(initiator, bytes)));
            }
            QueuePair responder = loopback.nextAccepted();
            await(responder.ready());
            responder.abort();
            await(initiator.closed());
            long posted = 0;
            for (Future<Long> poster : posters) {
                posted += poster.get();
            }
            CompletableFuture<Void> loopIsIdle = new CompletableFuture<>();
            initiator.channel().eventLoop().execute(() -> loopIsIdle.complete(null));
            await(loopIsIdle);
            assertThat(completions.get()).isEqualTo(posted);
            executor.shutdown();
            assertThat(bytes.refCnt()).isOne();
            bytes.release();
        }
    }

    /** Zero-length Writes to an STag that the peer does not know are legal and harmless. */
    private static long postUntilClosed(QueuePair queuePair, ByteBuf bytes) {
        RemoteBuffer somewhere = new RemoteBuffer(1, 0, 0);
        long posted = 0;
        while (true) {
            try {
                queuePair.sendQueue().write(posted, bytes, somewhere);
                posted++;
            } catch (QueueFullException full) {
                Thread.onSpinWait();
            } catch (ConnectionClosedException closed) {
                return posted;
            }
        }
    }
}
