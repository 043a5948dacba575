package io.iwarp.examples;

import java.time.Duration;

/**
 * What a client measures for one size.
 *
 * @param task what each connection does
 * @param connections how many there are
 * @param warmup how long it runs before it is measured
 * @param duration how long it is measured
 */
record PerfPlan(PerfTask task, int connections, Duration warmup, Duration duration) {}
