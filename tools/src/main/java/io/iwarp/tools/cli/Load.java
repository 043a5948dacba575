package io.iwarp.tools.cli;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.Operation;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.QueuePair;
import java.util.concurrent.CompletableFuture;

/**
 * The load generator of one connection: posts operations on the event loop, each when it is due, until all are posted
 * or it is stopped. Call methods on the event loop unless their documentation says otherwise.
 */
public abstract class Load {
    private final QueuePair queuePair;
    private final long count;
    private final Pace pace;
    private final CompletableFuture<Void> finished = new CompletableFuture<>();
    private long posted;
    private boolean stopping;

    /**
     * @param queuePair connected
     * @param count the number of operations after which it stops by itself; 0 to go on until it is stopped
     * @param rate operations per second; 0 for as many as possible
     */
    protected Load(QueuePair queuePair, long count, double rate) {
        this.queuePair = queuePair;
        this.count = count;
        this.pace = new Pace(queuePair.executor(), rate, () -> attempt(this::onDue));
    }

    /** Begins; called once. */
    protected abstract void onBegin();

    /** {@link #stopping} has become true. Call {@link #finish} when all posted operations are done. */
    protected abstract void onStop();

    /** An operation that {@link #pace} delayed is due. */
    protected void onDue() {
        throw new IllegalStateException("this load has no schedule");
    }

    /** An operation of this side has completed. */
    protected abstract void onDone(CompletionView completion);

    /** A message of the other side has consumed a receive. */
    protected abstract void onReceived(CompletionView completion);

    /** Any thread: begins to post. */
    public final void begin() {
        queuePair.executor().execute(this::beginNow);
    }

    /** Begins to post. A server calls it before it accepts the connection. */
    public final void beginNow() {
        queuePair.setCompletionListener((source, completion) -> onCompletion(completion));
        attempt(this::onBegin);
    }

    /** Any thread: ends the load; {@link #finished} completes when everything has arrived. */
    public final void stop() {
        queuePair.executor().execute(() -> attempt(this::stopNow));
    }

    /** Stops posting. */
    protected final void stopNow() {
        stopping = true;
        onStop();
    }

    /** Runs a step; if it fails, so does the load. */
    protected final void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void onCompletion(CompletionView completion) {
        CloseReason failure = completion.failure();
        if (failure != null) {
            fail(new ConnectionClosedException(failure));
            return;
        }
        try {
            if (completion.operation() == Operation.RECEIVE) {
                onReceived(completion);
            } else {
                onDone(completion);
            }
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    protected final void fail(Exception failure) {
        finished.completeExceptionally(failure);
    }

    /** Everything that was posted has arrived. */
    protected final void finish() {
        finished.complete(null);
    }

    /** Any thread: completes when everything has arrived; fails as soon as the stream ends. */
    public final CompletableFuture<Void> finished() {
        return finished;
    }

    /** Counts the next operation, and returns its number, from 0. */
    protected final long next() {
        pace.take();
        return posted++;
    }

    /** Returns the number of posted operations. */
    protected final long posted() {
        return posted;
    }

    /** Returns whether no more operations are to be posted. */
    protected final boolean stopping() {
        return stopping || (count > 0 && posted == count);
    }

    /**
     * Any thread: begins a new schedule if there is one, so that what is late now does not count. Waits until it has.
     */
    final void restartSchedule() {
        if (pace.scheduled()) {
            queuePair.executor().submit(pace::restart).awaitUninterruptibly();
        }
    }

    /** Records how long an operation took that was due at this time. */
    protected final void record(Meter meter, long due) {
        if (pace.isCurrent(due)) {
            meter.took(System.nanoTime() - due);
        }
    }

    /** Returns when operations are due. */
    protected final Pace pace() {
        return pace;
    }

    public final QueuePair queuePair() {
        return queuePair;
    }
}
