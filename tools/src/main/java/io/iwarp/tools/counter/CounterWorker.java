package io.iwarp.tools.counter;

import io.iwarp.Operation;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Load;
import io.iwarp.tools.cli.Loads;
import io.iwarp.tools.cli.Meter;
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
import org.jspecify.annotations.Nullable;

/**
 * One client of the counter server. First it adds under the lock on a thread of its own. Then it adds with FetchAdd as
 * a load on the event loop, reports what it added, and waits for the totals.
 */
final class CounterWorker extends Load {
    /** The number of FetchAdds in flight. The queue pair sends as many at a time as the peer accepts. */
    private static final int DEPTH = 64;

    private static final FetchAdd ONE = FetchAdd.add(1);

    private final CounterDone work;
    private final Meter meter;
    private final ByteBuf answer = Unpooled.buffer(CounterTotals.ENCODED_LENGTH, CounterTotals.ENCODED_LENGTH);
    private final CompletableFuture<Completion> answered;
    private final CompletableFuture<CounterTotals> totals = new CompletableFuture<>();
    private final CounterGrant grant;
    private final SpinLock lock;
    private final long[] postedAt = new long[DEPTH];

    /** What follows belongs to the event loop. */
    private long completed;

    private long lastFetched = -1;

    private CounterWorker(QueuePair queuePair, Meter meter, CounterDone work) {
        super(queuePair, work.adds(), 0);
        this.work = work;
        this.meter = meter;
        this.grant = CounterGrant.decode(CounterGrant.PROTOCOL.restOfReply(queuePair, CounterGrant.ENCODED_LENGTH));
        this.lock = new SpinLock(queuePair, grant.lock(), grant.client());
        this.answered = queuePair.receive(answer);
    }

    static CounterWorker connect(
            Endpoint endpoint, SocketAddress server, QueuePairSettings settings, Loads loads, CounterDone work)
            throws IOException, InterruptedException {
        QueuePair queuePair = endpoint.connect(server, settings, CounterGrant.PROTOCOL.request(), fresh -> {});
        return new CounterWorker(queuePair, loads.meter(queuePair.executor()), work);
    }

    /**
     * Adds to the number under the lock, the requested number of times.
     *
     * @param rounds the meter of this thread
     */
    void countUnderLock(Meter rounds) throws IOException, InterruptedException {
        ByteBuf number = ByteBufAllocator.DEFAULT.directBuffer(Long.BYTES, Long.BYTES);
        try {
            for (long round = 0; round < work.rounds(); round++) {
                long begin = System.nanoTime();
                lock.acquire();
                Endpoint.await(queuePair().read(number.clear(), grant.number()));
                number.setLong(0, number.getLong(0) + 1);
                // This Write needs no fence, as the only Read before it has been awaited, and no client reads the
                // number before the lock is released.
                CompletableFuture<Completion> written = queuePair().write(number, grant.number());
                lock.release();
                Endpoint.await(written);
                rounds.took(System.nanoTime() - begin);
                rounds.done(1);
            }
        } finally {
            number.release();
        }
    }

    @Override
    protected void onBegin() {
        answered.whenComplete((completion, failure) -> onAnswer(failure));
        if (work.adds() == 0) {
            stopNow();
        } else {
            post();
        }
    }

    private void post() {
        while (!stopping() && posted() - completed < DEPTH) {
            postedAt[(int) (posted() % DEPTH)] = System.nanoTime();
            queuePair().sendQueue().fetchAdd(next(), grant.counter(), ONE, PostOptions.NONE);
        }
    }

    @Override
    protected void onDone(CompletionView completion) {
        if (completion.operation() != Operation.FETCH_ADD) {
            return;
        }
        meter.took(System.nanoTime() - postedAt[(int) (completed % DEPTH)]);
        meter.done(1);
        completed++;
        if (completion.originalValue() <= lastFetched) {
            fail(new CommandFailedException("client " + grant.client() + " fetched " + completion.originalValue()
                    + " after " + lastFetched + ", though it added in between"));
        }
        lastFetched = completion.originalValue();
        post();
        if (stopping() && completed == posted()) {
            onStop();
        }
    }

    /** Reports what was added. */
    @Override
    protected void onStop() {
        if (completed == posted()) {
            queuePair().sendQueue().send(posted(), work.encode());
        }
    }

    @Override
    protected void onReceived(CompletionView completion) {
        // The future of the only receive handles it.
    }

    private void onAnswer(@Nullable Throwable failure) {
        if (failure != null) {
            fail(failure instanceof Exception exception ? exception : new IOException(failure));
        } else if (answer.readableBytes() != CounterTotals.ENCODED_LENGTH) {
            fail(new CommandFailedException(
                    "the server answered with " + answer.readableBytes() + " bytes: it does not keep to the protocol"));
        } else {
            totals.complete(CounterTotals.decode(answer));
            finish();
        }
    }

    /** Returns the totals of the server at the end; to be called when the load has finished. */
    CounterTotals totals() {
        return totals.join();
    }

    /** Returns how often another client held the lock on an attempt to take it. */
    long refusals() {
        return lock.refusals();
    }
}
