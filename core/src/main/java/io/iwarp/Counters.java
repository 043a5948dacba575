package io.iwarp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The counters of one connection.
 *
 * <p>One thread writes, the event loop of the connection; any thread reads. A reader sees each counter as it was a
 * moment ago, never half written; two counters read one after the other need not be of the same moment.
 */
public final class Counters {
    private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] values = new long[Counter.values().length];

    /** Counters that all stand at zero. */
    public Counters() {}

    /**
     * Adds to a counter. Only the event loop of the connection may call this. Does not lock or allocate.
     *
     * @param counter what to count
     * @param n how many to add, at least 0
     */
    public void add(Counter counter, long n) {
        int slot = counter.slot();
        // There is one writer, so a plain read is of its own last write.
        VALUES.setRelease(values, slot, values[slot] + n);
    }

    /**
     * The value of a counter. Any thread may call this. Whoever reads one counter and then another sees of the second all
     * that was counted before the first: a release store meets an acquire load.
     */
    public long get(Counter counter) {
        return (long) VALUES.getAcquire(values, counter.slot());
    }

    /** All counters that do not stand at zero. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("Counters[");
        String separator = "";
        for (Counter counter : Counter.values()) {
            long value = get(counter);
            if (value != 0) {
                text.append(separator).append(counter.name()).append('=').append(value);
                separator = ", ";
            }
        }
        return text.append(']').toString();
    }
}
