package io.iwarp.tools.perf;

import static io.iwarp.verbs.CompareSwap.compare;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.Operation;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.FetchAdd;
import io.iwarp.verbs.ImmediateData;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.SendQueue;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * One connection of a measurement, at the client: posts operations on the event loop until it is stopped. Call methods
 * on the event loop unless their documentation says otherwise.
 */
abstract class PerfLoad {
    private static final FetchAdd ONE = FetchAdd.add(1);

    private final QueuePair queuePair;
    private final Work work;
    private final Pace pace;
    private final PerfMemory memory;
    private final RemoteBuffer target;
    private final PerfMeter meter;
    private final CompletableFuture<Void> finished = new CompletableFuture<>();
    private long posted;

    /**
     * What a connection does.
     *
     * @param count the number of operations after which it stops by itself; 0 to go on until it is stopped
     * @param rate operations per second; 0 for as many as possible
     */
    record Work(PerfTask task, long count, double rate) {}

    /**
     * @param queuePair connected; {@link #close} closes it
     * @param memory the memory of this side; {@link #close} releases it
     * @param target the memory of the other side, as many bytes as one operation has
     * @param meter that of the connection's event loop
     */
    PerfLoad(QueuePair queuePair, PerfMemory memory, RemoteBuffer target, PerfMeter meter, Work work) {
        this.queuePair = queuePair;
        this.work = work;
        this.pace = new Pace(queuePair.channel().eventLoop(), work.rate);
        this.memory = memory;
        this.target = target;
        this.meter = meter;
    }

    /** Begins; called once on the event loop. */
    abstract void onBegin();

    /** Stops posting. Call {@link #finish} when all posted operations are done. */
    abstract void onStop();

    /** An operation of this side has completed. */
    abstract void onDone(CompletionView completion);

    /** A message of the other side has consumed a receive. */
    abstract void onReceived(CompletionView completion);

    /** Any thread: begins to post. */
    final void begin() {
        queuePair.setCompletionListener((source, completion) -> onCompletion(completion));
        execute(this::onBegin);
    }

    /** Any thread: ends the load; {@link #finished} completes when everything has arrived. */
    final void stop() {
        execute(this::onStop);
    }

    private void execute(Runnable step) {
        queuePair.executor().execute(() -> attempt(step));
    }

    /** Runs a step; if it fails, so does the load. */
    final void attempt(Runnable step) {
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

    final void fail(Exception failure) {
        finished.completeExceptionally(failure);
    }

    /** Everything that was posted has arrived. */
    final void finish() {
        finished.complete(null);
    }

    /** Any thread: completes when everything has arrived after {@link #stop}; fails as soon as the stream ends. */
    final CompletableFuture<Void> finished() {
        return finished;
    }

    /** Returns the number of posted operations. */
    final long posted() {
        return posted;
    }

    /** Returns whether all operations were posted. */
    final boolean allPosted() {
        return work.count > 0 && posted == work.count;
    }

    final PerfTask task() {
        return work.task;
    }

    /** Returns when operations are due. */
    final Pace pace() {
        return pace;
    }

    final PerfMeter meter() {
        return meter;
    }

    final PerfMemory memory() {
        return memory;
    }

    final QueuePair queuePair() {
        return queuePair;
    }

    /** Posts a receive. */
    final void receive() {
        queuePair.receiveQueue().receive(0, memory.nextPlace());
    }

    /** Posts the next operation. */
    final void post() {
        long id = posted++;
        pace.take();
        SendQueue sends = queuePair.sendQueue();
        switch (work.task.operation()) {
            case SEND -> sends.send(id, memory.source());
            case WRITE -> sends.write(id, memory.source(), target);
            case WRITE_IMMEDIATE ->
                sends.writeWithImmediate(id, memory.source(), target, new ImmediateData(id), PostOptions.NONE);
            case READ -> sends.read(id, memory.readSink(), target, PostOptions.NONE);
            case FETCH_ADD -> sends.fetchAdd(id, target, ONE, PostOptions.NONE);
            case COMPARE_SWAP -> sends.compareSwap(id, target, compare(id).swap(id + 1), PostOptions.NONE);
        }
    }

    /** Posts a query whether all earlier operations have arrived. The server answers immediately. */
    final void ask() {
        queuePair.sendQueue().sendImmediate(0, new ImmediateData(0), PostOptions.SOLICITED_AND_FENCE);
    }

    /** Any thread: ends the connection at once. */
    final void abort() {
        queuePair.abort();
    }

    /** Closes the connection in order, waits for it, and releases the memory. Do not call it on an event loop. */
    final void close() throws IOException, InterruptedException {
        try {
            queuePair.close();
            Endpoint.await(queuePair.closed());
        } finally {
            memory.close();
        }
    }
}
