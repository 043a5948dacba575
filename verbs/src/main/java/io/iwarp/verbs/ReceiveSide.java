package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.metrics.QueueLimit;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.lang.invoke.VarHandle;

/** The way of a receive: claimed and published by any thread, waited for and used up by the event loop. */
final class ReceiveSide {
    private final EventLoop eventLoop;
    private final StreamLife life;
    private final DrainSchedule drains;
    private final Completer completer;
    private final CompletionRoutes routes;
    private final ReceiveWait wait;
    private final int depth;
    private volatile Receives receives;

    /**
     * @param resume has the message passed again that waits for a receive
     */
    ReceiveSide(
            Channel channel,
            QueuePairSettings settings,
            StreamLife life,
            DrainSchedule drains,
            Completer completer,
            CompletionRoutes routes,
            Runnable resume) {
        this.eventLoop = channel.eventLoop();
        this.life = life;
        this.drains = drains;
        this.completer = completer;
        this.routes = routes;
        this.wait =
                new ReceiveWait(life, drains, eventLoop, settings.receiveWait().toNanos(), resume);
        this.depth = settings.receiveQueueDepth();
        int managedBytes = settings.managedReceiveBytes();
        this.receives = managedBytes > 0
                ? new ManagedReceives(wait, completer, routes, depth, channel.alloc(), managedBytes)
                : new PostedReceives(wait, completer, depth);
    }

    /** Returns where the messages of the peer go. */
    Receives receives() {
        return receives;
    }

    ReceiveWait receiveWait() {
        return wait;
    }

    /**
     * Takes the receives from a shared queue.
     *
     * @param whenLow called when a receive was taken and few remain
     */
    void share(ReceivePool pool, Runnable whenLow) {
        Receives own = receives;
        if (life.parameters() != null || own.bound().uncompleted() > 0 || own.insteadOfPosting() != null) {
            throw new IllegalStateException(
                    "a shared receive queue is set before the connection is made, once, on a queue"
                            + " pair without receives of its own");
        }
        if (routes.toCompletionQueues()) {
            throw new IllegalStateException(
                    "set the shared receive queue before the completion queues: it says how much"
                            + " room is needed there");
        }
        receives = new SharedReceives(wait, completer, routes, pool, whenLow);
    }

    /** Any thread: a {@link ReceiveRequest} to fill and {@link #publish}, or a refusal. */
    Claim claim() {
        Receives own = receives;
        if (life.closeReason() == null) {
            ReceiveRequest request = own.claim();
            if (request != null) {
                return request;
            }
        }
        String instead = own.insteadOfPosting();
        if (instead != null) {
            return Refusal.notPosted(instead);
        }
        CloseReason over = life.overReason();
        return over == null
                ? Refusal.full(QueueLimit.RECEIVE, new QueueFullException("receive", depth))
                : Refusal.closed(over);
    }

    /** DDP looks at the receive queue when a message arrives, so nobody has to be woken, except after the end. */
    void publish(ReceiveRequest request) {
        receives.publish(request);
        if (!eventLoop.inEventLoop()) {
            // What is read next is written by the event loop, which looks for receives after that.
            VarHandle.fullFence();
        }
        if (life.closeReason() != null || wait.waiting()) {
            drains.wake();
        }
    }

    /** Event loop: a message that waits goes on if there is a receive now. */
    void check() {
        wait.check(receives);
    }

    /** Event loop: the stream is over, and nothing can be claimed any more. */
    void close() {
        receives.close();
    }

    /** Event loop: completes everything that waits for a message. May be called again. */
    void flush(CloseReason reason) {
        wait.stop();
        receives.flush(reason);
    }
}
