package io.iwarp.tools.counter;

import io.iwarp.ConnectionClosedException;
import io.iwarp.IwarpException;
import io.iwarp.Operation;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.FetchAdd;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;

/**
 * One client of the counter server. First it adds under the lock on the calling thread. Then it adds with FetchAdd on
 * the event loop and posts the next one after each completion.
 */
final class CounterWorker {
    /** The number of FetchAdds in flight. The queue pair sends as many at a time as the peer accepts. */
    private static final int DEPTH = 64;

    private static final FetchAdd ONE = FetchAdd.add(1);

    private final CounterDone work;
    private final ByteBuf answer = Unpooled.buffer(CounterTotals.ENCODED_LENGTH, CounterTotals.ENCODED_LENGTH);
    private final CompletableFuture<Completion> answered;
    private final CompletableFuture<CounterTotals> totals = new CompletableFuture<>();
    private final QueuePair queuePair;
    private final CounterGrant grant;
    private final SpinLock lock;
    /** What follows belongs to the event loop. */
    private long posted;

    private long completed;
    private long lastFetched = -1;

    private CounterWorker(QueuePair queuePair, CounterDone work) {
        this.queuePair = queuePair;
        this.work = work;
        this.grant = CounterGrant.decode(CounterGrant.PROTOCOL.restOfReply(queuePair, CounterGrant.ENCODED_LENGTH));
        this.lock = new SpinLock(queuePair, grant.lock(), grant.client());
        this.answered = queuePair.receive(answer);
    }

    static CounterWorker connect(Endpoint endpoint, SocketAddress server, QueuePairSettings settings, CounterDone work)
            throws IOException, InterruptedException {
        return new CounterWorker(
                endpoint.connect(server, settings, CounterGrant.PROTOCOL.request(), fresh -> {}), work);
    }

    /** Adds to the number under the lock, the requested number of times. */
    void countUnderLock() throws IOException, InterruptedException {
        ByteBuf number = ByteBufAllocator.DEFAULT.directBuffer(Long.BYTES, Long.BYTES);
        try {
            for (long round = 0; round < work.rounds(); round++) {
                lock.acquire();
                Endpoint.await(queuePair.read(number.clear(), grant.number()));
                number.setLong(0, number.getLong(0) + 1);
                // This Write needs no fence, as the only Read before it has been awaited, and nobody reads the number
                // before the lock is released.
                CompletableFuture<Completion> written = queuePair.write(number, grant.number());
                lock.release();
                Endpoint.await(written);
            }
        } finally {
            number.release();
        }
    }

    /** Adds to the counter the requested number of times, reports it, and waits for the reply. */
    CounterTotals count() throws IOException, InterruptedException {
        queuePair.setCompletionListener((source, completion) -> onCompletion(completion));
        answered.whenComplete((completion, failure) -> onAnswer(failure));
        queuePair.executor().execute(this::post);
        return Endpoint.awaitWhileBusy(queuePair, totals);
    }

    private void post() {
        try {
            while (posted < work.adds() && posted - completed < DEPTH) {
                queuePair.sendQueue().fetchAdd(posted, grant.counter(), ONE, PostOptions.NONE);
                posted++;
            }
            if (posted == work.adds()) {
                // A Send may overtake the FetchAdds before it: without the fence it could say "done" too early.
                posted++;
                queuePair.sendQueue().send(posted, work.encode(), PostOptions.FENCE);
            }
        } catch (IwarpException e) {
            totals.completeExceptionally(e);
        }
    }

    private void onCompletion(CompletionView completion) {
        if (completion.failure() != null) {
            totals.completeExceptionally(new ConnectionClosedException(completion.failure()));
            return;
        }
        if (completion.operation() == Operation.FETCH_ADD) {
            completed++;
            if (completion.originalValue() <= lastFetched) {
                totals.completeExceptionally(new CommandFailedException("client " + grant.client() + " fetched "
                        + completion.originalValue() + " after " + lastFetched + ", though it added in between"));
            }
            lastFetched = completion.originalValue();
            post();
        }
    }

    private void onAnswer(Throwable failure) {
        if (failure != null) {
            totals.completeExceptionally(failure);
        } else if (answer.readableBytes() != CounterTotals.ENCODED_LENGTH) {
            totals.completeExceptionally(new CommandFailedException(
                    "the server answered with " + answer.readableBytes() + " bytes: it does not keep to the protocol"));
        } else {
            totals.complete(CounterTotals.decode(answer));
        }
    }

    /** Returns how often another client held the lock on an attempt to take it. */
    long refusals() {
        return lock.refusals();
    }

    /** Ends the connection in order. Waits until it is over. */
    void close() throws IOException, InterruptedException {
        queuePair.close();
        Endpoint.await(queuePair.closed());
    }

    /** Aborts the connection, which ends all waiting for replies. */
    void abort() {
        queuePair.abort();
    }
}
