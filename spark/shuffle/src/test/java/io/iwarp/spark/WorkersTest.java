package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkersTest {
    private final Workers workers = new Workers();

    @AfterEach
    void close() {
        workers.close();
    }

    @Test
    void aSilentPeerDelaysNoCallToAnother() throws Exception {
        CountDownLatch response = new CountDownLatch(1);
        List<CompletableFuture<Void>> stuck = new ArrayList<>();
        for (int i = 0; i < 5 * Workers.THREADS_PER_PEER; i++) {
            stuck.add(run("dead", response::await));
        }

        run("healthy", () -> {}).get(1, TimeUnit.MINUTES);

        assertThat(stuck).noneMatch(CompletableFuture::isDone);
        response.countDown();
        CompletableFuture.allOf(stuck.toArray(new CompletableFuture<?>[0])).get(1, TimeUnit.MINUTES);
    }

    @Test
    void errorsAreReportedToo() {
        CompletableFuture<Throwable> reported = new CompletableFuture<>();
        StackOverflowError failure = new StackOverflowError();

        workers.run(
                "peer",
                () -> {
                    throw failure;
                },
                reported::complete);

        assertThat(reported).succeedsWithin(1, TimeUnit.MINUTES).isSameAs(failure);
    }

    @Test
    void afterTheEndCallsAreRefused() {
        workers.close();

        assertThat(run("peer", () -> {})).isCompletedExceptionally();
    }

    private CompletableFuture<Void> run(String peer, Workers.Call call) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        workers.run(
                peer,
                () -> {
                    call.run();
                    done.complete(null);
                },
                done::completeExceptionally);
        return done;
    }
}
