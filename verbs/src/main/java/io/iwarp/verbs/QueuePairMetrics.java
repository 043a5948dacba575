package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.metrics.ConnectionMetrics;
import io.iwarp.metrics.IwarpMetrics;
import io.iwarp.metrics.QueueLimit;
import io.iwarp.metrics.SetupFailure;
import io.iwarp.metrics.SetupOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Reports the events of a queue pair to the {@link IwarpMetrics} of its settings. The event loop calls all methods but
 * {@link #posted} and {@link #refused}, which any thread may call.
 */
final class QueuePairMetrics {
    private final ConnectionMetrics connection;
    private boolean setUp;
    private boolean established;

    QueuePairMetrics(ConnectionMetrics connection) {
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
        connection.submitted(bytes);
    }

    void completed(WorkRequest request, boolean successful) {
        Operation operation = request.operation();
        connection.released(request.countedBytes());
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
        connection.terminateSent(error);
    }

    void terminateReceived(@Nullable ProtocolError error) {
        connection.terminateReceived(error);
    }

    void established() {
        established = true;
        setUp(SetupOutcome.ACCEPTED);
    }

    void rejected() {
        setUp(SetupOutcome.REJECTED);
    }

    private void setUp(SetupOutcome outcome) {
        if (!setUp) {
            setUp = true;
            connection.setUp(outcome);
        }
    }

    void ended(CloseReason reason) {
        if (established) {
            connection.ended(reason.endedBy());
        } else if (!setUp) {
            setUp = true;
            connection.setUpFailed(SetupFailure.of(reason));
        }
    }

    /** Ends counting for this connection. Called when all requests have been flushed. */
    void leave() {
        connection.closed();
    }
}
