package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.metrics.QueueLimit;
import org.jspecify.annotations.Nullable;

/** The reason why a request was not posted. */
final class Refusal implements Claim {
    private final RuntimeException exception;
    private final @Nullable QueueLimit limit;

    private Refusal(RuntimeException exception, @Nullable QueueLimit limit) {
        this.exception = exception;
        this.limit = limit;
    }

    /** Returns the refusal by a stream that is closing or has ended. */
    static Refusal closed(CloseReason reason) {
        return new Refusal(new QueuePairClosedException(reason), null);
    }

    /** Returns the refusal by a full queue. */
    static Refusal full(QueueLimit limit, QueueFullException full) {
        return new Refusal(full, limit);
    }

    /** Returns the refusal of a request that does not fit even if no other is outstanding. */
    static Refusal tooLarge(long bytes, long limit) {
        return new Refusal(
                new IllegalArgumentException("a request of " + bytes + " bytes exceeds maximumOutstandingBytes, "
                        + limit + ": post it in smaller pieces, or configure more"),
                QueueLimit.BYTES);
    }

    /** Returns the refusal of a receive by a queue pair with another source of receives. */
    static Refusal notPosted(String instead) {
        return new Refusal(new IllegalStateException("no receives are posted on this queue pair: " + instead), null);
    }

    /** Returns the exception to throw. */
    RuntimeException exception() {
        return exception;
    }

    /** Returns the limit that was reached, or null if no limit was reached. */
    @Nullable
    QueueLimit limit() {
        return limit;
    }
}
