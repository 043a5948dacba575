package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.Operation;
import io.iwarp.internal.ByteBudget;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.metrics.QueueLimit;
import io.iwarp.rdmap.RequestQueue;
import io.iwarp.rdmap.StreamState;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of a stream: its requests from the claim of a slot to the completion, and the posts that wait for a
 * slot. {@link RequestPoster} claims a slot, fills it and publishes it, on any thread; that wakes the event loop, which
 * passes the request to RDMAP and completes it.
 *
 * <p>A refused claim has no effect. A claimed slot that is never published would block all later slots, so nothing
 * throws between claim and publication.
 */
final class PostedRequests implements RequestQueue, QueueSlots {
    /** The position of a request that waits for a slot. */
    private static final long PENDING = -2;

    private final PostRing<WorkRequest> ring;
    /** The posts that wait for a slot; null until the first post has to wait. */
    private final AtomicReference<@Nullable PendingPosts> pendingPosts = new AtomicReference<>();

    private final int maxPendingPosts;
    private final long maxPendingBytes;
    /** The number of Reads and atomics that are posted and not complete. */
    private final AtomicInteger outstandingReadCount = new AtomicInteger();

    private final Queue<RoomFuture> roomWaiters = new ConcurrentLinkedQueue<>();
    /** Null if bytes are not limited. */
    private final @Nullable ByteBudget budget;

    /** The completion target of requests with an id that have no target of their own. */
    private volatile @Nullable CompletionTarget defaultTarget;

    /** The ORD; negative before the set-up. Any thread reads it, the event loop writes it. */
    private volatile int ord = -1;

    private final Channel channel;
    private final StreamState state;
    private final DrainSchedule drains;
    private final QueuePairRecorder recorder;
    private final CompletionView completion = new CompletionView();

    PostedRequests(
            Channel channel,
            QueuePairSettings settings,
            StreamState state,
            DrainSchedule drains,
            QueuePairRecorder recorder) {
        this.channel = channel;
        this.state = state;
        this.drains = drains;
        this.recorder = recorder;
        ring = new PostRing<>(settings.sendQueueDepth(), () -> new WorkRequest(this::cancel));
        maxPendingPosts = settings.maxPendingPosts();
        maxPendingBytes = settings.maxPendingBytes();
        long bytes = settings.maxOutstandingBytes();
        budget = bytes == Long.MAX_VALUE ? null : new ByteBudget(bytes);
    }

    /** Sets the default target of requests that are posted with an id. */
    void setTarget(CompletionTarget newTarget) {
        defaultTarget = newTarget;
    }

    /** Returns the default target, or null if none is set. */
    @Nullable
    CompletionTarget target() {
        return defaultTarget;
    }

    PostRing<WorkRequest> ring() {
        return ring;
    }

    /** Event loop: sets the negotiated ORD, the maximum number of outstanding Reads and atomics. */
    void setOrd(int agreedOrd) {
        ord = agreedOrd;
    }

    /** Any thread: refuses a Read or atomic if the set-up agreed on none. */
    void requireReads() {
        if (ord == 0) {
            throw new UnsupportedOperationException(
                    "the set-up agreed on an ORD of 0, so this side cannot send a Read or atomic: raise the ORD here"
                            + " and the IRD of the peer");
        }
    }

    /** Any thread: returns the posts that wait for a slot, which exist from the first one on. */
    private PendingPosts pendingPosts() {
        PendingPosts existing = pendingPosts.get();
        if (existing == null) {
            pendingPosts.compareAndSet(null, new PendingPosts(maxPendingPosts, maxPendingBytes));
            existing = Objects.requireNonNull(pendingPosts.get());
        }
        return existing;
    }

    /** Any thread: returns the number of posts that wait for a slot. Exact on the event loop once closed. */
    private int pendingCount() {
        PendingPosts existing = pendingPosts.get();
        return existing == null ? 0 : existing.size();
    }

    /**
     * Any thread: claims a slot for a request of {@code bytes} bytes, to fill and {@link #publish}. If its completion
     * goes to a future, and the queue is full, it becomes a pending post instead.
     *
     * @throws ConnectionClosedException if the stream is ending or has ended
     * @throws QueueFullException if the queue is full, or too many bytes are outstanding
     * @throws IllegalArgumentException if the request does not fit even if no other is outstanding
     */
    WorkRequest claim(long bytes, PostOptions options, CompletionTarget target) {
        Objects.requireNonNull(options, "options are null: use PostOptions.NONE");
        if (budget != null && bytes > budget.limit()) {
            throw new IllegalArgumentException("a request of " + bytes + " bytes exceeds maxOutstandingBytes, "
                    + budget.limit() + ": post it in smaller pieces, or configure more");
        }
        CloseReason endReason = state.refusalReason();
        if (endReason != null) {
            throw new ConnectionClosedException(endReason);
        }
        if (target instanceof PostUnit unit) {
            return claimOf(unit, bytes);
        }
        if (pendingCount() == 0 && tryReserveBytes(bytes)) {
            long position = ring.claim();
            if (position != PostRing.FULL) {
                return slot(position, bytes);
            }
            releaseBytes(bytes);
        }
        if (target instanceof LoopFuture<?> && pendingPosts().reserve(bytes)) {
            WorkRequest pendingRequest = new WorkRequest(this::cancel);
            pendingRequest.claimed(PENDING, bytes);
            return pendingRequest;
        }
        throw refusal(bytes, target instanceof LoopFuture<?>);
    }

    private WorkRequest claimOf(PostUnit unit, long bytes) {
        long position = unit.nextPosition();
        if (!tryReserveBytes(bytes)) {
            throw refusal(bytes, false);
        }
        unit.onFilled();
        return slot(position, bytes);
    }

    /** The claimer: returns the slot at a claimed position. */
    private WorkRequest slot(long position, long bytes) {
        WorkRequest request = ring.slot(position);
        request.claimed(position, bytes);
        return request;
    }

    /** Any thread: reserves bytes of the budget. Returns false if too few are left. */
    private boolean tryReserveBytes(long bytes) {
        return budget == null || budget.tryReserve(bytes);
    }

    private void releaseBytes(long bytes) {
        if (budget != null) {
            budget.release(bytes);
            wakeRoomWaiters();
        }
    }

    private RuntimeException refusal(long bytes, boolean mayBePending) {
        // The queue of an ended stream is full as well: the stream's end is the reason then.
        CloseReason endReason = state.refusalReason();
        if (endReason != null) {
            return new ConnectionClosedException(endReason);
        }
        if (mayBePending) {
            boolean full = pendingCount() >= maxPendingPosts;
            recorder.onRefused(full ? QueueLimit.SEND : QueueLimit.BYTES);
            return full
                    ? QueueFullException.ofPending(maxPendingPosts)
                    : QueueFullException.ofPendingBytes(bytes, pendingPosts().bytes(), maxPendingBytes);
        }
        if (budget != null && bytes > budget.limit() - budget.reservedBytes()) {
            recorder.onRefused(QueueLimit.BYTES);
            return QueueFullException.ofBytes(bytes, budget.reservedBytes(), budget.limit());
        }
        recorder.onRefused(QueueLimit.SEND);
        return QueueFullException.ofSends(ring.depth(), pendingCount());
    }

    /** Any thread: fills in the rest of a claimed request and publishes it. */
    void publish(WorkRequest request, long id, Operation operation, PostOptions options, CompletionTarget target) {
        request.fenced(options.fenced);
        if (target instanceof PostUnit unit) {
            request.set(id, operation, unit.target());
            record(request);
            return;
        }
        request.set(id, operation, target);
        record(request);
        if (target instanceof LoopFuture<?> future) {
            future.attach(request);
        }
        if (request.position() == PENDING) {
            pendingPosts().add(request);
        } else {
            ring.publish(request.position());
        }
        drains.wake();
    }

    private void record(WorkRequest request) {
        if (request.awaitsResponse()) {
            outstandingReadCount.incrementAndGet();
        }
        if (recorder.recordsRequests) {
            recorder.onPosted(request);
        }
    }

    /**
     * Any thread: posts several requests as one unit: all or none, with no other request between them.
     *
     * @param posts posts exactly {@code count} requests to the target it gets
     */
    void post(int count, CompletionTarget target, Consumer<CompletionTarget> posts) {
        if (count < 1 || count > ring.depth()) {
            throw new IllegalArgumentException(
                    "a unit of " + count + " requests (expected: 1 to sendQueueDepth, " + ring.depth() + ")");
        }
        CloseReason endReason = state.refusalReason();
        if (endReason != null) {
            throw new ConnectionClosedException(endReason);
        }
        long first = pendingCount() == 0 ? ring.claim(count) : PostRing.FULL;
        if (first == PostRing.FULL) {
            throw refusal(0, false);
        }
        PostUnit unit = new PostUnit(target, first, count);
        boolean complete = false;
        try {
            posts.accept(unit);
            unit.requireComplete();
            complete = true;
        } finally {
            for (int i = 0; i < count; i++) {
                if (!complete) {
                    cancelUnpublished(first + i, i < unit.filledCount());
                }
                ring.publish(first + i);
            }
            drains.wake();
        }
    }

    /** Any thread: returns the number of posted requests whose completion is not reported, pending posts included. */
    int outstanding() {
        return ring.unreleasedCount() + pendingCount();
    }

    /** Any thread: returns how many requests with an id can be posted now. It may change at any time. */
    int room() {
        return pendingCount() == 0 ? ring.depth() - ring.unreleasedCount() : 0;
    }

    /** Any thread: returns how many Reads and atomics may be posted that start without waiting for a response. */
    int readRoom() {
        return Math.max(0, ord - outstandingReadCount.get());
    }

    /** Any thread: returns a future that completes on the event loop when there is room for requests. */
    CompletableFuture<Void> whenRoom(int requests) {
        if (requests < 1 || requests > ring.depth()) {
            throw new IllegalArgumentException(
                    "room for " + requests + " requests (expected: 1 to sendQueueDepth, " + ring.depth() + ")");
        }
        RoomFuture future = new RoomFuture(channel.eventLoop(), requests);
        roomWaiters.add(future);
        future.whenComplete((nothing, failure) -> roomWaiters.remove(future));
        drains.wake();
        return future;
    }

    private static final class RoomFuture extends LoopFuture<Void> {
        private final int requestCount;

        RoomFuture(EventLoop loop, int requests) {
            super(loop);
            this.requestCount = requests;
        }
    }

    /** Event loop: completes the oldest futures for which there is room. */
    void reportRoom() {
        for (RoomFuture first = roomWaiters.peek();
                first != null && first.requestCount <= room();
                first = roomWaiters.peek()) {
            first.complete(null);
        }
    }

    // The event loop.

    /** Moves pending posts into the ring while there is room. */
    private void movePendingToRing() {
        PendingPosts pending = pendingPosts();
        for (WorkRequest first = pending.peek(); first != null; first = pending.peek()) {
            long bytes = first.reservedBytes();
            if (first.isCancelRequested()) {
                cancelUnstarted(first);
                continue;
            }
            if (!tryReserveBytes(bytes)) {
                return;
            }
            long position = ring.claimEvenIfClosed();
            if (position == PostRing.FULL) {
                if (budget != null) {
                    budget.release(bytes);
                }
                return;
            }
            first.claimed(position, bytes);
            ring.replaceSlot(position, first);
            pending.remove(first, bytes);
            ring.publish(position);
        }
    }

    @Override
    public @Nullable WorkRequest next() {
        while (true) {
            if (pendingCount() > 0) {
                movePendingToRing();
            }
            WorkRequest next = ring.next();
            if (next == null || !next.isCancelRequested()) {
                return next;
            }
            cancelUnstarted(next);
            ring.start();
            completeDone();
        }
    }

    @Override
    public void start() {
        WorkRequest request = ring.start();
        request.start();
        if (recorder.recordsRequests) {
            recorder.onSubmitted(request);
        }
    }

    @Override
    public int waitingCount() {
        return ring.unstartedCount() + pendingCount();
    }

    /** Refuses further posts. May be called again. */
    void close() {
        ring.close();
        pendingPosts().close();
    }

    /**
     * Returns the fault if the application misused the memory of a request; the request then waits for the
     * {@link #flush}.
     */
    @Override
    public @Nullable ProtocolFault completeDone() {
        for (WorkRequest oldest = ring.oldest(); oldest != null && oldest.isFinished(); oldest = ring.oldest()) {
            ProtocolFault fault = oldest.fillSink();
            if (fault != null) {
                return fault;
            }
            complete(oldest, null);
        }
        return null;
    }

    /**
     * Event loop: flushes all started or posted requests with the close reason. A thread that is posting at this moment
     * requests another flush after it has published, which also reaches the posts behind its own.
     */
    void flush(CloseReason reason) {
        WorkRequest request = oldestOrNext();
        while (request != null) {
            complete(request, reason);
            request = oldestOrNext();
        }
        PendingPosts pending = pendingPosts();
        for (WorkRequest first = pending.peek(); first != null && ring.unstartedCount() == 0; first = pending.peek()) {
            pending.remove(first, first.reservedBytes());
            CompletionTarget target = finish(first, reason);
            if (target instanceof LoopFuture<?> future) {
                future.completeWith(completion);
            }
        }
        for (RoomFuture first = roomWaiters.poll(); first != null; first = roomWaiters.poll()) {
            first.completeExceptionally(new ConnectionClosedException(reason));
        }
        CompletionTarget completionTarget = defaultTarget;
        if (completionTarget != null) {
            completionTarget.end();
        }
    }

    private @Nullable WorkRequest oldestOrNext() {
        WorkRequest oldest = ring.oldest();
        return oldest == null ? ring.startNext() : oldest;
    }

    private void complete(WorkRequest request, @Nullable CloseReason reason) {
        long bytes = request.reservedBytes();
        CompletionTarget target = finish(request, reason);
        releaseBytes(bytes);
        ring.done();
        if (target == null) {
            release();
        } else {
            target.complete(completion, this);
        }
    }

    /**
     * Fills the {@link #completion} and ends the use of the memory.
     *
     * @return the target to report to; null if there is none, or the application has settled the future
     */
    private @Nullable CompletionTarget finish(WorkRequest request, @Nullable CloseReason reason) {
        CompletionTarget target = request.target();
        boolean isReported = target != null && target.settle();
        if (target != null && request.awaitsResponse()) {
            outstandingReadCount.decrementAndGet();
        }
        request.report(completion, reason);
        if (recorder.recordsRequests && target != null) {
            recorder.onCompleted(request, reason == null && !request.isCancelled());
        }
        request.clear();
        return isReported ? target : null;
    }

    // Cancellation.

    /** Any thread: called when the application has settled the future of a request. */
    void cancel(WorkRequest request, LoopFuture<?> future) {
        drains.execute(() -> {
            // Otherwise it has completed, and the slot may hold another request.
            if (request.target() == future) {
                if (!request.started()) {
                    cancelUnstarted(request);
                } else if (request.operation() == Operation.READ) {
                    request.releaseMemory();
                }
            }
        });
    }

    /** Event loop: ends a request that has not begun. Its slot, if it has one, stays until its turn. */
    private void cancelUnstarted(WorkRequest request) {
        if (request.position() == PENDING) {
            if (pendingPosts().remove(request, request.reservedBytes())) {
                finish(request, null);
            }
        } else {
            cancelInSlot(request);
        }
    }

    /** Claiming thread: cancels the request at an unpublished position, which is not reported. */
    private void cancelUnpublished(long position, boolean isFilled) {
        WorkRequest request = isFilled ? ring.slot(position) : slot(position, 0);
        if (isFilled && request.awaitsResponse()) {
            outstandingReadCount.decrementAndGet();
        }
        request.set(0, Operation.SEND, null);
        cancelInSlot(request);
    }

    /** Cancels a request that has not begun. Called by the owner of its slot. May be called again. */
    private void cancelInSlot(WorkRequest request) {
        long bytes = request.reservedBytes();
        request.cancel();
        if (bytes > 0) {
            releaseBytes(bytes);
        }
    }

    // What limits the requests.

    @Override
    public int depth() {
        return ring.depth();
    }

    /** Returns the number of requests in the send queue that have not been reported. */
    @Override
    public int unreleasedCount() {
        return ring.unreleasedCount();
    }

    @Override
    public void allowReleaseByAnyThread() {
        ring.allowReleaseByAnyThread();
    }

    @Override
    public void release() {
        ring.release();
        wakeRoomWaiters();
    }

    /** Any thread: wakes the event loop if a pending post or a future waits for room. */
    private void wakeRoomWaiters() {
        if (pendingCount() > 0 || !roomWaiters.isEmpty()) {
            drains.wake();
        }
    }

    @Override
    public String toString() {
        return channel + ", " + ring.unreleasedCount() + " of " + ring.depth() + " requests posted, " + pendingCount()
                + " pending";
    }
}
