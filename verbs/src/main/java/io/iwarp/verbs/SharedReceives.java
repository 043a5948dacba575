package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ProtocolFault;
import io.iwarp.ddp.UntaggedBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One queue pair's view of a {@link ReceivePool}: takes a receive for each message that begins, up to its share. */
final class SharedReceives extends Receives implements CompletionBound {
    private final ReceiveWait wait;
    private final CompletionRoutes routes;
    private final ReceivePool pool;
    private final Runnable whenLow;
    /** One receive per incomplete message, in delivery order; rarely more than one. */
    private final List<ReceiveRequest> taken = new ArrayList<>(1);

    private final AtomicInteger held = new AtomicInteger();
    private boolean closed;
    private boolean left;

    /** @param whenLow called when this queue pair takes a receive and few remain */
    SharedReceives(ReceiveWait wait, Completer completer, CompletionRoutes routes, ReceivePool pool, Runnable whenLow) {
        super(wait, completer);
        this.wait = wait;
        this.routes = routes;
        this.pool = pool;
        this.whenLow = whenLow;
        pool.enter();
    }

    @Override
    CompletionBound bound() {
        return this;
    }

    @Override
    public int depth() {
        return pool.share();
    }

    @Override
    public int uncompleted() {
        return held.get();
    }

    @Override
    public void releasedByConsumer() {
        // The release is atomic on every thread.
    }

    @Override
    public void release() {
        held.decrementAndGet();
    }

    @Override
    String insteadOfPosting() {
        return "it has a shared receive queue; post them there";
    }

    @Override
    void close() {
        closed = true;
    }

    @Override
    public int available() {
        return taken.size();
    }

    @Override
    public boolean offers(int ahead) {
        if (closed || ahead < 0 || ahead >= pool.share()) {
            return false;
        }
        while (taken.size() <= ahead) {
            ReceiveRequest next = held.get() < pool.share() ? pool.take(whenLow) : null;
            if (next == null) {
                return false;
            }
            held.incrementAndGet();
            taken.add(next);
        }
        return true;
    }

    @Override
    public void prepareToWait() {
        pool.await(wait);
    }

    @Override
    ReceiveRequest receive(int ahead) {
        return taken.get(ahead);
    }

    @Override
    public @Nullable ProtocolFault deliver(UntaggedBuffer delivered) {
        CompletionTarget target = routes.receiveTarget();
        if (target == null) {
            return withoutListener();
        }
        ProtocolFault fault = fill(taken.get(0), delivered);
        if (fault == null) {
            recycle();
            completer.completeInBurst(target, completion, this);
        }
        return fault;
    }

    private void recycle() {
        ReceiveRequest request = taken.remove(0);
        request.clear();
        pool.recycle(request);
    }

    @Override
    void flush(CloseReason reason) {
        CompletionTarget target = routes.receiveTarget();
        while (!taken.isEmpty()) {
            taken.get(0).flushed(completion, reason);
            recycle();
            completer.complete(target, completion, this);
        }
        if (!left) {
            left = true;
            pool.leave(wait);
        }
    }
}
