package io.iwarp.verbs;

import io.iwarp.ConnectionState;
import io.iwarp.Counters;
import io.iwarp.metrics.ConnectionGauges;

/** The gauges of a queue pair. Any thread may read them. */
final class QueuePairGauges implements ConnectionGauges {
    private final StreamLife life;
    private final PostRing<WorkRequest> sends;
    private final ReceiveSide receives;
    private final Counters counters;

    QueuePairGauges(StreamLife life, PostRing<WorkRequest> sends, ReceiveSide receives, Counters counters) {
        this.life = life;
        this.sends = sends;
        this.receives = receives;
        this.counters = counters;
    }

    @Override
    public ConnectionState connectionState() {
        return life.state();
    }

    @Override
    public Counters counters() {
        return counters;
    }

    @Override
    public int sendRequests() {
        return sends.uncompleted();
    }

    @Override
    public int queuedSendRequests() {
        return sends.untaken();
    }

    @Override
    public int sendQueueDepth() {
        return sends.depth();
    }

    @Override
    public int receiveRequests() {
        return receives.receives().inUse();
    }

    @Override
    public int receiveQueueDepth() {
        return receives.receives().bound().depth();
    }
}
