package io.iwarp.verbs;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** The attempts of a connector that are under way. Any thread may call any method. */
final class ConnectAttempts {
    private final Set<ConnectAttempt> underWay = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> none = new CompletableFuture<>();
    private volatile boolean closed;

    /** Returns whether it may begin. */
    boolean add(ConnectAttempt attempt) {
        underWay.add(attempt);
        if (closed) {
            remove(attempt);
            return false;
        }
        attempt.over().thenRun(() -> remove(attempt));
        return true;
    }

    private void remove(ConnectAttempt attempt) {
        underWay.remove(attempt);
        completeIfNone();
    }

    /** Returns completes when none is under way any more. Gives up all of them, and takes no more. */
    CompletionStage<Void> close() {
        closed = true;
        underWay.forEach(ConnectAttempt::giveUp);
        completeIfNone();
        return none;
    }

    private void completeIfNone() {
        if (closed && underWay.isEmpty()) {
            none.complete(null);
        }
    }
}
