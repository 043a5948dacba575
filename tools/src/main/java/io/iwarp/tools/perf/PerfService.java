package io.iwarp.tools.perf;

import io.iwarp.tools.cli.ClientLimits;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Service;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The passive side of measurements: executes the task that the client of each connection requests. Runs on event loops.
 */
final class PerfService implements Service {
    private final ScheduledExecutorService collector =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("perf-collector", true));
    private final Endpoint endpoint;
    private final int maxDepth;
    private final ClientLimits limits;
    private final CollectedUsage collected;
    private final Consumer<String> log;
    private final Runnable whenAllLeft;
    private final AtomicInteger connections = new AtomicInteger();
    /** The connections that are measured now, and the bytes of earlier ones. */
    private final Set<QueuePair> measured = ConcurrentHashMap.newKeySet();

    private final AtomicLong earlierBytes = new AtomicLong();

    /**
     * @param maxDepth the most operations that a client may have posted on a connection
     * @param limits what the clients may take
     * @param log takes one line for each connection that was served or lost
     * @param whenAllLeft called when the last connection is closed
     */
    PerfService(Endpoint endpoint, int maxDepth, ClientLimits limits, Consumer<String> log, Runnable whenAllLeft) {
        this.endpoint = endpoint;
        this.maxDepth = maxDepth;
        this.limits = limits;
        this.collected = new CollectedUsage(collector, () -> PerfUsage.collected(wireBytes()));
        this.log = log;
        this.whenAllLeft = whenAllLeft;
    }

    @Override
    public void onConnectionRequest(ConnectionRequest request) {
        ByteBuf asked = PerfTask.PROTOCOL.rest(request.privateData(), PerfTask.ENCODED_LENGTH);
        if (asked != null) {
            begin(request, asked);
        } else if (ConnectRun.PROTOCOL.isRequestedBy(request.privateData())) {
            if (admits(request, 0)) {
                request.accept();
            }
        } else if (ServerUsage.PROTOCOL.isRequestedBy(request.privateData())) {
            if (admits(request, 0)) {
                new UsageSession(request.queuePair(), collected, () -> PerfUsage.now(wireBytes())).begin();
                request.accept();
            }
        } else {
            PerfTask.PROTOCOL.reject(request);
        }
    }

    private boolean admits(ConnectionRequest request, long bytes) {
        if (!limits.admits(request, bytes)) {
            return false;
        }
        connections.incrementAndGet();
        request.queuePair().closed().whenComplete((reason, failure) -> {
            if (connections.decrementAndGet() == 0) {
                whenAllLeft.run();
            }
        });
        return true;
    }

    private long wireBytes() {
        return earlierBytes.get()
                + measured.stream().mapToLong(PerfSession::wireBytes).sum();
    }

    private void begin(ConnectionRequest request, ByteBuf asked) {
        PerfTask task;
        try {
            task = PerfTask.decode(asked);
        } catch (IllegalArgumentException e) {
            request.reject(String.valueOf(e.getMessage()));
            return;
        }
        if (task.depth() > maxDepth) {
            request.reject("the server takes a depth of up to " + maxDepth
                    + ": choose a smaller --depth, or start it with a greater --max-depth");
            return;
        }
        if (!admits(request, PerfMemory.bytes(task))) {
            return;
        }
        PerfMemory memory =
                new PerfMemory(ByteBufAllocator.DEFAULT, endpoint.domain(), task, PerfSession.right(task.operation()));
        QueuePair queuePair = request.queuePair();
        measured.add(queuePair);
        queuePair.closed().whenComplete((reason, failure) -> {
            measured.remove(queuePair);
            earlierBytes.addAndGet(PerfSession.wireBytes(queuePair));
        });
        PerfSession session = new PerfSession(queuePair, task, memory, log);
        session.begin();
        request.accept(PerfTask.PROTOCOL.followedBy(session.encodedMemory()));
    }

    /** Closes the connections before the memory. Otherwise clients would see errors about invalid STags. */
    @Override
    public void close() {
        endpoint.closeConnections();
        collector.shutdownNow();
    }
}
