package io.iwarp.tools.rdma;

import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Service;
import io.iwarp.tools.cli.Shutdown;
import io.iwarp.verbs.ConnectionRequest;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Serves rping's clients, each on a thread of its own: the first one, or all that come. */
final class RpingServer implements Service {
    /** How many clients a persistent server serves at the same time. */
    static final int MAX_CLIENTS = 256;

    private static final long SESSION_END_SECONDS = 10;

    private final int maxSize;
    private final boolean persistent;
    private final boolean allRights;
    private final RpingOutput output;
    private final Shutdown shutdown;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Semaphore free;
    private volatile boolean failed;

    /**
     * @param maxSize of a client's memory, in bytes
     * @param persistent whether to go on after the first client
     * @param allRights whether clients may use the memory of their session
     * @param shutdown wanted when the only client has been served
     */
    RpingServer(int maxSize, boolean persistent, boolean allRights, RpingOutput output, Shutdown shutdown) {
        this.maxSize = maxSize;
        this.persistent = persistent;
        this.allRights = allRights;
        this.output = output;
        this.shutdown = shutdown;
        free = new Semaphore(persistent ? MAX_CLIENTS : 1);
    }

    @Override
    public void onConnectionRequest(ConnectionRequest request) {
        if (!free.tryAcquire()) {
            String reason = persistent ? "this rping serves as many clients as it may" : "this rping serves one client";
            request.reject(reason);
            return;
        }
        output.step("accepting client connection request");
        Conversation conversation = new Conversation();
        conversation.attach(request.queuePair());
        threads.execute(() -> serve(new RpingSession(conversation, maxSize, allRights, output)));
        request.accept();
    }

    private void serve(RpingSession session) {
        try {
            failed |= !session.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            // Free the place for the next client, however the session ends.
            if (persistent) {
                free.release();
            } else {
                shutdown.want();
            }
        }
    }

    /** Returns 1 if the only client was not served to its end; what happens to some of many is not the server's end. */
    @Override
    public int exitCode() {
        return !persistent && failed ? 1 : 0;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        try {
            threads.awaitTermination(SESSION_END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
