package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.StreamEndedException;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import io.iwarp.rdmap.RdmapSettings;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two stacks over TCP loopback, seen through the verbs. */
class QueuePairTest {
    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();

    @AfterEach
    void release() throws Exception {
        loopback.close();
        domain.close();
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private static ByteBuf random(int length, long seed) {
        byte[] octets = new byte[length];
        new Random(seed).nextBytes(octets);
        return Unpooled.directBuffer(length).writeBytes(octets);
    }

    private static QueuePairSettings with(boolean markers, boolean crc) {
        return QueuePairSettings.builder()
                .mpa(MpaSettings.builder().requestMarkers(markers).crc(crc).build())
                .build();
    }

    @ParameterizedTest
    @CsvSource({
        "false,true,false,true",
        "true,true,true,true",
        "true,true,false,true",
        "false,true,true,false",
        "false,false,false,false",
        "true,false,true,false"
    })
    @Requirement({
        "MPA-16",
        "MPA-35",
        "MPA-36",
        "MPA-56",
        "RDMAP-1",
        "RDMAP-36",
        "RDMAP-62",
        "DDP-26",
        "DDP-27",
        "DDP-41"
    })
    void aWriteIsInPlaceWhenTheSendBehindItArrives(
            boolean initiatorMarkers, boolean initiatorCrc, boolean responderMarkers, boolean responderCrc)
            throws Exception {
        int length = 1_000_001;
        ByteBuf source = random(length, 1);
        MemoryRegion region = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, length)
                .baseTaggedOffset(0xffff_ffff_0000_0000L)
                .rights(AccessRight.REMOTE_WRITE)
                .register();
        ByteBuf sink = Unpooled.directBuffer(16, 16);
        CompletableFuture<Boolean> equal = new CompletableFuture<>();
        SocketAddress address = loopback.accept(domain, with(responderMarkers, responderCrc), queuePair -> {
            queuePair.completionListener((qp, completion) -> {
                ByteBuf placed = region.span().bufferAt(0);
                equal.complete(
                        completion.successful() && placed.slice(0, length).equals(source));
            });
            queuePair.receive(7, sink);
        });
        QueuePair initiator = loopback.connect(address, domain, with(initiatorMarkers, initiatorCrc), qp -> {});
        CompletableFuture<Completion> written = initiator.write(source, region.remoteBuffer());
        ByteBuf done = text("done");
        CompletableFuture<Completion> sent = initiator.send(done);
        assertThat(await(equal)).isTrue();
        assertThat(await(written).octets()).isEqualTo(length);
        assertThat(await(sent).octets()).isEqualTo(4);
        assertThat(sink.toString(StandardCharsets.UTF_8)).isEqualTo("done");
        assertThat(initiator.counters().get(Counter.MARKERS_SENT) > 0).isEqualTo(responderMarkers);
        initiator.close();
        await(initiator.closed());
        await(loopback.nextAccepted().closed());
        region.close();
        for (ByteBuf buffer : new ByteBuf[] {source, sink, done}) {
            assertThat(buffer.release()).isTrue();
        }
    }

    @Test
    @Requirement({"RDMAP-13", "RDMAP-33", "RDMAP-34", "RDMAP-36", "RDMAP-66", "RDMAP-68", "DDP-33", "DDP-36"})
    void messagesArriveInOrderEachInItsReceiveAndEmptyOnesToo() throws Exception {
        int count = 500;
        List<ByteBuf> sinks = new ArrayList<>();
        List<Long> received = new ArrayList<>();
        CompletableFuture<Void> all = new CompletableFuture<>();
        QueuePairSettings deep = QueuePairSettings.builder()
                .receiveQueueDepth(count)
                .sendQueueDepth(count)
                .build();
        SocketAddress address = loopback.accept(domain, deep, queuePair -> {
            queuePair.completionListener((qp, completion) -> {
                if (completion.successful()) {
                    received.add(completion.workRequestId() << 32 | completion.octets());
                    if (received.size() == count) {
                        all.complete(null);
                    }
                }
            });
            for (int i = 0; i < count; i++) {
                ByteBuf sink = Unpooled.directBuffer(count, count);
                sinks.add(sink);
                queuePair.receive(i, sink);
            }
        });
        List<Long> sent = new ArrayList<>();
        QueuePair initiator = loopback.connect(
                address,
                domain,
                deep,
                qp -> qp.completionListener((same, completion) -> sent.add(completion.workRequestId())));
        ByteBuf message = random(count, 2);
        for (int i = 0; i < count; i++) {
            initiator.send(i, message.slice(0, i));
        }
        await(all);
        initiator.close();
        await(initiator.closed());
        for (int i = 0; i < count; i++) {
            assertThat(received.get(i)).isEqualTo((long) i << 32 | i);
            assertThat(sent.get(i)).isEqualTo(i);
            assertThat(sinks.get(i)).isEqualTo(message.slice(0, i));
        }
        message.release();
        sinks.forEach(ByteBuf::release);
    }

    @Test
    @Requirement("MPA-72")
    void aRespondersSendWaitsForTheFirstFpduOfTheInitiator() throws Exception {
        ByteBuf greeting = text("hello");
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, queuePair -> {
            queuePair.completionListener((qp, completion) -> {});
            queuePair.send(1, greeting);
        });
        try (ScriptedPeer peer = ScriptedPeer.established(address)) {
            QueuePair responder = loopback.nextAccepted();
            assertThat(responder.state()).isEqualTo(QueuePairState.INIT);
            assertThat(responder.counters().get(Counter.FPDUS_SENT)).isZero();
            peer.sends(Segment.write(0, 0, new byte[0]));
            assertThat(peer.expectUlpdu())
                    .isEqualTo(Segment.send(1, "hello".getBytes(StandardCharsets.UTF_8))
                            .ulpdu());
            assertThat(responder.state()).isEqualTo(QueuePairState.READY);
            peer.finish();
            peer.expectEnd();
        }
        greeting.release();
    }

    @Test
    @Requirement({"MPA-61", "MPA-63", "MPA-67", "MPA-68"})
    void privateDataTravelsBothWaysAndARejectionCarriesItsReason() throws Exception {
        for (int length : new int[] {0, 1, 512}) {
            byte[] question = new byte[length];
            new Random(length).nextBytes(question);
            SocketAddress address = loopback.listen(domain, QueuePairSettings.DEFAULT, request -> {
                if (request.privateData().length == 1) {
                    request.reject(request.privateData());
                } else {
                    request.accept(request.privateData());
                }
            });
            IwarpChannelInitializer initializer =
                    IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, question, qp -> {});
            CompletableFuture<QueuePair> connecting =
                    new IwarpConnector(loopback.bootstrap(), initializer).connect(address);
            if (length == 1) {
                assertThatThrownBy(() -> await(connecting))
                        .isInstanceOf(ExecutionException.class)
                        .cause()
                        .isInstanceOfSatisfying(
                                ConnectionRejectedException.class,
                                rejected -> assertThat(rejected.privateData()).isEqualTo(question));
            } else {
                QueuePair queuePair = await(connecting);
                assertThat(queuePair.parameters().peerPrivateData()).isEqualTo(question);
                queuePair.close();
                await(queuePair.closed());
            }
        }
        assertThatThrownBy(() ->
                        IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, new byte[513], qp -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("512");
    }

    @Test
    void aRequestMayBeAnsweredLaterFromAnotherThread() throws Exception {
        ExecutorService decider = Executors.newSingleThreadExecutor();
        SocketAddress address =
                loopback.listen(domain, QueuePairSettings.DEFAULT, request -> decider.execute(request::accept));
        QueuePair queuePair = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        assertThat(queuePair.state()).isEqualTo(QueuePairState.READY);
        queuePair.close();
        await(queuePair.closed());
        decider.shutdown();
    }

    @Test
    @Requirement({"MPA-75"})
    void anUnansweredRequestTimesOutOnBothSides() throws Exception {
        QueuePairSettings impatient = QueuePairSettings.builder()
                .mpa(MpaSettings.builder()
                        .startupTimeout(Duration.ofMillis(200))
                        .build())
                .build();
        CompletableFuture<CloseReason> forgotten = new CompletableFuture<>();
        SocketAddress address = loopback.listen(
                domain, impatient, request -> request.queuePair().closed().thenAccept(forgotten::complete));
        IwarpChannelInitializer initializer =
                IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, new byte[0], qp -> {});
        CompletableFuture<QueuePair> connecting =
                new IwarpConnector(loopback.bootstrap(), initializer).connect(address);
        assertThat(await(forgotten).endedBy()).isEqualTo(EndedBy.TIMEOUT);
        assertThatThrownBy(() -> await(connecting)).cause().isInstanceOf(StreamEndedException.class);
    }

    @Test
    void postingBeyondTheDepthFailsAtTheCall() throws Exception {
        QueuePairSettings shallow = QueuePairSettings.builder()
                .sendQueueDepth(2)
                .receiveQueueDepth(3)
                .build();
        ByteBuf sink = Unpooled.directBuffer(8, 8);
        SocketAddress address = loopback.accept(domain, shallow, queuePair -> {
            queuePair.completionListener((qp, completion) -> {});
            queuePair.send(1, Unpooled.EMPTY_BUFFER);
            queuePair.send(2, Unpooled.EMPTY_BUFFER);
            assertThatThrownBy(() -> queuePair.send(3, sink))
                    .isInstanceOf(QueueFullException.class)
                    .hasMessageContaining("send queue holds 2");
            queuePair.receive(1, sink);
            queuePair.receive(2, sink);
            queuePair.receive(3, sink);
            assertThatThrownBy(() -> queuePair.receive(4, sink))
                    .isInstanceOf(QueueFullException.class)
                    .hasMessageContaining("receive queue holds 3");
        });
        QueuePair initiator = loopback.connect(address, domain, shallow, qp -> {});
        assertThatThrownBy(() -> initiator.send(1, Unpooled.EMPTY_BUFFER))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("completion listener");
        initiator.abort();
        await(initiator.closed());
        initiator.completionListener((qp, completion) -> {});
        assertThatThrownBy(() -> initiator.send(1, Unpooled.EMPTY_BUFFER))
                .isInstanceOf(QueuePairClosedException.class)
                .hasMessageContaining("aborted by the application");
        assertThat(initiator.send(Unpooled.EMPTY_BUFFER))
                .failsWithin(Duration.ofSeconds(1))
                .withThrowableThat()
                .withCauseInstanceOf(StreamEndedException.class);
        await(loopback.nextAccepted().closed());
        assertThat(sink.refCnt()).isOne();
        sink.release();
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
        QueuePairSettings impatient = QueuePairSettings.builder()
                .rdmap(RdmapSettings.DEFAULT.withCloseTimeout(Duration.ofMillis(100)))
                .build();
        QueuePair initiator = loopback.connect(address, domain, impatient, qp -> {});
        CompletableFuture<Completion> written = initiator.write(source, target.remoteBuffer());
        initiator.close();
        assertThat(initiator.send(Unpooled.EMPTY_BUFFER)).isCompletedExceptionally();
        assertThat(await(initiator.closed()).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThat(await(written).octets()).isEqualTo(length);
        assertThat(await(loopback.nextAccepted().closed()).endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        assertThat(target.span().bufferAt(length - 4).getInt(length - 4)).isEqualTo(0xcafebabe);
        target.close();
        source.release();
    }

    @Test
    @Requirement({"MPA-81", "MPA-82", "DDP-46", "DDP-47", "DDP-48"})
    void afterThePeersHalfCloseThisSideGoesOnSending() throws Exception {
        QueuePairSettings staysOpen =
                QueuePairSettings.builder().closeWithPeer(false).build();
        CompletableFuture<QueuePair> halfClosed = new CompletableFuture<>();
        SocketAddress address = loopback.accept(
                domain,
                staysOpen,
                queuePair -> queuePair.listener(new QueuePairListener() {
                    @Override
                    public void onPeerClosedHalf(QueuePair qp) {
                        halfClosed.complete(qp);
                    }
                }));
        try (ScriptedPeer peer = ScriptedPeer.established(address)) {
            peer.sends(Segment.write(0, 0, new byte[0]));
            peer.finish();
            QueuePair responder = await(halfClosed);
            ByteBuf farewell = text("bye");
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
    @Requirement({"RDMAP-61", "RDMAP-67", "DDP-40", "MPA-50", "DDP-3", "DDP-50"})
    void aWriteIsNotCompleteBeforeTheTransportTookItAndIsFlushedWithTheFirstCause() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<ScriptedPeer> deafPeer = CompletableFuture.supplyAsync(() -> answerOnly(server));
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
                                StreamEndedException.class,
                                ended -> assertThat(ended.reason()).isEqualTo(reason));
            }
            assertThat(source.release()).isTrue();
        }
    }

    @Test
    @Requirement("RDMAP-12")
    void aWriteIsNotReportedToItsTarget() throws Exception {
        MemoryRegion target = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, 8)
                .rights(AccessRight.REMOTE_WRITE)
                .register();
        ByteBuf sink = Unpooled.directBuffer(8, 8);
        List<String> reported = new ArrayList<>();
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, queuePair -> {
            queuePair.completionListener((qp, completion) -> reported.add(completion.toString()));
            queuePair.receive(1, sink);
        });
        QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        ByteBuf eight = random(8, 3);
        await(initiator.write(eight, target.remoteBuffer()));
        await(initiator.send(eight));
        initiator.close();
        await(loopback.nextAccepted().closed());
        assertThat(reported).containsExactly("RECEIVE 1, 8 octets");
        assertThat(sink).isEqualTo(eight);
        target.close();
        eight.release();
        sink.release();
    }

    @Test
    void aConnectionThatCannotBeMadeLeavesNothingBehind() throws Exception {
        SocketAddress nobodyListens;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobodyListens = server.getLocalSocketAddress();
        }
        QueuePair[] prepared = new QueuePair[1];
        assertThatThrownBy(() -> loopback.connect(
                        nobodyListens, domain, QueuePairSettings.DEFAULT, queuePair -> prepared[0] = queuePair))
                .cause()
                .isInstanceOf(ConnectException.class);
        assertThat(await(prepared[0].closed()).endedBy()).isEqualTo(EndedBy.TRANSPORT);
    }

    @Test
    void aFailureToPrepareIsWhatTheConnectorReports() throws Exception {
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        assertThatThrownBy(() -> loopback.connect(address, domain, QueuePairSettings.DEFAULT, queuePair -> {
                    throw new UnsupportedOperationException("no memory for receives");
                }))
                .cause()
                .isInstanceOf(StreamEndedException.class)
                .hasMessageContaining("no memory for receives");
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
                                if (queuePair.state() == QueuePairState.READY) {
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
    @Requirement("RDMAP-71")
    void octetsThatAreNoRdmaMessageAreRefused() throws Exception {
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        ByteBuf raw = text("raw");
        assertThat(initiator.channel().writeAndFlush(raw).await().cause())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("post it as an operation");
        assertThat(raw.refCnt()).isZero();
        initiator.close();
        await(initiator.closed());
    }

    @Test
    @Requirement({"MPA-18", "MPA-51"})
    void aPreAgreedStartNeedsNoFrames() throws Exception {
        QueuePairSettings preAgreed = QueuePairSettings.builder()
                .mpa(MpaSettings.builder()
                        .start(StartMode.PREAGREED)
                        .requestMarkers(true)
                        .build())
                .build();
        assertThatThrownBy(() -> IwarpChannelInitializer.responder(domain, preAgreed, request -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("initiator");
        ByteBuf sink = Unpooled.directBuffer(8, 8);
        CompletableFuture<Long> received = new CompletableFuture<>();
        IwarpChannelInitializer bothSides =
                IwarpChannelInitializer.initiator(domain, preAgreed, new byte[0], queuePair -> {
                    queuePair.completionListener((qp, completion) -> received.complete(completion.octets()));
                    queuePair.receive(1, sink);
                });
        IwarpListener listener = await(IwarpListener.listen(
                loopback.serverBootstrap(), bothSides, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
        QueuePair initiator = loopback.connect(listener.localAddress(), domain, preAgreed, qp -> {});
        ByteBuf message = text("at once");
        await(initiator.send(message));
        assertThat(await(received)).isEqualTo(7);
        assertThat(sink).isEqualTo(message);
        assertThat(initiator.counters().get(Counter.MARKERS_SENT)).isOne();
        initiator.close();
        await(initiator.closed());
        listener.close();
        message.release();
        sink.release();
    }

    @Test
    void aPeerThatTakesNothingCannotHoldAnOrderlyCloseForEver() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<ScriptedPeer> deafPeer = CompletableFuture.supplyAsync(() -> answerOnly(server));
            QueuePairSettings impatient = QueuePairSettings.builder()
                    .rdmap(RdmapSettings.DEFAULT.withCloseTimeout(Duration.ofMillis(200)))
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

    private static ScriptedPeer answerOnly(ServerSocket server) {
        try {
            ScriptedPeer peer = new ScriptedPeer(server.accept());
            peer.sends(ScriptedPeer.startupFrame("MPA ID Rep Frame", 0x40));
            return peer;
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** The race of a post with the end, made certain: its slot is claimed before the end and published after it. */
    @Test
    void aPostThatCrossesTheEndOfTheStreamIsFlushed() throws Exception {
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        WorkRequest late = initiator.engine().claimSend(0);
        ReceiveRequest lateReceive = initiator.engine().claimReceive();
        initiator.abort();
        CloseReason reason = await(initiator.closed());
        CompletableFuture<CloseReason> sendFlushed = new CompletableFuture<>();
        CompletableFuture<CloseReason> receiveFlushed = new CompletableFuture<>();
        late.send(false);
        initiator
                .engine()
                .publish(late.set(1, Operation.SEND, (qp, completion) -> sendFlushed.complete(completion.failure())));
        initiator
                .engine()
                .publish(lateReceive.set(2, (qp, completion) -> receiveFlushed.complete(completion.failure())));
        assertThat(await(sendFlushed)).isEqualTo(reason);
        assertThat(await(receiveFlushed)).isEqualTo(reason);
    }

    @Test
    void everyPostOfManyThreadsCompletesOnceAlsoWhenTheStreamEndsMeanwhile() throws Exception {
        int threads = 2;
        for (int round = 0; round < 10; round++) {
            SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
            AtomicLong completions = new AtomicLong();
            QueuePair initiator = loopback.connect(
                    address,
                    domain,
                    QueuePairSettings.DEFAULT,
                    qp -> qp.completionListener((same, completion) -> completions.incrementAndGet()));
            ExecutorService executor = Executors.newFixedThreadPool(threads);
            List<Future<Long>> posters = new ArrayList<>();
            ByteBuf octets = Unpooled.directBuffer(1, 1);
            for (int t = 0; t < threads; t++) {
                posters.add(executor.submit(() -> postUntilClosed(initiator, octets)));
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
            assertThat(octets.refCnt()).isOne();
            octets.release();
        }
    }

    /** Zero-length Writes to an STag that nobody knows are legal and harmless. */
    private static long postUntilClosed(QueuePair queuePair, ByteBuf octets) {
        long posted = 0;
        while (true) {
            try {
                queuePair.write(posted, octets, 1, 0);
                posted++;
            } catch (QueueFullException full) {
                Thread.onSpinWait();
            } catch (IllegalStateException closed) {
                return posted;
            }
        }
    }
}
