package io.iwarp.internal.metrics;

import io.iwarp.Operation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.stream.Stream;

/**
 * The operations of all connections of one event loop. Only this event loop writes. Any thread may read. Adding does
 * not lock or allocate.
 */
public final class EventLoopTotals {
    private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(long[].class);

    /** The operations that are counted separately. A receive counts as a Send. */
    public static final List<Operation> COUNTED = Stream.of(Operation.values())
            .filter(each -> each != Operation.RECEIVE)
            .toList();

    /** The values that are summed for each operation. */
    enum Total {
        COMPLETED,
        COMPLETED_BYTES,
        SERVED,
        SERVED_BYTES,
        FLUSHED,
        TIMED,
        TIMED_NANOS,
        OUTSTANDING_BYTES
    }

    private static final int TOTALS = Total.values().length;

    private final long[] values = new long[COUNTED.size() * TOTALS];

    /** The open connections of the event loop. Guarded by the lock of the {@link DefaultIwarpMetrics}. */
    int connections;

    @SuppressWarnings("EnumOrdinal") // The index is used in memory only and never stored or sent.
    private static int slot(Operation operation, Total total) {
        return (operation == Operation.RECEIVE ? Operation.SEND : operation).ordinal() * TOTALS + total.ordinal();
    }

    private void add(int slot, long n) {
        // There is only one writer, so a plain read returns its last write. An opaque write is not torn or optimised
        // away.
        VALUES.setOpaque(values, slot, values[slot] + n);
    }

    private long get(int slot) {
        return (long) VALUES.getOpaque(values, slot);
    }

    void add(Operation operation, Total total, long n) {
        add(slot(operation, total), n);
    }

    /** Adds all totals of another object. Both must have no other writer. */
    void addAll(EventLoopTotals other) {
        for (int slot = 0; slot < values.length; slot++) {
            add(slot, other.get(slot));
        }
    }

    long get(Operation operation, Total total) {
        return get(slot(operation, total));
    }
}
