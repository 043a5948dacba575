package io.iwarp;

import io.iwarp.internal.ConnectionCounters;

/**
 * The counters of one connection. Any thread may read them. A reader sees a recent value of each counter, never a torn
 * one. Two counters that are read one after the other may be of different moments.
 */
public sealed interface Counters permits ConnectionCounters {
    /**
     * Returns the value of a counter. If a thread reads one counter and then another, the second value includes
     * everything that was counted before the first.
     */
    long get(Counter counter);
}
