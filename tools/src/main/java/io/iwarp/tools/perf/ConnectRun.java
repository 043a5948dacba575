package io.iwarp.tools.perf;

import io.iwarp.tools.cli.Application;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.MeasureOptions;
import io.iwarp.tools.cli.Measurement;
import io.iwarp.tools.cli.Meter;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Sets up connections on the event loops, some at a time. Closes each at once, or keeps all of them. */
final class ConnectRun {
    /** Nothing goes with the request or the reply. */
    static final Application PROTOCOL =
            new Application("iwarp perf connect 2", "a perf server of version 2, to be used by 'iwarp perf connect'");

    private final Endpoint endpoint;
    private final SocketAddress server;
    private final QueuePairSettings settings;
    private final int connections;
    private final boolean keep;
    /** Event loops record under its lock. */
    private final Meter meter = new Meter();

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final Queue<QueuePair> kept = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    /**
     * @param connections how many, at least 1
     * @param keep whether to keep them until {@link #close}
     */
    ConnectRun(Endpoint endpoint, SocketAddress server, QueuePairSettings settings, int connections, boolean keep) {
        this.endpoint = endpoint;
        this.server = server;
        this.settings = settings;
        this.connections = connections;
        this.keep = keep;
    }

    /**
     * Sets all of them up, and measures each from the TCP connect to the ready queue pair.
     *
     * @param title null to print nothing
     * @param parallel how many at a time, at least 1
     */
    Measurement measure(MeasureOptions options, @Nullable String title, int parallel) {
        Runnable begin = () -> {
            for (int i = 0; i < parallel; i++) {
                next();
            }
        };
        return options.measure(title, List.of(meter), 0, begin, end, MeasureOptions.UNLIMITED);
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
                onConnected(queuePair, System.nanoTime() - nanos);
            }
        });
    }

    private void onConnected(QueuePair queuePair, long nanos) {
        synchronized (meter) {
            meter.took(nanos);
            meter.done(1);
        }
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
            end.complete(null);
        } else {
            next();
        }
    }

    /** Closes the kept connections and waits until they are closed. */
    void close() throws IOException, InterruptedException {
        Endpoint.close(kept);
    }
}
