package io.iwarp.tools.perf;

import io.iwarp.tools.cli.Application;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Interval;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Establishes many connections with limited concurrency. Closes each connection immediately, or keeps all of them. Runs
 * asynchronously on the event loops.
 */
final class ConnectRun {
    /** Nothing goes with the request or the reply. */
    static final Application PROTOCOL =
            new Application("iwarp perf connect 2", "a perf server of version 2, to be used by 'iwarp perf connect'");

    private static final Logger LOGGER = LoggerFactory.getLogger(ConnectRun.class);
    private static final int SIGNIFICANT_DIGITS = 3;

    private final Endpoint endpoint;
    private final SocketAddress server;
    private final QueuePairSettings settings;
    private final int connections;
    private final boolean keep;
    private final Histogram times = new ConcurrentHistogram(SIGNIFICANT_DIGITS);
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final Queue<QueuePair> kept = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Interval> end = new CompletableFuture<>();
    private final long beganAt = System.nanoTime();

    private ConnectRun(
            Endpoint endpoint, SocketAddress server, QueuePairSettings settings, int connections, boolean keep) {
        this.endpoint = endpoint;
        this.server = server;
        this.settings = settings;
        this.connections = connections;
        this.keep = keep;
    }

    /**
     * Begins.
     *
     * @param connections the total number of connections, at least 1
     * @param parallel the number of concurrent connection attempts, at least 1
     * @param keep whether to keep them until {@link #close}
     */
    static ConnectRun begin(
            Endpoint endpoint,
            SocketAddress server,
            QueuePairSettings settings,
            int connections,
            int parallel,
            boolean keep) {
        ConnectRun run = new ConnectRun(endpoint, server, settings, connections, keep);
        for (int i = 0; i < Math.min(connections, parallel); i++) {
            run.next();
        }
        return run;
    }

    private void next() {
        if (begun.getAndIncrement() >= connections) {
            return;
        }
        long nanos = System.nanoTime();
        endpoint.beginConnect(server, settings, PROTOCOL.request(), fresh -> {}).whenComplete((queuePair, failure) -> {
            if (failure != null) {
                end.completeExceptionally(failure);
            } else {
                times.recordValue(System.nanoTime() - nanos);
                onConnected(queuePair);
            }
        });
    }

    private void onConnected(QueuePair queuePair) {
        if (keep) {
            kept.add(queuePair);
            onDone();
        } else {
            queuePair.close();
            queuePair.closed().thenRun(this::onDone);
        }
    }

    private void onDone() {
        if (done.incrementAndGet() == connections) {
            long nanos = System.nanoTime() - beganAt;
            end.complete(new Interval(nanos, nanos, connections, 0, times));
        } else {
            next();
        }
    }

    /**
     * Waits while connections are established. Fails after one minute without progress.
     *
     * @return the time of each connection, from the TCP connect to the ready queue pair
     */
    Interval await() throws IOException, InterruptedException {
        int before;
        do {
            before = done.get();
            try {
                return end.get(Endpoint.patienceSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                throw Endpoint.failureOf(e);
            } catch (TimeoutException e) {
                LOGGER.debug("{} connections are made so far", before);
            }
        } while (done.get() != before);
        throw Endpoint.noAnswer();
    }

    /** Closes the kept connections and waits until they are closed. */
    void close() throws IOException, InterruptedException {
        Endpoint.close(kept);
    }
}
