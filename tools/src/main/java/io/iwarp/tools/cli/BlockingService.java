package io.iwarp.tools.cli;

import io.iwarp.verbs.ConnectionRequest;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Serves each client on a thread of its own, which waits for the client and for the disk. */
public abstract class BlockingService implements Service {
    private static final long SESSION_END_SECONDS = 10;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ClientLimits limits;
    private final long bytes;
    private final boolean once;
    private final Shutdown shutdown;
    private final byte[] reply;
    private final AtomicBoolean taken = new AtomicBoolean();
    private volatile boolean served;

    /**
     * @param bytes what the server allocates for a client
     * @param once whether the first client is the only one: the command ends after it, with exit code 1 if it was not
     *     served to its end
     * @param reply the private data of an acceptance
     */
    protected BlockingService(ClientLimits limits, long bytes, boolean once, Shutdown shutdown, byte[] reply) {
        this.limits = limits;
        this.bytes = bytes;
        this.once = once;
        this.shutdown = shutdown;
        this.reply = reply.clone();
    }

    /** Serves a client until it leaves, on a thread of its own. Returns whether it was served to its end. */
    protected abstract boolean serve(Conversation client) throws InterruptedException;

    /** On the event loop: decides by what can be known without waiting. */
    @Override
    public void onConnectionRequest(ConnectionRequest request) {
        if (once && taken.getAndSet(true)) {
            request.reject("the server serves one client, and has it: start another one");
        } else if (limits.admits(request, bytes)) {
            Conversation client = new Conversation();
            client.attach(request.queuePair());
            threads.execute(() -> run(client));
            request.accept(reply);
        }
    }

    private void run(Conversation client) {
        try {
            served = serve(client);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (once) {
                shutdown.want();
            }
        }
    }

    @Override
    public final int exitCode() {
        return once && !served ? 1 : 0;
    }

    @Override
    public final void close() {
        threads.shutdownNow();
        try {
            threads.awaitTermination(SESSION_END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
