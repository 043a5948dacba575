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
 * @param warmup how long it runs before it is measured
 * @param duration how long it is measured
 * @param interval how long each part of it is whose rate is told, zero for none
 */
record PerfPlan(
        PerfTask task,
        int connections,
        EventLoops loops,
        boolean tls,
        long unsent,
        Duration warmup,
        Duration duration,
        Duration interval) {
    /** Returns the total duration without set-up. */
    Duration total() {
        return warmup.plus(duration);
    }
}
