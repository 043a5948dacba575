package io.iwarp.verbs;

import io.iwarp.IwarpException;
import java.util.Arrays;
import java.util.Locale;

/**
 * A post exceeds the depth of a queue, or what is left of a limit of bytes. Nothing was posted; post again when there
 * is {@linkplain SendQueue#whenRoom room}. A future fails with it, if it exceeds
 * {@link QueuePairSettings#maxPendingPosts} or {@link QueuePairSettings#maxPendingBytes}; a post with an id throws it.
 * It has no stack trace.
 */
public final class QueueFullException extends IwarpException {
    private static final long serialVersionUID = 1L;

    private final String format;
    private final long[] numbers;

    private QueueFullException(String format, long... numbers) {
        super((String) null);
        this.format = format;
        this.numbers = numbers;
    }

    /** Returns which queue or limit is full, its size, and what to do. */
    @Override
    public String getMessage() {
        return String.format(Locale.ROOT, format, Arrays.stream(numbers).boxed().toArray());
    }

    static QueueFullException ofSends(int depth, int pending) {
        return new QueueFullException(
                "the send queue has no place for a post with an id: its sendQueueDepth is %d, and %d posts with a"
                        + " future are pending: wait for room, or configure more",
                depth, pending);
    }

    static QueueFullException ofPending(int max) {
        return new QueueFullException(
                "%d posts with a future are pending, the maxPendingPosts: wait for a completion, or configure more",
                max);
    }

    static QueueFullException ofPendingBytes(long asked, long taken, long limit) {
        return new QueueFullException(
                "a request of %d bytes was posted while pending ones have %d of %d bytes, the maxPendingBytes: wait for"
                        + " a completion, or configure more",
                asked, taken, limit);
    }

    static QueueFullException ofReceives(int depth) {
        return new QueueFullException(
                "the receive queue holds %d uncompleted receives, its receiveQueueDepth: wait for a completion, or"
                        + " configure more",
                depth);
    }

    static QueueFullException ofSharedReceives(int depth) {
        return new QueueFullException(
                "the shared receive queue holds %d uncompleted receives, its depth: wait for a completion, or create a"
                        + " deeper queue",
                depth);
    }

    static QueueFullException ofBytes(long asked, long taken, long limit) {
        return new QueueFullException(
                "a request of %d bytes was posted while uncompleted ones have %d of the %d bytes that they may have"
                        + " together: wait for a completion, or configure greater maxOutstandingBytes",
                asked, taken, limit);
    }
}
