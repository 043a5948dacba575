package io.iwarp.tools.cli;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionState;
import io.iwarp.Operation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A blocking interface to a queue pair: sends messages and waits for the next one, without completions. Posts a receive
 * again only after its message was taken, so a peer that sends too many messages ends the stream and cannot exhaust
 * memory.
 *
 * <p>Not thread-safe. Do not call it on an event loop.
 */
public final class Conversation implements QueuePairListener {
    /** The longest message in bytes. */
    public static final int MESSAGE_BYTES = 1024;
    /** The maximum number of messages that wait to be taken. */
    public static final int DEPTH = 8;

    private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
    private volatile @Nullable QueuePair queuePair;

    /** A message, or the end. */
    private record Arrival(
            @Nullable ByteBuf message, @Nullable CloseReason end) {}

    /**
     * Takes a queue pair over, before its connection is made or accepted. If a connection is made at the second
     * attempt, this is called again, and the first one is forgotten.
     */
    public void attach(QueuePair fresh) {
        arrivals.clear();
        queuePair = fresh;
        fresh.setListener(this);
        fresh.setCompletionListener(this::onCompletion);
        for (int i = 0; i < DEPTH; i++) {
            // Unpooled heap buffer: the garbage collector frees it, however the connection ends.
            fresh.receiveQueue().receive(0, Unpooled.buffer(MESSAGE_BYTES, MESSAGE_BYTES));
        }
    }

    private void onCompletion(QueuePair source, CompletionView completion) {
        if (completion.operation() == Operation.RECEIVE && completion.successful()) {
            arrivals.add(new Arrival(completion.buffer(), null));
        }
    }

    @Override
    public void onClosed(QueuePair source, CloseReason reason) {
        arrivals.add(new Arrival(null, reason));
    }

    public QueuePair queuePair() {
        return Objects.requireNonNull(queuePair, "no queue pair is attached");
    }

    /**
     * Waits for the next message.
     *
     * @return a copy that needs no release
     * @throws ConnectionClosedException if the stream ended and all earlier messages were taken
     */
    public ByteBuf receive() throws IOException, InterruptedException {
        Arrival arrival = arrivals.poll(Endpoint.patienceSeconds(), TimeUnit.SECONDS);
        if (arrival == null) {
            throw Endpoint.noAnswer();
        }
        ByteBuf message = arrival.message();
        if (message == null) {
            arrivals.add(arrival);
            throw new ConnectionClosedException(Objects.requireNonNull(arrival.end()));
        }
        ByteBuf copy = Unpooled.copiedBuffer(message);
        try {
            queuePair().receiveQueue().receive(0, message.clear());
        } catch (ConnectionClosedException e) {
            // The message came before the end, which the next call reports.
        }
        return copy;
    }

    /** Posts a Send; the bytes must not change afterwards. */
    public void send(ByteBuf message) throws IOException, InterruptedException {
        queuePair().sendQueue().send(0, message);
    }

    /** Posts a Send that invalidates an STag of the peer; the bytes must not change afterwards. */
    public void sendWithInvalidate(ByteBuf message, RemoteBuffer invalidated) throws IOException, InterruptedException {
        queuePair().sendQueue().sendWithInvalidate(0, message, invalidated, PostOptions.NONE);
    }

    /** Binds a window that only the peer of this conversation can use and invalidate. */
    public MemoryWindow bind(MemoryRegion region, long offset, long length, AccessRight right)
            throws IOException, InterruptedException {
        try {
            return queuePair().window(region, offset, length).rights(right).bind();
        } catch (RegionClosedException e) {
            throw ended(e);
        }
    }

    /** Returns the advertisement of a window for the peer. */
    public RemoteBuffer advertised(MemoryWindow window) throws IOException, InterruptedException {
        try {
            return window.remoteBuffer();
        } catch (RegionClosedException e) {
            throw ended(e);
        }
    }

    /** Closes the connection gracefully: posted requests are still sent. Waits until it is closed. */
    public void close() throws IOException, InterruptedException {
        Endpoint.close(List.of(queuePair()));
    }

    /** The stream may end at any time, so memory of it that has gone is not an error of the caller. */
    private ConnectionClosedException ended(RegionClosedException refusal) throws IOException, InterruptedException {
        ConnectionState state = queuePair().state();
        if (state.compareTo(ConnectionState.READY) <= 0) {
            throw refusal;
        }
        return new ConnectionClosedException(Endpoint.await(queuePair().closed()));
    }
}
