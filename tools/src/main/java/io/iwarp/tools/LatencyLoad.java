package io.iwarp.tools;

import io.iwarp.Operation;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.QueuePair;

/**
 * One operation at a time, and the time until its effect is back: the server answers a Send by a Send, a Write by a Write
 * that this side sees in its memory, a Write with Immediate Data by the like. A Read or atomic is its own answer.
 */
final class LatencyLoad extends PerfLoad {
    private final boolean byWrite;
    private final boolean byReceive;
    private long beganAt;
    private byte mark;
    private boolean answered;
    private boolean complete;
    private boolean stopping;

    LatencyLoad(QueuePair queuePair, PerfTask task, PerfMemory memory, RemoteBuffer target, PerfMeter meter) {
        super(queuePair, task, memory, target, meter);
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
        if (stopping) {
            finish();
            return;
        }
        complete = false;
        answered = task().operation().answered();
        if (byReceive) {
            receive();
        } else if (byWrite) {
            memory().mark(++mark);
        }
        beganAt = System.nanoTime();
        post();
    }

    @Override
    void onDone(Completion completion) {
        if (completion.operation() != Operation.IMMEDIATE) {
            complete = true;
            nextIfDone();
        }
    }

    @Override
    void onReceived(Completion completion) {
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
