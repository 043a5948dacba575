package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.StreamAssociation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The receives that one queue pair takes from a {@link ReceivePool}: one for each message that begins, up to its share.
 */
final class SharedReceives extends ReceiveSource implements QueueSlots {
    private final Supplier<@Nullable CompletionTarget> target;
    private final ReceivePool.User poolUser;
    private final int share;
    private final Runnable limitListener;
    /** One receive per incomplete message, in delivery order; rarely more than one. */
    private final List<ReceiveRequest> currentReceives = new ArrayList<>(1);

    private boolean closed;
    private boolean isReleased;

    /**
     * @param target returns where messages go; null if nothing is set
     * @param limitListener called when this queue pair takes a receive and few remain
     */
    SharedReceives(
            StreamAssociation stream,
            DrainSchedule drains,
            ReceiveStall stall,
            Supplier<@Nullable CompletionTarget> target,
            ReceivePool pool,
            Runnable limitListener) {
        super(stream, drains, stall);
        this.target = target;
        this.share = pool.share();
        this.limitListener = limitListener;
        this.poolUser = pool.enter(stall::wake);
    }

    @Override
    QueueSlots slots() {
        return this;
    }

    @Override
    String useDescription() {
        return "held, its share of a shared receive queue";
    }

    @Override
    public int depth() {
        return share;
    }

    @Override
    public int unreleasedCount() {
        return poolUser.heldCount();
    }

    @Override
    public void allowReleaseByAnyThread() {
        // The release is atomic on every thread.
    }

    @Override
    public void release() {
        poolUser.release();
    }

    @Override
    String postingHint() {
        return "it has a shared receive queue; post them there";
    }

    @Override
    void close() {
        closed = true;
    }

    @Override
    public int available() {
        return currentReceives.size();
    }

    @Override
    public void prepareToWait() {
        poolUser.await();
    }

    @Override
    @Nullable
    ReceiveRequest receive(int ahead) {
        if (closed || ahead < 0 || ahead >= share) {
            return null;
        }
        while (currentReceives.size() <= ahead) {
            ReceiveRequest next = poolUser.take(limitListener);
            if (next == null) {
                return null;
            }
            currentReceives.add(next);
        }
        return currentReceives.get(ahead);
    }

    @Override
    public @Nullable ProtocolFault deliver(UntaggedBuffer delivered) {
        CompletionTarget listener = target.get();
        if (listener == null) {
            return noListenerFault();
        }
        ProtocolFault fault = fill(currentReceives.get(0));
        if (fault == null) {
            recycle();
            completeInBurst(listener, this);
        }
        return fault;
    }

    private void recycle() {
        ReceiveRequest request = currentReceives.remove(0);
        request.clear();
        poolUser.recycle(request);
    }

    /** Flushes the receives of incomplete messages. Those that no message has used go back to the pool. */
    @Override
    void flush(CloseReason reason) {
        if (isReleased) {
            return;
        }
        isReleased = true;
        List<ReceiveRequest> unused = new ArrayList<>(currentReceives);
        unused.removeIf(ReceiveRequest::hasStarted);
        currentReceives.removeAll(unused);
        CompletionTarget listener = target.get();
        while (!currentReceives.isEmpty()) {
            currentReceives.get(0).flushed(completion, reason);
            recycle();
            complete(listener, this);
        }
        poolUser.leave(unused);
    }
}
