package io.iwarp.tools.perf;

import io.iwarp.Operation;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.QueuePair;

/**
 * Measures round trips, one operation at a time. The server answers a Send with a Send, a Write with a Write into this
 * side's memory, and a Write with Immediate Data with the same. A Read or atomic needs no answer of the server's
 * program.
 */
final class LatencyLoad extends PerfLoad {
    private final boolean byWrite;
    private final boolean byReceive;

    @SuppressWarnings("UnnecessaryLambda") // allocated once
    private final Runnable nextLater = () -> attempt(this::next);

    private long beganAt;
    private byte mark;
    private boolean answered;
    private boolean complete;
    private boolean stopping;

    LatencyLoad(QueuePair queuePair, PerfMemory memory, RemoteBuffer target, PerfMeter meter, Work work) {
        super(queuePair, memory, target, meter, work);
        PerfTask task = work.task();
        byWrite = task.operation() == PerfOperation.WRITE;
        byReceive = task.operation().usesReceives();
    }

    @Override
    void onBegin() {
        if (byWrite) {
            Runnable look = this::look;
            queuePair().channel().pipeline().addFirst(new MemoryWatch(() -> attempt(look)));
        }
        next();
    }

    private void next() {
        if (stopping || allPosted()) {
            finish();
            return;
        }
        if (!pace().isDue(nextLater)) {
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
    void onDone(CompletionView completion) {
        if (completion.operation() != Operation.IMMEDIATE) {
            complete = true;
            nextIfDone();
        }
    }

    @Override
    void onReceived(CompletionView completion) {
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
            meter().took(System.nanoTime() - beganAt);
            meter().done(1);
            next();
        }
    }

    @Override
    void onStop() {
        stopping = true;
    }
}
