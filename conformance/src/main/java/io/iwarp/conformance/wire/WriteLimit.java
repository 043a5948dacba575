package io.iwarp.conformance.wire;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Closes a socket whose peer does not take what is written: a blocking write has no time limit of its own. */
final class WriteLimit {
    private static final ScheduledExecutorService WATCH = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "conformance-write-limit");
        thread.setDaemon(true);
        return thread;
    });

    private final Socket socket;
    private final Duration limit;

    WriteLimit(Socket socket, Duration limit) {
        this.socket = socket;
        this.limit = limit;
    }

    /** Returns what closes the socket, unless it is cancelled in time. */
    ScheduledFuture<?> begin() {
        return WATCH.schedule(this::expire, limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void expire() {
        try {
            socket.close();
        } catch (IOException e) {
            // The writer fails on its own.
        }
    }
}
