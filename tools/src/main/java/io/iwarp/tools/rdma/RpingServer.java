package io.iwarp.tools.rdma;

import io.iwarp.tools.cli.ClientLimits;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.LimitOptions;
import io.iwarp.tools.cli.Service;
import io.iwarp.tools.cli.Shutdown;
import io.iwarp.verbs.ConnectionRequest;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Serves rping's clients, each on a thread of its own: the first one, or all that come. */
final class RpingServer implements Service {
    /** How many clients of one address a persistent server serves at the same time. */
    static final int MAX_CLIENTS = 256;

    private static final long SESSION_END_SECONDS = 10;

    private final int maxSize;
    private final boolean persistent;
    private final boolean allRights;
    private final RpingOutput output;
    private final Shutdown shutdown;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ClientLimits limits;
    /** The only client of a server that is not persistent has come. */
    private final AtomicBoolean served = new AtomicBoolean();

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
        limits = new ClientLimits(2 * MAX_CLIENTS, LimitOptions.defaultMemory());
    }

    @Override
    public void onConnectionRequest(ConnectionRequest request) {
        if (!persistent && served.getAndSet(true)) {
            request.reject("this rping serves one client");
            return;
        }
        if (!limits.admits(request, maxSize)) {
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
            if (!persistent) {
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
