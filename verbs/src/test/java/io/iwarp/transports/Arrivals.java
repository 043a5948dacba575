package io.iwarp.transports;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.QueuePair;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Messages to a queue pair without receives of its own, in the order of their completions. An end is not reported. */
abstract class Arrivals implements Inbox {
    private final List<CompletableFuture<Completion>> messages =
            Stream.generate(CompletableFuture<Completion>::new).limit(RECEIVES).toList();
    private final List<Completion> reported = new ArrayList<>();

    /** Prepares a queue pair that has no connection yet. */
    abstract void enter(QueuePair queuePair);

    /** Fails if the message did not come in the buffer that it should have come in. */
    abstract void checkBuffer(CompletionView message);

    /** Takes the completion of a receive. */
    final synchronized void onMessage(CompletionView completion) {
        Completion message = completion.copy();
        CompletableFuture<Completion> next = messages.get(reported.size());
        reported.add(message);
        try {
            assertThat(message.operation()).isEqualTo(Operation.RECEIVE);
            checkBuffer(message);
            next.complete(message);
        } catch (AssertionError wrong) {
            next.completeExceptionally(wrong);
        }
    }

    /** Returns all completions so far. */
    final synchronized List<Completion> reported() {
        return List.copyOf(reported);
    }

    @Override
    public final CompletableFuture<Completion> message(int n) {
        return messages.get(n);
    }

    @Override
    public void assertEnded(int count, CloseReason reason) {
        assertThat(reported()).hasSize(count).allMatch(Completion::successful);
    }
}
