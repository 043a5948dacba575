package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.internal.metrics.DefaultIwarpMetrics;
import io.iwarp.metrics.IwarpMetrics;
import io.iwarp.metrics.QueueLimit;
import io.netty.channel.Channel;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reports one connection to the {@link IwarpMetrics} of its settings and to JDK Flight Recorder, if they are enabled.
 * The event loop calls all methods except {@link #onPosted} and {@link #onRefused}, which any thread may call.
 */
final class QueuePairRecorder {
    /**
     * Whether {@link #onPosted}, {@link #onSubmitted}, {@link #onCompleted} and {@link #onServed} have an effect. Test
     * it before each call, so that a request costs no more than this if nothing is recorded.
     */
    final boolean recordsRequests;

    private final Channel channel;
    private final Role role;
    private final Counters counters;
    private final boolean longOperations = new LongOperationEvent().isEnabled();
    private final ConnectionEvent connection = new ConnectionEvent();
    /** Null before {@link #addConnection}, and without metrics. */
    private DefaultIwarpMetrics.@Nullable Connection metrics;

    QueuePairRecorder(Channel channel, Role role, Counters counters, QueuePairSettings settings) {
        this.channel = channel;
        this.role = role;
        this.counters = counters;
        recordsRequests = settings.metrics() != null || longOperations;
        connection.begin();
    }

    /**
     * Adds the connection to metrics. Call it before the first post.
     *
     * @param gauges returns the current numbers of the queue pair; called by any thread
     */
    void addConnection(IwarpMetrics collector, Supplier<DefaultIwarpMetrics.Gauges> gauges) {
        metrics = ((DefaultIwarpMetrics) collector).addConnection(role, counters, gauges, channel.eventLoop());
    }

    void onPosted(WorkRequest request) {
        if (metrics != null) {
            // 0 means that the time of the post is not recorded, so replace a clock value of 0.
            request.postedAt(metrics.timesRequest(request.position()) ? System.nanoTime() | 1 : 0);
        }
        if (longOperations) {
            LongOperationEvent event = new LongOperationEvent();
            event.begin();
            request.event(event);
        }
    }

    void onRefused(QueueLimit limit) {
        if (metrics != null) {
            metrics.onRefused(limit);
        }
    }

    void onSubmitted(WorkRequest request) {
        if (metrics != null) {
            long bytes = request.bytes();
            request.countedBytes(bytes);
            metrics.onSubmitted(request.operation(), bytes);
        }
    }

    void onCompleted(WorkRequest request, boolean successful) {
        if (metrics != null) {
            count(metrics, request, successful);
        }
        LongOperationEvent event = request.event();
        if (event == null) {
            return;
        }
        request.event(null);
        event.end();
        if (event.shouldCommit()) {
            event.channel = channel.id().asShortText();
            event.operation = request.operation().name();
            event.bytes = request.bytes();
            event.successful = successful;
            event.commit();
        }
    }

    private static void count(DefaultIwarpMetrics.Connection metrics, WorkRequest request, boolean successful) {
        Operation operation = request.operation();
        metrics.onReleased(operation, request.countedBytes());
        request.countedBytes(0);
        if (!successful) {
            metrics.onFlushed(operation);
            return;
        }
        metrics.onCompleted(operation, request.bytes());
        if (request.postedNanos() != 0) {
            metrics.onLatency(operation, System.nanoTime() - request.postedNanos());
        }
    }

    void onServed(Operation operation, long bytes) {
        if (metrics != null) {
            metrics.onServed(operation, bytes);
        }
    }

    void onTerminate(boolean sent, @Nullable ProtocolError error) {
        if (metrics != null) {
            metrics.onTerminate(sent, error);
        }
        TerminateEvent event = new TerminateEvent();
        if (event.shouldCommit()) {
            event.channel = channel.id().asShortText();
            event.sent = sent;
            event.error = error == null ? "not assigned by any RFC" : error.toString();
            event.commit();
        }
    }

    void onEstablished() {
        if (metrics != null) {
            metrics.onEstablished();
        }
        connection.established = true;
        if (connection.isEnabled()) {
            // Store the addresses now; the channel may not have them later.
            setAddressNames();
        }
    }

    void onRejected() {
        if (metrics != null) {
            metrics.onRejected();
        }
    }

    void onEnded(CloseReason reason) {
        if (metrics != null) {
            metrics.onEnded(reason);
        }
        connection.end();
        if (connection.shouldCommit()) {
            if (connection.localAddress == null) {
                setAddressNames();
            }
            connection.channel = channel.id().asShortText();
            connection.role = role.name();
            connection.endedBy = reason.endedBy().name();
            connection.reason = reason.toString();
            connection.bytesSent = counters.get(Counter.BYTES_SENT);
            connection.bytesReceived = counters.get(Counter.BYTES_RECEIVED);
            connection.commit();
        }
    }

    private void setAddressNames() {
        connection.localAddress = Objects.toString(channel.localAddress(), null);
        connection.remoteAddress = Objects.toString(channel.remoteAddress(), null);
    }

    /** The channel is closed, and all requests have been flushed: ends the counting for this connection. */
    void onClosed() {
        if (metrics != null) {
            metrics.onClosed();
        }
    }
}
