package io.iwarp.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Operations, their octets and how long they took, of all connections of one event loop. That event loop alone writes; any
 * thread reads. Recording does not lock or allocate.
 */
final class OperationTotals {
    /** The upper bounds of the latency buckets are powers of two: this one for the first, 1,024 ns. */
    static final int FIRST_BUCKET_EXPONENT = 10;
    /** This one for the last but one, some 8.6 s; what took longer falls into the last. */
    static final int LAST_BUCKET_EXPONENT = 33;

    static final int BUCKETS = LAST_BUCKET_EXPONENT - FIRST_BUCKET_EXPONENT + 2;

    private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(long[].class);

    private static final int KINDS = OperationKind.values().length;
    /** For each kind one of each of these, in this order, then its buckets. */
    private static final int OUTBOUND = 0;

    private static final int OUTBOUND_OCTETS = 1;
    private static final int INBOUND = 2;
    private static final int INBOUND_OCTETS = 3;
    private static final int FLUSHED = 4;
    private static final int TIMED = 5;
    private static final int TIMED_NANOS = 6;
    private static final int FIRST_BUCKET = 7;
    private static final int PER_KIND = FIRST_BUCKET + BUCKETS;
    private static final int OUTSTANDING_OCTETS = KINDS * PER_KIND;

    private final long[] values = new long[OUTSTANDING_OCTETS + 1];

    private static int slot(OperationKind kind, int what) {
        return kind.slot() * PER_KIND + what;
    }

    private void add(int slot, long n) {
        // There is one writer, so a plain read is of its own last write; an opaque write cannot be torn or left out.
        VALUES.setOpaque(values, slot, values[slot] + n);
    }

    private long get(int slot) {
        return (long) VALUES.getOpaque(values, slot);
    }

    void completed(OperationKind kind, long octets) {
        add(slot(kind, OUTBOUND), 1);
        add(slot(kind, OUTBOUND_OCTETS), octets);
    }

    void flushed(OperationKind kind) {
        add(slot(kind, FLUSHED), 1);
    }

    void served(OperationKind kind, long octets) {
        add(slot(kind, INBOUND), 1);
        add(slot(kind, INBOUND_OCTETS), octets);
    }

    void took(OperationKind kind, long nanos) {
        add(slot(kind, TIMED), 1);
        add(slot(kind, TIMED_NANOS), nanos);
        add(slot(kind, FIRST_BUCKET + bucket(nanos)), 1);
    }

    /** The bucket of a duration: the first whose upper bound is not less. */
    static int bucket(long nanos) {
        int exponent = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, nanos) - 1);
        return Math.max(FIRST_BUCKET_EXPONENT, Math.min(LAST_BUCKET_EXPONENT + 1, exponent)) - FIRST_BUCKET_EXPONENT;
    }

    /** Positive when requests are handed over, negative when they complete. */
    void outstanding(long octets) {
        add(OUTSTANDING_OCTETS, octets);
    }

    /** Takes over all of another's. Both must have no other writer. */
    void addAll(OperationTotals other) {
        for (int slot = 0; slot < values.length; slot++) {
            add(slot, other.get(slot));
        }
    }

    long completed(OperationKind kind) {
        return get(slot(kind, OUTBOUND));
    }

    long completedOctets(OperationKind kind) {
        return get(slot(kind, OUTBOUND_OCTETS));
    }

    long flushedRequests(OperationKind kind) {
        return get(slot(kind, FLUSHED));
    }

    long served(OperationKind kind) {
        return get(slot(kind, INBOUND));
    }

    long servedOctets(OperationKind kind) {
        return get(slot(kind, INBOUND_OCTETS));
    }

    long timed(OperationKind kind) {
        return get(slot(kind, TIMED));
    }

    long timedNanos(OperationKind kind) {
        return get(slot(kind, TIMED_NANOS));
    }

    /** How many took no longer than the upper bound of a bucket. */
    long withinBucket(OperationKind kind, int bucket) {
        long sum = 0;
        for (int i = 0; i <= bucket; i++) {
            sum += get(slot(kind, FIRST_BUCKET + i));
        }
        return sum;
    }

    long outstandingOctets() {
        return get(OUTSTANDING_OCTETS);
    }
}
