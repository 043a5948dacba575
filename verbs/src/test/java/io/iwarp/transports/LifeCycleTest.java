package io.iwarp.transports;

import static io.iwarp.transports.Server.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.ImmediateData;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How a server ends, how a quiet connection ends or is kept, and that nothing is left of either. */
class LifeCycleTest {
    private static final Duration AGES = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(50);

    private Server server;

    static Stream<Arguments> places() {
        return Stream.of(Transport.NIO, Transport.EPOLL, Transport.IO_URING, Transport.LOCAL)
                .filter(transport -> transport.unavailabilityCause() == null)
                .flatMap(transport -> Stream.of(Security.NONE, Security.TLS_1_3, Security.TLS_1_2)
                        .map(security -> Arguments.of(transport, security)));
    }

    @AfterEach
    void close() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void aServerThatShutsDownFinishesWhatWasPosted(Transport transport, Security security) throws Exception {
        List<QueuePair> accepted = new ArrayList<>();
        CompletableFuture<CompletableFuture<Completion>> sent = new CompletableFuture<>();
        ByteBuf question = Unpooled.directBuffer(4, 4);
        ByteBuf response = Unpooled.directBuffer(8, 8);
        server = new Server(transport, QueuePairSettings.DEFAULT, security.responder(), request -> {
            accepted.add(request.queuePair());
            request.queuePair().receive(question).thenRun(() -> {
                sent.complete(request.queuePair().send(Unpooled.copyLong(42)));
                server.listener().shutdownGracefully(AGES);
            });
            request.accept();
        });
        QueuePair initiator = await(server.connect(security.initiator()));
        assertThat(server.listener().connections()).isOne();
        CompletableFuture<Completion> received = initiator.receive(response);
        await(initiator.send(Unpooled.copyInt(1)));
        assertThat(await(received).bytes()).isEqualTo(Long.BYTES);
        assertThat(await(await(sent)).successful()).isTrue();
        await(server.listener().shutdownGracefully(AGES));
        assertThat(server.listener().connections()).isZero();
        assertThat(accepted.get(0).channel().isOpen()).isFalse();
        assertThat(await(initiator.closed()).endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        assertThatThrownBy(() -> await(server.connect(security.initiator()))).isNotNull();
        assertThat(server.timers()).isZero();
        question.release();
        response.release();
    }

    @ParameterizedTest
    @MethodSource("places")
    void theDeadlineCutsOffAPeerThatDoesNotClose(Transport transport, Security security) throws Exception {
        QueuePairSettings stubborn =
                QueuePairSettings.builder().closeWithPeer(false).build();
        CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
        server = new Server(transport, stubborn, security.responder(), request -> {
            accepted.complete(request.queuePair());
            request.accept();
        });
        QueuePair initiator = await(server.connect(security.initiator()));
        await(initiator.send(Unpooled.EMPTY_BUFFER).handle((completion, failure) -> completion));
        await(server.listener().shutdownGracefully(SHORT));
        assertThat(await(accepted).channel().isOpen()).isFalse();
        // If it saw the half-close before, it does not see the cut, which sends nothing more.
        initiator.abort();
        await(initiator.closed());
        initiator.channel().closeFuture().sync();
        assertThat(server.timers()).isZero();
    }

    @Test
    void aShutdownEndsConnectionsInSetUp() throws Exception {
        CompletableFuture<ConnectionRequest> undecided = new CompletableFuture<>();
        server = new Server(Transport.NIO, QueuePairSettings.DEFAULT, pipeline -> {}, undecided::complete);
        CompletableFuture<QueuePair> connecting = server.connect(pipeline -> {});
        ConnectionRequest request = await(undecided);
        await(server.listener().shutdownGracefully(AGES));
        await(request.queuePair().closed());
        request.accept();
        assertThatThrownBy(() -> await(connecting)).hasCauseInstanceOf(ConnectionClosedException.class);
        assertThat(server.timers()).isZero();
    }

    @Test
    void aShutdownOfNothingIsDoneAtOnceAndMayBeRepeated() throws Exception {
        server = new Server(Transport.NIO, QueuePairSettings.DEFAULT, pipeline -> {}, ConnectionRequest::accept);
        await(server.listener().shutdownGracefully(AGES));
        await(server.listener().shutdownGracefully(Duration.ZERO));
        assertThatThrownBy(() -> server.listener().shutdownGracefully(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("negative");
        assertThat(server.timers()).isZero();
    }

    @Test
    void anIdleConnectionIsClosedInOrder() throws Exception {
        QueuePairSettings impatient =
                QueuePairSettings.builder().idleTimeout(SHORT).build();
        server = new Server(Transport.NIO, impatient, pipeline -> {}, ConnectionRequest::accept);
        QueuePair initiator = await(server.connect(pipeline -> {}));
        CloseReason reason = await(initiator.closed());
        assertThat(reason.endedBy()).isIn(EndedBy.TIMEOUT, EndedBy.PEER_CLOSED);
        CloseReason peers = await(server.nextEnd());
        assertThat(Stream.of(reason, peers).filter(end -> end.endedBy() == EndedBy.TIMEOUT))
                .isNotEmpty()
                .allSatisfy(end -> assertThat(end.detail()).contains("PT0.05S"));
        initiator.channel().closeFuture().sync();
    }

    @Test
    void aQuietConnectionStaysIfItIsKeptAlive() throws Exception {
        QueuePairSettings patient = QueuePairSettings.builder()
                .idleTimeout(Duration.ofSeconds(2))
                .keepAliveInterval(Duration.ofMillis(10))
                .build();
        CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
        server = new Server(Transport.NIO, patient, pipeline -> {}, request -> {
            accepted.complete(request.queuePair());
            request.accept();
        });
        QueuePair initiator = await(server.connect(pipeline -> {}));
        QueuePair responder = await(accepted);
        while (responder.counters().get(Counter.MESSAGES_DELIVERED) < 5
                || initiator.counters().get(Counter.MESSAGES_DELIVERED) < 5) {
            assertThat(initiator.closeReason()).isNull();
            Thread.onSpinWait();
        }
        await(initiator
                .sendImmediate(new ImmediateData(1), PostOptions.NONE)
                .handle((completion, failure) -> completion));
    }

    /** The channel belongs to the application as well: it may close it from any thread, at any time. */
    @ParameterizedTest
    @MethodSource("places")
    void anyCloseOfTheChannelLeavesNothingOnTheEventLoops(Transport transport, Security security) throws Exception {
        server = new Server(transport, QueuePairSettings.DEFAULT, security.responder(), ConnectionRequest::accept);
        for (int i = 0; i < 8; i++) {
            CompletableFuture<QueuePair> connecting = server.connect(security.initiator());
            if (i % 2 == 0) {
                QueuePair initiator = await(connecting);
                CompletableFuture<Completion> read = initiator.receive(Unpooled.EMPTY_BUFFER);
                initiator.channel().close();
                assertThatThrownBy(() -> await(read)).hasCauseInstanceOf(ConnectionClosedException.class);
            } else {
                server.closeNextChannel();
                await(connecting.handle((queuePair, failure) -> failure));
            }
        }
        await(server.listener().shutdownGracefully(Duration.ZERO));
        server.closeChannels();
        assertThat(server.timers()).isZero();
    }
}
