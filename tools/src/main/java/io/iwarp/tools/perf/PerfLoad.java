package io.iwarp.tools.perf;

import static io.iwarp.verbs.CompareSwap.compare;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.Load;
import io.iwarp.verbs.FetchAdd;
import io.iwarp.verbs.ImmediateData;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.SendQueue;

/** The load of a connection that does a {@link PerfTask}. */
abstract class PerfLoad extends Load {
    private static final FetchAdd ONE = FetchAdd.add(1);

    private final PerfMemory memory;
    private final RemoteBuffer target;
    private final PerfTask task;

    /**
     * @param memory the memory of this side
     * @param target the memory of the other side, as many bytes as one operation has
     */
    PerfLoad(QueuePair queuePair, PerfMemory memory, RemoteBuffer target, Work work) {
        super(queuePair, work.count, work.rate);
        this.memory = memory;
        this.target = target;
        this.task = work.task;
    }

    /**
     * What a connection does.
     *
     * @param count the number of operations after which it stops by itself; 0 to go on until it is stopped
     * @param rate operations per second; 0 for as many as possible
     */
    record Work(PerfTask task, long count, double rate) {}

    final PerfTask task() {
        return task;
    }

    final PerfMemory memory() {
        return memory;
    }

    /** Posts a receive. */
    final void receive() {
        queuePair().receiveQueue().receive(0, memory.nextPlace());
    }

    /** Posts the next operation. */
    final void post() {
        long id = next();
        SendQueue sends = queuePair().sendQueue();
        switch (task.operation()) {
            case SEND -> sends.send(id, memory.source());
            case WRITE -> sends.write(id, memory.source(), target);
            case WRITE_IMMEDIATE ->
                sends.writeWithImmediate(id, memory.source(), target, new ImmediateData(id), PostOptions.NONE);
            case READ -> sends.read(id, memory.readSink(), target, PostOptions.NONE);
            case FETCH_ADD -> sends.fetchAdd(id, target, ONE, PostOptions.NONE);
            case COMPARE_SWAP -> sends.compareSwap(id, target, compare(id).swap(id + 1), PostOptions.NONE);
        }
    }
}
