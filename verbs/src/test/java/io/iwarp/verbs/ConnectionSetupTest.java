package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import io.iwarp.testing.RefusingPort;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How connections begin, seen by applications on both sides. */
class ConnectionSetupTest {
    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();

    @AfterEach
    void release() throws Exception {
        loopback.close();
        domain.close();
    }

    @Test
    @Requirement("MPA-72")
    void aRespondersSendWaitsForTheFirstFpduOfTheInitiator() throws Exception {
        ByteBuf greeting = Unpooled.copiedBuffer("hello", StandardCharsets.UTF_8);
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, queuePair -> {
            queuePair.setCompletionListener((qp, completion) -> {});
            queuePair.sendQueue().send(1, greeting);
        });
        try (SocketPeer peer = SocketPeer.established(address)) {
            QueuePair responder = loopback.nextAccepted();
            await().untilAsserted(() -> assertThat(responder.state()).isEqualTo(ConnectionState.ESTABLISHED));
            assertThat(responder.counters().get(Counter.FPDUS_SENT)).isZero();
            peer.sends(Segment.write(0, 0, new byte[0]));
            assertThat(peer.expectUlpdu())
                    .isEqualTo(Segment.send(1, "hello".getBytes(StandardCharsets.UTF_8))
                            .ulpdu());
            assertThat(responder.state()).isEqualTo(ConnectionState.READY);
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
    void theMemoryThatAResponderAdvertisesIsKnownToTheInitiator() throws Exception {
        RemoteBuffer first = new RemoteBuffer(1, 2, 3);
        RemoteBuffer second = new RemoteBuffer(-1, 0, 1L << 40);
        CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
        SocketAddress address = loopback.listen(domain, QueuePairSettings.DEFAULT, request -> {
            QueuePair queuePair = request.queuePair();
            assertThatThrownBy(queuePair::remoteBuffers)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has not arrived");
            assertThatThrownBy(() -> request.accept(
                            first, Collections.nCopies(25, second).toArray(new RemoteBuffer[0])))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("528");
            request.accept(first, second);
            accepted.complete(queuePair);
        });
        QueuePair initiator = await(
                new IwarpConnector(loopback.bootstrap(), IwarpChannelInitializer.initiator(domain)).connect(address));
        assertThat(initiator.remoteBuffers()).containsExactly(first, second);
        assertThat(await(accepted).remoteBuffers()).isEmpty();
    }

    @Test
    void privateDataOfAnotherKindIsNoMemory() throws Exception {
        SocketAddress address =
                loopback.listen(domain, QueuePairSettings.DEFAULT, request -> request.accept(new byte[7]));
        QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        assertThatThrownBy(initiator::remoteBuffers)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("7 bytes are not encoded remote buffers");
    }

    @Test
    void aRequestMayBeAcceptedLaterFromAnotherThread() throws Exception {
        ExecutorService decider = Executors.newSingleThreadExecutor();
        SocketAddress address =
                loopback.listen(domain, QueuePairSettings.DEFAULT, request -> decider.execute(request::accept));
        QueuePair queuePair = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        assertThat(queuePair.state()).isEqualTo(ConnectionState.READY);
        queuePair.close();
        await(queuePair.closed());
        decider.shutdown();
    }

    @Test
    @Requirement({"MPA-75"})
    void aRequestWithoutAReplyTimesOutOnBothSides() throws Exception {
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
        assertThatThrownBy(() -> await(connecting)).cause().isInstanceOf(ConnectionClosedException.class);
    }

    @Test
    void aConnectionThatCannotBeMadeLeavesNothingBehind() throws Exception {
        QueuePair[] prepared = new QueuePair[1];
        try (RefusingPort port = new RefusingPort()) {
            assertThatThrownBy(() -> loopback.connect(
                            port.address(), domain, QueuePairSettings.DEFAULT, queuePair -> prepared[0] = queuePair))
                    .cause()
                    .isInstanceOf(ConnectionClosedException.class)
                    .hasCauseInstanceOf(ConnectException.class);
        }
        assertThat(await(prepared[0].closed()).endedBy()).isEqualTo(EndedBy.TRANSPORT);
    }

    @Test
    void aFailureToPrepareIsWhatTheConnectorReports() throws Exception {
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        assertThatThrownBy(() -> loopback.connect(address, domain, QueuePairSettings.DEFAULT, queuePair -> {
                    throw new UnsupportedOperationException("no memory for receives");
                }))
                .cause()
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("no memory for receives");
    }

    /** Netty sets it by default, so both ends turn it off. */
    @Test
    @Requirement("MPA-46")
    void noEndWaitsForFullSegments() throws Exception {
        CompletableFuture<QueuePair> responder = new CompletableFuture<>();
        IwarpListener listener = await(IwarpListener.listen(
                loopback.serverBootstrap().childOption(ChannelOption.TCP_NODELAY, false),
                IwarpChannelInitializer.responder(domain, QueuePairSettings.DEFAULT, request -> {
                    responder.complete(request.queuePair());
                    request.accept();
                }),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
        IwarpChannelInitializer initializer =
                IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, new byte[0], qp -> {});
        QueuePair initiator =
                await(new IwarpConnector(loopback.bootstrap().option(ChannelOption.TCP_NODELAY, false), initializer)
                        .connect(listener.localAddress()));
        for (QueuePair end : List.of(initiator, await(responder))) {
            assertThat(end.channel().config().getOption(ChannelOption.TCP_NODELAY))
                    .isTrue();
        }
        initiator.close();
        await(initiator.closed());
        listener.close();
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
                    queuePair.setCompletionListener((qp, completion) -> received.complete(completion.bytes()));
                    queuePair.receiveQueue().receive(1, sink);
                });
        IwarpListener listener = await(IwarpListener.listen(
                loopback.serverBootstrap(), bothSides, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
        QueuePair initiator = loopback.connect(listener.localAddress(), domain, preAgreed, qp -> {});
        ByteBuf message = Unpooled.copiedBuffer("at once", StandardCharsets.UTF_8);
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
}
