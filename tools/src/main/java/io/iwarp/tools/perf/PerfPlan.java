package io.iwarp.tools.perf;

import io.iwarp.tools.cli.EventLoops;
import java.time.Duration;

/**
 * What a client measures for one size.
 *
 * @param task what each connection does
 * @param connections how many there are
 * @param loops the event loops of the client
 * @param tls whether the connections use TLS
 * @param unsent bytes that may wait in the kernel until TCP sends them, 0 if the kernel decides
 * @param rate operations per second of all connections, 0 for as many as possible
 * @param count the number of operations of all connections that are measured, 0 to measure for the duration
 * @param warmup how long it runs before it is measured
 * @param duration how long it is measured at most
 */
record PerfPlan(
        PerfTask task,
        int connections,
        EventLoops loops,
        boolean tls,
        long unsent,
        double rate,
        long count,
        Duration warmup,
        Duration duration) {
    /**
     * Returns what one connection does.
     *
     * @param index of the connection: the first ones do what cannot be divided evenly
     */
    PerfLoad.Work work(int index) {
        long share = count / connections + (index < count % connections ? 1 : 0);
        return new PerfLoad.Work(task, share, rate / connections);
    }

    /** Returns a plan that only warms up, for its warm-up time. */
    PerfPlan warmingUp() {
        return new PerfPlan(task, connections, loops, tls, unsent, rate, 0, Duration.ZERO, warmup);
    }
}
