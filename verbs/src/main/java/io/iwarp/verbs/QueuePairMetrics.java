package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.metrics.IwarpMetrics;
import io.iwarp.metrics.QueueLimit;
import org.jspecify.annotations.Nullable;

/**
 * Reports the events of a queue pair to the {@link IwarpMetrics} of its settings. The event loop calls all methods but
 * {@link #posted} and {@link #refused}, which any thread may call.
 */
final class QueuePairMetrics {
    private final IwarpMetrics.Connection connection;

    QueuePairMetrics(IwarpMetrics.Connection connection) {
        this.connection = connection;
    }

    void posted(WorkRequest request) {
        // 0 means that the time of the post is not recorded, so replace a clock value of 0.
        request.postedAt(connection.timesRequest(request.position()) ? System.nanoTime() | 1 : 0);
    }

    void refused(QueueLimit limit) {
        connection.refused(limit);
    }

    void submitted(WorkRequest request) {
        long bytes = request.bytes();
        request.countedBytes(bytes);
        connection.submitted(request.operation(), bytes);
    }

    void completed(WorkRequest request, boolean successful) {
        Operation operation = request.operation();
        connection.released(operation, request.countedBytes());
        request.countedBytes(0);
        if (!successful) {
            connection.flushed(operation);
            return;
        }
        connection.completed(operation, request.bytes());
        if (request.postedNanos() != 0) {
            connection.took(operation, System.nanoTime() - request.postedNanos());
        }
    }

    void served(Operation operation, long bytes) {
        connection.served(operation, bytes);
    }

    void terminateSent(@Nullable ProtocolError error) {
        connection.terminate(true, error);
    }

    void terminateReceived(@Nullable ProtocolError error) {
        connection.terminate(false, error);
    }

    void established() {
        connection.established();
    }

    void rejected() {
        connection.rejected();
    }

    void ended(CloseReason reason) {
        connection.ended(reason);
    }

    /** Ends counting for this connection. Called when all requests have been flushed. */
    void leave() {
        connection.closed();
    }
}
