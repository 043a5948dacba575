package io.iwarp.tools.kv;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * How long an operation of a client may take.
 *
 * @param limit more than 0
 */
record Patience(Duration limit) {
    /** Waits for an answer of the server. */
    <T> T await(CompletableFuture<T> answer) throws IOException, InterruptedException {
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("the server said nothing for " + limit.toSeconds() + " s: look what it is doing", e);
        }
    }

    /** Returns the time of {@link System#nanoTime} at which an operation that begins now has taken too long. */
    long deadline() {
        return System.nanoTime() + limit.toNanos();
    }
}
