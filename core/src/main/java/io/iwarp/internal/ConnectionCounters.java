package io.iwarp.internal;

import io.iwarp.Counter;
import io.iwarp.Counters;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The counters of one connection, whose event loop alone writes them. */
@SuppressWarnings("EnumOrdinal") // the index of a counter is used in memory only, and never stored or sent
public final class ConnectionCounters implements Counters {
    private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] values = new long[Counter.values().length];

    /** Creates counters that are all 0. */
    public ConnectionCounters() {}

    /**
     * Adds to a counter. Only the event loop of the connection may call this. Does not lock or allocate.
     *
     * @param counter the counter
     * @param n the number to add, at least 0
     */
    public void add(Counter counter, long n) {
        int slot = counter.ordinal();
        // There is only one writer, so a plain read returns its last write.
        VALUES.setRelease(values, slot, values[slot] + n);
    }

    /** {@inheritDoc} A release store pairs with this acquire load. */
    @Override
    public long get(Counter counter) {
        return (long) VALUES.getAcquire(values, counter.ordinal());
    }

    /** Returns all counters that are not 0. */
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
