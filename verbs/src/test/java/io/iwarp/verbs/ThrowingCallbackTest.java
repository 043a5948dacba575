package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.LogCapture;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelPipeline;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a callback throws, the stream continues or ends, and each throwable is reported. Several languages throw
 * checked exceptions without a declaration, so those count.
 */
class ThrowingCallbackTest {
    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp");

    private final ProtectionDomain domain = ProtectionDomain.create();

    static List<Throwable> throwables() {
        return List.of(new IllegalStateException("made"), new AssertionError("made"), new IOException("made"));
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @AfterEach
    void closeDomain() {
        domain.close();
    }

    private static CloseReason end(QueuePair queuePair) {
        return queuePair.closed().getNow(null);
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void everyFlushedCompletionIsToldAndTheEndAsWell(Throwable thrown) {
        List<Long> reported = new ArrayList<>();
        ByteBuf buffer = Unpooled.directBuffer(8, 8);
        try (SimulatedPair pair = new SimulatedPair(domain, QueuePairSettings.DEFAULT, queuePair -> {
            queuePair.setCompletionListener((ofPair, completion) -> {
                reported.add(completion.workRequestId());
                raise(thrown);
            });
            queuePair.setListener(new QueuePairListener() {
                @Override
                public void onClosed(QueuePair ofPair, CloseReason reason) {
                    raise(thrown);
                }
            });
        })) {
            QueuePair responder = pair.responder.queuePair();
            for (long id = 1; id <= 5; id++) {
                responder.receiveQueue().receive(id, buffer);
            }
            responder.abort();
            pair.run();
            assertThat(reported).containsExactly(1L, 2L, 3L, 4L, 5L);
            assertThat(end(responder).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
            assertThat(buffer.release()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void aListenerForStateChangesThatThrowsDoesNoHarm(Throwable thrown) {
        QueuePairListener listener = new QueuePairListener() {
            @Override
            public void onReady(QueuePair ofPair) {
                raise(thrown);
            }

            @Override
            public void onInputShutdown(QueuePair ofPair) {
                raise(thrown);
            }
        };
        try (SimulatedPair pair =
                new SimulatedPair(domain, QueuePairSettings.DEFAULT, queuePair -> queuePair.setListener(listener))) {
            QueuePair responder = pair.responder.queuePair();
            responder.receive(Unpooled.EMPTY_BUFFER);
            pair.initiator.queuePair().send(Unpooled.EMPTY_BUFFER);
            pair.run();
            assertThat(responder.ready().getNow(null)).isSameAs(responder);
            pair.initiator.queuePair().close();
            pair.run();
            assertThat(end(responder).endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        }
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void aCompletionListenerThatThrowsEndsTheStreamWithTheCause(Throwable thrown) {
        List<Long> reported = new ArrayList<>();
        ByteBuf buffer = Unpooled.directBuffer(8, 8);
        try (SimulatedPair pair = new SimulatedPair(
                domain,
                QueuePairSettings.DEFAULT,
                queuePair -> queuePair.setCompletionListener((ofPair, completion) -> {
                    reported.add(completion.workRequestId());
                    raise(thrown);
                }))) {
            QueuePair responder = pair.responder.queuePair();
            responder.receiveQueue().receive(1, buffer);
            responder.receiveQueue().receive(2, buffer);
            pair.initiator.queuePair().send(Unpooled.copyInt(1));
            pair.run();
            assertThat(reported).containsExactly(1L, 2L);
            assertThat(end(responder).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
            assertThat(end(responder).cause()).isSameAs(thrown);
            assertThat(log.events())
                    .as("one for each completion")
                    .hasSize(2)
                    .allMatch(event -> event.getLevel() == Level.ERROR);
            assertThat(buffer.release()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void theListenersOfSharedQueuesDoNoHarm(Throwable thrown) {
        SharedReceiveQueue receives = SharedReceiveQueue.create(4, 4).setListener((queue, taker) -> raise(thrown));
        CompletionQueue completions = CompletionQueue.create(256).setListener(queue -> raise(thrown));
        ByteBuf buffer = Unpooled.directBuffer(8, 8);
        try (SimulatedPair pair = new SimulatedPair(
                domain,
                QueuePairSettings.DEFAULT,
                queuePair -> queuePair.setSharedReceiveQueue(receives).setCompletionQueue(completions))) {
            receives.receive(7, buffer);
            receives.armLimit(1);
            completions.arm();
            CompletableFuture<Completion> sent = pair.initiator.queuePair().send(Unpooled.copyInt(1));
            pair.run();
            assertThat(sent).isCompleted();
            List<Long> polled = new ArrayList<>();
            completions.poll((ofPair, completion) -> polled.add(completion.workRequestId()), 8);
            assertThat(polled).containsExactly(7L);
            assertThat(log.events()).hasSize(2);
        }
        receives.close();
        completions.close();
        assertThat(buffer.release()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void aRequestWithoutAReplyEndsWithWhatWasThrown(Throwable thrown) {
        QueuePair[] asked = new QueuePair[1];
        try (SimulatedPair pair = new SimulatedPair(domain, QueuePairSettings.DEFAULT, queuePair -> {
            asked[0] = queuePair;
            raise(thrown);
        })) {
            assertThat(end(asked[0]).cause()).isSameAs(thrown);
            assertThat(end(asked[0]).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
            assertThat(end(pair.initiator.queuePair()).endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        }
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void aRequestThatWasAcceptedStaysSo(Throwable thrown) throws Exception {
        try (Loopback loopback = new Loopback()) {
            SocketAddress address = loopback.listen(domain, QueuePairSettings.DEFAULT, request -> {
                request.queuePair().receive(Unpooled.EMPTY_BUFFER);
                request.accept();
                raise(thrown);
            });
            QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, queuePair -> {});
            assertThat(Loopback.await(initiator.send(Unpooled.EMPTY_BUFFER)).successful())
                    .isTrue();
            initiator.close();
            Loopback.await(initiator.closed());
        }
        assertThat(log.events()).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void aConnectionThatIsNotPreparedEndsWithWhatWasThrown(Throwable thrown) {
        QueuePair[] prepared = new QueuePair[1];
        SimulatedPair.End end = new SimulatedPair.End(
                IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, new byte[0], queuePair -> {
                    prepared[0] = queuePair;
                    raise(thrown);
                }));
        assertThat(end(prepared[0]).cause()).isSameAs(thrown);
        assertThat(end.isOpen()).isFalse();
        end.finishAndReleaseAll();
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void aTransportHandlerThatFailsLeavesNothing(Throwable thrown) {
        Consumer<ChannelPipeline> failing = pipeline -> raise(thrown);
        SimulatedPair.End end =
                new SimulatedPair.End(IwarpChannelInitializer.initiator(domain).withTransportHandlers(failing));
        assertThat(end.isOpen()).isFalse();
        assertThat(log.events())
                .singleElement()
                .satisfies(event ->
                        assertThat(event.getThrowableProxy().getMessage()).isEqualTo("made"));
        end.finishAndReleaseAll();
    }
}
