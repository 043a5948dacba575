package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.internal.memory.ByteSpan;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.memory.LocalBuffer;
import io.iwarp.metrics.QueueLimit;
import io.iwarp.rdmap.StreamState;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Handles receives: any thread posts them, the event loop waits for and consumes them. */
final class ReceiveSide {
    private final Channel channel;
    private final EventLoop eventLoop;
    private final DrainSchedule drains;
    private final StreamState state;
    private final QueuePairRecorder recorder;
    private final ReceiveStall stall;
    private final int depth;
    private final boolean setsDepth;
    private final StreamAssociation stream;
    private volatile ReceiveSource source;
    private volatile @Nullable CompletionTarget target;

    /**
     * @param stream limits the memory of managed receives, and has the window that a message invalidated
     * @param resume retries the held-back message
     */
    ReceiveSide(
            Channel channel,
            StreamAssociation stream,
            QueuePairSettings settings,
            StreamState state,
            DrainSchedule drains,
            QueuePairRecorder recorder,
            Runnable resume) {
        this.channel = channel;
        this.eventLoop = channel.eventLoop();
        this.drains = drains;
        this.state = state;
        this.recorder = recorder;
        this.stall = new ReceiveStall(
                state, drains, eventLoop, settings.receiveTimeout().toNanos(), resume);
        this.depth = settings.receiveQueueDepth();
        this.setsDepth = settings.setsReceiveQueueDepth();
        this.stream = stream;
        int managedBytes = settings.managedReceiveBytes();
        this.source = managedBytes > 0
                ? new ManagedReceives(channel, stream, drains, stall, this::target, depth, managedBytes)
                : new PostedReceives(stream, drains, stall, depth);
    }

    /** Returns the source of receives for the peer's messages. */
    ReceiveSource source() {
        return source;
    }

    /** Sets the target of messages that take a receive with an id, a managed or a shared one. */
    void setTarget(CompletionTarget newTarget) {
        target = newTarget;
    }

    /** Returns the target of messages, or null if none is set. */
    @Nullable
    CompletionTarget target() {
        return target;
    }

    ReceiveStall receiveStall() {
        return stall;
    }

    /**
     * Takes the receives from a shared queue.
     *
     * @param established whether the connection is made
     * @param limitListener called when a receive is taken and few remain
     */
    void share(boolean established, ReceivePool pool, Runnable limitListener) {
        ReceiveSource current = source;
        if (established || current.slots().unreleasedCount() > 0 || current.postingHint() != null) {
            throw new IllegalStateException(
                    "a shared receive queue is set before the connection is made, once, on a queue"
                            + " pair without receives of its own");
        }
        if (setsDepth) {
            throw new IllegalStateException("receiveQueueDepth is set to " + depth
                    + ", and a shared receive queue has the depth and share that it was created with: leave"
                    + " receiveQueueDepth out of the settings");
        }
        source = new SharedReceives(stream, drains, stall, this::target, pool, limitListener);
    }

    /** Any thread: posts a receive into the writable bytes of a buffer. */
    void receive(long id, ByteBuf sink, CompletionTarget completesTo) {
        Objects.requireNonNull(sink, "sink is null");
        int index = sink.writerIndex();
        int length = sink.writableBytes();
        ReceiveRequest.retain(sink);
        ReceiveRequest request;
        try {
            request = claim();
        } catch (Throwable refused) {
            sink.release();
            throw refused;
        }
        request.sink().cover(sink, index, length);
        publish(request.set(id, completesTo));
    }

    /** Any thread: posts a receive into a piece of a region. */
    void receive(long id, LocalBuffer sink, CompletionTarget completesTo) {
        Objects.requireNonNull(sink, "sink is null");
        ReceiveRequest.retain(sink);
        ReceiveRequest request;
        try {
            request = claim();
        } catch (Throwable refused) {
            ByteSpan.release(ByteSpan.region(sink));
            throw refused;
        }
        request.sink().cover(sink);
        publish(request.set(id, completesTo));
    }

    /**
     * Any thread: claims a receive, to fill and {@link #publish}. Everything that can fail is done before.
     *
     * @throws ConnectionClosedException if the stream is ending or has ended
     * @throws QueueFullException if the queue is full
     * @throws IllegalStateException if no receives are posted here
     */
    ReceiveRequest claim() {
        ReceiveSource current = source;
        ReceiveRequest request = state.closeReason() == null ? current.claim() : null;
        if (request != null) {
            return request;
        }
        String hint = current.postingHint();
        if (hint != null) {
            throw new IllegalStateException("no receives are posted on this queue pair: " + hint);
        }
        CloseReason endReason = state.refusalReason();
        if (endReason != null) {
            throw new ConnectionClosedException(endReason);
        }
        recorder.onRefused(QueueLimit.RECEIVE);
        throw QueueFullException.ofReceives(depth);
    }

    /**
     * Publishes a receive. DDP checks the receive queue when a message arrives, so a wake-up is needed only for a
     * waiting message or after the end.
     */
    void publish(ReceiveRequest request) {
        source.publish(request);
        if (!eventLoop.inEventLoop()) {
            // The event loop writes the state read below, then looks for receives.
            VarHandle.fullFence();
        }
        if (state.closeReason() != null) {
            drains.wake();
        } else {
            stall.wake();
        }
    }

    /** Event loop: ends the claims at the end of the stream. */
    void close() {
        source.close();
    }

    /** Event loop: flushes all receives. May be called again. */
    void flush(CloseReason reason) {
        stall.stop();
        source.flush(reason);
        CompletionTarget completionTarget = target;
        if (completionTarget != null) {
            completionTarget.end();
        }
    }

    @Override
    public String toString() {
        ReceiveSource current = source;
        return channel + ", " + current.inUseCount() + " of " + current.slots().depth() + " receives "
                + current.useDescription();
    }
}
