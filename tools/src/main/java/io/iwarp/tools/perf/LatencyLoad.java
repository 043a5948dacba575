package io.iwarp.tools.perf;

import io.iwarp.Operation;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.Meter;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.QueuePair;

/**
 * Measures round trips, one operation at a time. The server answers a Send with a Send, a Write with a Write into this
 * side's memory, and a Write with Immediate Data with the same. A Read or atomic needs no answer of the server's
 * program.
 */
final class LatencyLoad extends PerfLoad {
    private final Meter meter;
    private final boolean byWrite;
    private final boolean byReceive;

    private long beganAt;
    private byte mark;
    private boolean answered;
    private boolean complete;

    LatencyLoad(QueuePair queuePair, PerfMemory memory, RemoteBuffer target, Meter meter, Work work) {
        super(queuePair, memory, target, work);
        this.meter = meter;
        PerfTask task = work.task();
        byWrite = task.operation() == PerfOperation.WRITE;
        byReceive = task.operation().usesReceives();
    }

    @Override
    protected void onBegin() {
        if (byWrite) {
            Runnable look = this::look;
            queuePair().channel().pipeline().addFirst(new MemoryWatch(() -> attempt(look)));
        }
        postNext();
    }

    @Override
    protected void onDue() {
        postNext();
    }

    private void postNext() {
        if (stopping()) {
            finish();
            return;
        }
        if (!pace().isDue()) {
            return;
        }
        complete = false;
        answered = task().operation().answered();
        if (byReceive) {
            receive();
        } else if (byWrite) {
            memory().mark(++mark);
        }
        beganAt = pace().due();
        post();
    }

    @Override
    protected void onDone(CompletionView completion) {
        if (completion.operation() != Operation.IMMEDIATE) {
            complete = true;
            nextIfDone();
        }
    }

    @Override
    protected void onReceived(CompletionView completion) {
        answered = true;
        nextIfDone();
    }

    private void look() {
        if (!answered && memory().marked() == mark && queuePair().closeReason() == null) {
            answered = true;
            nextIfDone();
        }
    }

    private void nextIfDone() {
        if (complete && answered) {
            record(meter, beganAt);
            meter.done(1);
            postNext();
        }
    }

    @Override
    protected void onStop() {
        // The operation that is under way is the last one.
    }
}
