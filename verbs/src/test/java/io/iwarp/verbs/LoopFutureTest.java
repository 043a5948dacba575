package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.EndedBy;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.BlockingOperationException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An event loop that waits for itself gets an exception. Here the thread of the test is the event loop of both ends.
 */
class LoopFutureTest {
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final SimulatedPair pair = new SimulatedPair(domain, QueuePairSettings.DEFAULT, qp -> {});
    private final QueuePair responder = pair.responder.queuePair();

    @AfterEach
    void close() {
        pair.close();
        domain.close();
    }

    static Stream<Function<QueuePair, CompletableFuture<?>>> futures() {
        return Stream.of(
                queuePair -> queuePair.receive(Unpooled.EMPTY_BUFFER),
                queuePair -> queuePair.receive(Unpooled.EMPTY_BUFFER).thenApply(Completion::bytes),
                queuePair -> queuePair
                        .receive(Unpooled.EMPTY_BUFFER)
                        .thenCompose(done -> queuePair.closed())
                        .whenComplete((reason, failure) -> {}),
                QueuePair::ready,
                queuePair -> queuePair.ready().thenRun(() -> {}),
                QueuePair::closed,
                queuePair -> queuePair.closed().thenApply(reason -> 1));
    }

    @ParameterizedTest
    @MethodSource("futures")
    void aWaitInTheEventLoopFailsAtOnce(Function<QueuePair, CompletableFuture<?>> of) {
        CompletableFuture<?> future = of.apply(responder);
        assertThatThrownBy(future::join).isInstanceOf(BlockingOperationException.class);
        assertThatThrownBy(future::get)
                .isInstanceOf(BlockingOperationException.class)
                .hasMessageContaining("thenCompose");
        assertThatThrownBy(() -> future.get(1, TimeUnit.HOURS)).isInstanceOf(BlockingOperationException.class);
    }

    @Test
    void whatIsDoneNeedsNoWait() throws Exception {
        CompletableFuture<Completion> received = responder.receive(Unpooled.EMPTY_BUFFER);
        pair.initiator.queuePair().send(Unpooled.EMPTY_BUFFER);
        pair.run();
        assertThat(received.join().bytes()).isZero();
        assertThat(responder.ready().get()).isSameAs(responder);
        responder.abort();
        pair.run();
        assertThat(responder
                        .closed()
                        .thenApply(reason -> reason)
                        .get(1, TimeUnit.HOURS)
                        .endedBy())
                .isEqualTo(EndedBy.LOCAL_APPLICATION);
    }

    /** Otherwise an application could end another's wait. */
    @Test
    void eachCallerCompletesOnlyItsOwnCopy() {
        for (Function<QueuePair, CompletableFuture<?>> stage :
                List.<Function<QueuePair, CompletableFuture<?>>>of(QueuePair::ready, QueuePair::closed)) {
            CompletableFuture<?> others = stage.apply(responder);
            stage.apply(responder).cancel(false);
            stage.apply(responder).complete(null);
            assertThat(others).isNotDone();
            assertThat(stage.apply(responder)).isNotDone();
        }
        responder.abort();
        pair.run();
        assertThat(responder.closed()).isCompleted();
    }
}
