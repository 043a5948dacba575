package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ProtocolFault;
import io.iwarp.internal.ByteBudget;
import io.iwarp.metrics.QueueLimit;
import io.iwarp.rdmap.RequestQueue;
import io.iwarp.rdmap.StreamState;
import io.netty.channel.Channel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Handles requests other than receives from post to completion: byte budget, slot, wake-up of the event loop, RDMAP,
 * completion.
 */
final class SendSide implements RequestQueue {
    private final PostRing<WorkRequest> ring;
    private final @Nullable ByteBudget budget;
    private final Channel channel;
    private final StreamState state;
    private final DrainSchedule drains;
    private final @Nullable QueuePairMetrics metrics;
    private final @Nullable FlightEvents flight;
    private final Completion completion = new Completion();

    /**
     * @param budget null if bytes are not limited
     * @param metrics null if metrics are disabled
     * @param flight null if operations are not recorded
     */
    SendSide(
            PostRing<WorkRequest> ring,
            @Nullable ByteBudget budget,
            Channel channel,
            StreamState state,
            DrainSchedule drains,
            @Nullable QueuePairMetrics metrics,
            @Nullable FlightEvents flight) {
        this.ring = ring;
        this.budget = budget;
        this.channel = channel;
        this.state = state;
        this.drains = drains;
        this.metrics = metrics;
        this.flight = flight;
    }

    PostRing<WorkRequest> ring() {
        return ring;
    }

    /**
     * Any thread: claims a slot for a request of {@code bytes} bytes, to fill and {@link #publish}.
     *
     * @throws QueuePairClosedException if the stream is ending or has ended
     * @throws QueueFullException if the queue is full, or too many bytes are outstanding
     * @throws IllegalArgumentException if the request does not fit even if no other is outstanding
     */
    WorkRequest claim(long bytes) {
        CloseReason over = state.overReason();
        if (over != null) {
            throw new QueuePairClosedException(over);
        }
        ByteBudget byteBudget = budget;
        if (byteBudget != null && !byteBudget.take(bytes)) {
            throw refused(
                    QueueLimit.BYTES,
                    bytes > byteBudget.limit()
                            ? new IllegalArgumentException("a request of " + bytes
                                    + " bytes exceeds maximumOutstandingBytes, " + byteBudget.limit()
                                    + ": post it in smaller pieces, or configure more")
                            : QueueFullException.ofBytes(bytes, byteBudget.taken(), byteBudget.limit()));
        }
        long position = ring.claim();
        if (position == PostRing.FULL) {
            giveBack(bytes);
            throw refused(QueueLimit.SEND, QueueFullException.ofSends(ring.most(), ring.depth() - ring.most()));
        }
        WorkRequest request = ring.slot(position);
        request.position(position);
        return request;
    }

    /** The queue of an ended stream is full as well: reports the stream's end instead. */
    private RuntimeException refused(QueueLimit limit, RuntimeException full) {
        CloseReason over = state.overReason();
        if (over != null) {
            return new QueuePairClosedException(over);
        }
        if (metrics != null) {
            metrics.refused(limit);
        }
        return full;
    }

    private void giveBack(long bytes) {
        if (budget != null) {
            budget.give(bytes);
        }
    }

    /** Any thread: publishes a claimed request. */
    void publish(WorkRequest request) {
        if (metrics != null) {
            metrics.posted(request);
        }
        if (flight != null) {
            flight.posted(request);
        }
        ring.publish(request.position());
        drains.wake();
    }

    @Override
    public @Nullable WorkRequest next() {
        return ring.next();
    }

    @Override
    public void start() {
        WorkRequest request = Objects.requireNonNull(ring.take(), "started more than was posted");
        if (metrics != null) {
            metrics.submitted(request);
        }
    }

    @Override
    public int waiting() {
        return ring.untaken();
    }

    /** Returns the fault if the application misused the memory of a request; the request then waits for the {@link #flush}. */
    @Override
    public @Nullable ProtocolFault completeDone() {
        for (WorkRequest oldest = ring.oldest(); oldest != null && oldest.done(); oldest = ring.oldest()) {
            ProtocolFault fault = oldest.fillSink();
            if (fault != null) {
                return fault;
            }
            complete(oldest, null);
        }
        return null;
    }

    /** Event loop: flushes all started or posted requests with the close reason. */
    void flush(CloseReason reason) {
        WorkRequest request = oldestOrNext();
        while (request != null) {
            complete(request, reason);
            request = oldestOrNext();
        }
    }

    private @Nullable WorkRequest oldestOrNext() {
        WorkRequest oldest = ring.oldest();
        return oldest == null ? ring.take() : oldest;
    }

    private void complete(WorkRequest request, @Nullable CloseReason reason) {
        request.tell(completion, reason);
        if (metrics != null) {
            metrics.completed(request, reason == null);
        }
        if (flight != null) {
            flight.completed(request, reason == null);
        }
        CompletionTarget target = request.target();
        giveBack(request.bytes());
        request.clear();
        ring.retire();
        Application.complete(channel, target, completion, ring);
    }
}
