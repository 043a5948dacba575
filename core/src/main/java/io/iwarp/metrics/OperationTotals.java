package io.iwarp.metrics;

import io.iwarp.Operation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.stream.Stream;

/**
 * Operations, their bytes and their latency, of all connections of one event loop. Only this event loop writes. Any thread
 * may read. Recording does not lock or allocate.
 */
final class OperationTotals {
    private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(long[].class);

    /** The operations that are counted separately. A receive counts as a Send. */
    static final List<Operation> COUNTED = Stream.of(Operation.values())
            .filter(each -> each != Operation.RECEIVE)
            .toList();

    /** For each operation one of each of these, in this order. */
    private static final int OUTBOUND = 0;

    private static final int OUTBOUND_BYTES = 1;
    private static final int INBOUND = 2;
    private static final int INBOUND_BYTES = 3;
    private static final int FLUSHED = 4;
    private static final int TIMED = 5;
    private static final int TIMED_NANOS = 6;
    private static final int PER_OPERATION = 7;
    private static final int OUTSTANDING_BYTES = COUNTED.size() * PER_OPERATION;

    private final long[] values = new long[OUTSTANDING_BYTES + 1];

    @SuppressWarnings("EnumOrdinal") // The index is used in memory only and never stored or sent.
    private static int slot(Operation operation, int what) {
        return (operation == Operation.RECEIVE ? Operation.SEND : operation).ordinal() * PER_OPERATION + what;
    }

    private void add(int slot, long n) {
        // There is only one writer, so a plain read returns its last write. An opaque write is not torn or optimised
        // away.
        VALUES.setOpaque(values, slot, values[slot] + n);
    }

    private long get(int slot) {
        return (long) VALUES.getOpaque(values, slot);
    }

    void completed(Operation operation, long bytes) {
        add(slot(operation, OUTBOUND), 1);
        add(slot(operation, OUTBOUND_BYTES), bytes);
    }

    void flushed(Operation operation) {
        add(slot(operation, FLUSHED), 1);
    }

    void served(Operation operation, long bytes) {
        add(slot(operation, INBOUND), 1);
        add(slot(operation, INBOUND_BYTES), bytes);
    }

    void took(Operation operation, long nanos) {
        add(slot(operation, TIMED), 1);
        add(slot(operation, TIMED_NANOS), nanos);
    }

    /** Adds bytes: positive when requests are handed over, negative when they complete. */
    void outstanding(long bytes) {
        add(OUTSTANDING_BYTES, bytes);
    }

    /** Adds all totals of another object. Both must have no other writer. */
    void addAll(OperationTotals other) {
        for (int slot = 0; slot < values.length; slot++) {
            add(slot, other.get(slot));
        }
    }

    long completed(Operation operation) {
        return get(slot(operation, OUTBOUND));
    }

    long completedBytes(Operation operation) {
        return get(slot(operation, OUTBOUND_BYTES));
    }

    long flushedRequests(Operation operation) {
        return get(slot(operation, FLUSHED));
    }

    long served(Operation operation) {
        return get(slot(operation, INBOUND));
    }

    long servedBytes(Operation operation) {
        return get(slot(operation, INBOUND_BYTES));
    }

    long timed(Operation operation) {
        return get(slot(operation, TIMED));
    }

    long timedNanos(Operation operation) {
        return get(slot(operation, TIMED_NANOS));
    }

    long outstandingBytes() {
        return get(OUTSTANDING_BYTES);
    }
}
