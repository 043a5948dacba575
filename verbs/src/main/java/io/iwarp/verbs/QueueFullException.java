package io.iwarp.verbs;

import io.iwarp.IwarpException;
import java.util.Arrays;
import java.util.Locale;

/**
 * A post exceeds the depth of a queue, or the bytes that a limit leaves. The request was not posted; post it again when
 * there is {@linkplain SendQueue#whenRoom room}. A future fails with it, if it exceeds
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
                "send queue full (sendQueueDepth: %d, pending: %d); wait for room or increase sendQueueDepth",
                depth, pending);
    }

    static QueueFullException ofPending(int max) {
        return new QueueFullException(
                "too many pending posts (maxPendingPosts: %d); wait for a completion or increase maxPendingPosts", max);
    }

    static QueueFullException ofPendingBytes(long requested, long used, long limit) {
        return new QueueFullException(
                "too many pending bytes (requested: %d, pending: %d, maxPendingBytes: %d);"
                        + " wait for a completion or increase maxPendingBytes",
                requested, used, limit);
    }

    static QueueFullException ofReceives(int depth) {
        return new QueueFullException(
                "receive queue full (receiveQueueDepth: %d); wait for a completion or increase receiveQueueDepth",
                depth);
    }

    static QueueFullException ofSharedReceives(int depth) {
        return new QueueFullException(
                "shared receive queue full (depth: %d); wait for a completion or create a deeper queue", depth);
    }

    static QueueFullException ofBytes(long requested, long used, long limit) {
        return new QueueFullException(
                "too many outstanding bytes (requested: %d, outstanding: %d, maxOutstandingBytes: %d);"
                        + " wait for a completion or increase maxOutstandingBytes",
                requested, used, limit);
    }
}
