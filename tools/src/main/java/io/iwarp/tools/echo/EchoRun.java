package io.iwarp.tools.echo;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.IwarpException;
import io.iwarp.Operation;
import io.iwarp.tools.cli.BytePattern;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;

/** Sends messages to an echo server, one at a time. Each reply triggers the next message on the event loop. */
final class EchoRun {
    private static final int SIGNIFICANT_DIGITS = 3;

    private final QueuePair queuePair;
    private final long count;
    private final ByteBuf message;
    private final ByteBuf reply;
    private final Histogram roundTrips = new Histogram(SIGNIFICANT_DIGITS);
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    /**
     * The number of the message in flight; 0 or less during warm-up. This and the following fields belong to the event
     * loop.
     */
    private long number;

    private boolean sent;
    private boolean received;
    private long sentAtNanos;
    private long beginNanos;
    private long endNanos;

    EchoRun(QueuePair queuePair, int size, long count, long warmup) {
        this.queuePair = queuePair;
        this.count = count;
        this.number = -warmup;
        this.message = ByteBufAllocator.DEFAULT.directBuffer(size, size);
        this.reply = ByteBufAllocator.DEFAULT.directBuffer(size, size);
        new BytePattern(size).append(message, size);
    }

    /** Runs until all messages are answered or the server times out. */
    void run() throws IOException, InterruptedException {
        queuePair.setCompletionListener((source, completion) -> onCompletion(completion));
        queuePair.executor().execute(this::next);
        Endpoint.awaitWhileBusy(queuePair, done);
    }

    private void next() {
        if (number == 0) {
            beginNanos = System.nanoTime();
        }
        if (number == count) {
            endNanos = System.nanoTime();
            done.complete(null);
            return;
        }
        number++;
        if (message.capacity() >= Long.BYTES) {
            message.setLong(0, number);
        }
        sent = false;
        received = false;
        try {
            queuePair.receiveQueue().receive(number, reply.clear());
            sentAtNanos = System.nanoTime();
            queuePair.sendQueue().send(number, message);
        } catch (IwarpException e) {
            done.completeExceptionally(e);
        }
    }

    private void onCompletion(CompletionView completion) {
        CloseReason failure = completion.failure();
        if (failure != null) {
            done.completeExceptionally(new ConnectionClosedException(failure));
            return;
        }
        if (completion.operation() == Operation.RECEIVE) {
            received = true;
            onReply();
        } else {
            sent = true;
        }
        if (sent && received && !done.isDone()) {
            next();
        }
    }

    private void onReply() {
        long nanos = System.nanoTime() - sentAtNanos;
        if (number > 0) {
            roundTrips.recordValue(nanos);
        }
        if (!ByteBufUtil.equals(message, reply)) {
            done.completeExceptionally(new IOException((number > 0 ? "message " + number : "a message of the warm-up")
                    + " came back changed: the echo server, or something on the way, is faulty"));
        }
    }

    /** Returns the round trips that were measured, in nanoseconds. */
    Histogram roundTrips() {
        return roundTrips;
    }

    /** Returns how long they took together. */
    long measuredNanos() {
        return endNanos - beginNanos;
    }

    /** Call this method after the queue pair is closed. */
    void release() {
        message.release();
        reply.release();
    }
}
