package io.iwarp.verbs;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The current attempts of a connector. Any thread may call any method. */
final class ConnectAttempts {
    private final Set<ConnectAttempt> attempts = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> emptyFuture = new CompletableFuture<>();
    private volatile boolean closed;

    /** Adds an attempt. Returns false if the connector was shut down. */
    boolean add(ConnectAttempt attempt) {
        attempts.add(attempt);
        if (closed) {
            remove(attempt);
            return false;
        }
        attempt.finishFuture().thenRun(() -> remove(attempt));
        return true;
    }

    private void remove(ConnectAttempt attempt) {
        attempts.remove(attempt);
        completeIfNone();
    }

    /** Returns the number of attempts whose connection is not in the group yet. */
    int unconnectedCount() {
        int count = 0;
        for (ConnectAttempt attempt : attempts) {
            if (attempt.isBeforeConnection()) {
                count++;
            }
        }
        return count;
    }

    /** Cancels all attempts and refuses further ones. Returns a future that completes when no attempt is left. */
    CompletableFuture<Void> close() {
        closed = true;
        attempts.forEach(ConnectAttempt::cancel);
        completeIfNone();
        return emptyFuture;
    }

    private void completeIfNone() {
        if (closed && attempts.isEmpty()) {
            emptyFuture.complete(null);
        }
    }
}
