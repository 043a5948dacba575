package io.iwarp.tools.cli;

import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Counts and times operations. One thread at a time records: the event loop of the measured connections. Any thread
 * reads the counts, each a snapshot, and one thread takes the times.
 */
public class Meter {
    /** Of the recorded times. */
    public static final int SIGNIFICANT_DIGITS = 3;

    private final SingleWriterRecorder times = new SingleWriterRecorder(SIGNIFICANT_DIGITS);
    private final AtomicLong operations = new AtomicLong();
    private final AtomicLong timed = new AtomicLong();

    /** Records that some operations are done. */
    public final void done(long count) {
        operations.setRelease(operations.getPlain() + count);
    }

    /** Records the time of one operation. */
    public final void took(long nanos) {
        times.recordValue(Math.max(0, nanos));
        timed.setRelease(timed.getPlain() + 1);
    }

    /** Returns the number of operations so far. */
    public final long operations() {
        return operations.getAcquire();
    }

    /** Returns the number of timed operations so far. */
    public final long timed() {
        return timed.getAcquire();
    }

    /** Returns the times in nanoseconds since the last call. */
    final Histogram takeTimes() {
        return times.getIntervalHistogram();
    }
}
