package io.iwarp.tools.cli;

import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Counts and times operations. One thread at a time records, for example the event loop of the measured connections.
 * Any thread reads the counts, each a snapshot, and one thread takes the times.
 */
public final class Meter {
    /** Of the recorded times. */
    public static final int SIGNIFICANT_DIGITS = 3;

    private final SingleWriterRecorder times = new SingleWriterRecorder(SIGNIFICANT_DIGITS);
    private final AtomicLong own = new AtomicLong();
    private final AtomicLong ofPeer = new AtomicLong();
    private final AtomicLong timed = new AtomicLong();

    /** Records that some operations of this side are done. */
    public void done(long count) {
        own.setRelease(own.getPlain() + count);
    }

    /** Records that some operations of the peer are done. */
    public void doneByPeer(long count) {
        ofPeer.setRelease(ofPeer.getPlain() + count);
    }

    /** Records the time of one operation. */
    public void took(long nanos) {
        times.recordValue(Math.max(0, nanos));
        timed.setRelease(timed.getPlain() + 1);
    }

    /** Returns the number of operations of this side so far. */
    public long own() {
        return own.getAcquire();
    }

    /** Returns the number of operations of the peer so far. */
    public long ofPeer() {
        return ofPeer.getAcquire();
    }

    /** Returns the number of timed operations so far. */
    public long timed() {
        return timed.getAcquire();
    }

    /** Returns the times in nanoseconds since the last call. */
    Histogram takeTimes() {
        return times.getIntervalHistogram();
    }
}
