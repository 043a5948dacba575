package io.iwarp.spark;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.EndedBy;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a peer. Reads beyond the depth of its queue wait here in order. When the stream ends, all Reads
 * without a response fail with the first cause.
 *
 * <p>A queue pair allocates the places of pending posts at its start. Spark requests as many blocks as fit into 48 MiB,
 * which can be tens of thousands, so they wait here, where only those that wait take memory.
 *
 * <p>Any thread may call any method.
 */
final class Session {
    private final QueuePair queuePair;
    private final Handshake.RemoteDirectory directory;
    private final int depth;
    // This guards all of the following.
    private final ArrayDeque<Read> posted = new ArrayDeque<>();
    private final ArrayDeque<Read> waiting = new ArrayDeque<>();
    private @Nullable CloseReason end;
    /** A Read failed, and the end is about to be reported. */
    private boolean broken;

    /** Called once at the end of a Read, on the event loop or on the thread that posted it. */
    interface Listener {
        void arrived(SinkPool.Sink sink);

        /** Called when the sink has no response. The listener releases it too. */
        void failed(SinkPool.Sink sink, Throwable cause);
    }

    private record Read(SinkPool.Sink sink, RemoteBuffer source, long offset, Listener listener) {}

    private record Refused(Read read, RuntimeException reason) {
        void report() {
            read.listener.failed(read.sink, reason);
        }
    }

    private Session(QueuePair queuePair, Handshake.RemoteDirectory directory, int depth) {
        this.queuePair = queuePair;
        this.directory = directory;
        this.depth = depth;
    }

    /**
     * Returns the session of a new queue pair.
     *
     * @param depth how many Reads may be posted at a time
     */
    static Session of(QueuePair queuePair, Handshake.RemoteDirectory directory, int depth) {
        Session session = new Session(queuePair, directory, depth);
        queuePair.setCompletionListener((pair, completion) -> session.completed(completion));
        queuePair.closed().thenAccept(session::ended);
        return session;
    }

    Handshake.RemoteDirectory directory() {
        return directory;
    }

    synchronized boolean isOpen() {
        return end == null && !broken;
    }

    /** Reads from the peer's memory into the whole sink. */
    void read(SinkPool.Sink sink, RemoteBuffer source, long offset, Listener listener) {
        CloseReason over;
        List<Refused> refused = List.of();
        synchronized (this) {
            over = end;
            if (over == null) {
                waiting.add(new Read(sink, source, offset, listener));
                refused = postWaiting();
            }
        }
        if (over != null) {
            listener.failed(sink, new ConnectionClosedException(over));
        }
        refused.forEach(Refused::report);
    }

    /**
     * Posts in the order of the calls: the lock keeps others from posting in between. Returns what cannot be posted.
     */
    private List<Refused> postWaiting() {
        List<Refused> refused = List.of();
        while (posted.size() < depth && !waiting.isEmpty()) {
            Read next = waiting.remove();
            // Before the post: its completion may be reported within it.
            posted.add(next);
            try {
                post(next);
            } catch (ConnectionClosedException closing) {
                // The end is about to be reported, and flushes what waits.
                posted.removeLast();
                waiting.addFirst(next);
                broken = true;
                break;
            } catch (RuntimeException wrong) {
                posted.removeLast();
                refused = new ArrayList<>(refused);
                refused.add(new Refused(next, wrong));
            }
        }
        return refused;
    }

    private void post(Read read) {
        queuePair
                .sendQueue()
                .read(0, read.sink.local(), read.source.slice(read.offset, read.sink.length()), PostOptions.NONE);
    }

    private void completed(CompletionView completion) {
        Read done;
        List<Refused> refused = List.of();
        synchronized (this) {
            // Requests complete in the order of their posts.
            done = posted.remove();
            if (completion.successful()) {
                refused = postWaiting();
            } else {
                broken = true;
            }
        }
        CloseReason failure = completion.failure();
        if (failure == null) {
            done.listener.arrived(done.sink);
        } else {
            done.listener.failed(done.sink, new ConnectionClosedException(failure));
        }
        refused.forEach(Refused::report);
    }

    private void ended(CloseReason reason) {
        List<Read> flushed;
        synchronized (this) {
            end = reason;
            flushed = new ArrayList<>(posted);
            flushed.addAll(waiting);
            posted.clear();
            waiting.clear();
        }
        flushed.forEach(read -> read.listener.failed(read.sink, new ConnectionClosedException(reason)));
    }

    /** Returns whether a Read failed because its stream ended by another cause than a close on this side. */
    static boolean mayRepeat(Throwable failure) {
        return failure instanceof ConnectionClosedException ended
                && !(ended instanceof ConnectionRejectedException)
                && ended.reason().endedBy() != EndedBy.LOCAL_APPLICATION;
    }

    /** Returns whether a stream ended by a failure, and not gracefully. */
    static boolean isFailure(CloseReason reason) {
        return reason.endedBy() != EndedBy.LOCAL_APPLICATION && reason.endedBy() != EndedBy.PEER_CLOSED;
    }
}
