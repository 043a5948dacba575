package io.iwarp.tools.perf;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Service;
import io.iwarp.verbs.ConnectionRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.SocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The passive side of measurements: executes the task that the client of each connection requests. Runs on event loops.
 */
final class PerfService implements Service {
    private final ScheduledExecutorService collector =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("perf-collector", true));
    private final Endpoint endpoint;
    private final int maxDepth;
    private final ClientBudget budget;
    private final CollectedUsage collected;
    private final Consumer<String> log;

    /**
     * @param maxDepth the most operations that a client may have posted on a connection
     * @param clientBytes the most bytes of memory for the connections of one client
     * @param log told in a line of each connection that has ended
     */
    PerfService(Endpoint endpoint, int maxDepth, long clientBytes, Consumer<String> log) {
        this.endpoint = endpoint;
        this.maxDepth = maxDepth;
        this.budget = new ClientBudget(clientBytes);
        this.collected = new CollectedUsage(collector, PerfUsage::collected);
        this.log = log;
    }

    @Override
    public void onConnectionRequest(ConnectionRequest request) {
        if (ConnectRun.PROTOCOL.isRequestedBy(request.privateData())) {
            request.accept();
            return;
        }
        if (ServerUsage.PROTOCOL.isRequestedBy(request.privateData())) {
            new UsageSession(request.queuePair(), collected).begin();
            request.accept();
            return;
        }
        ByteBuf asked = PerfTask.PROTOCOL.restOfRequest(request.privateData(), PerfTask.ENCODED_LENGTH);
        if (asked == null) {
            PerfTask.PROTOCOL.reject(request);
            return;
        }
        PerfSession session = begin(request, asked);
        if (session != null) {
            request.accept(PerfTask.PROTOCOL.followedBy(session.encodedMemory()));
        }
    }

    private @Nullable PerfSession begin(ConnectionRequest request, ByteBuf asked) {
        try {
            PerfTask task = PerfTask.decode(asked);
            if (task.depth() > maxDepth) {
                throw new IllegalArgumentException("the server takes a depth of up to " + maxDepth
                        + ": choose a smaller --depth, or start it with a greater --max-depth");
            }
            PerfSession session = new PerfSession(request.queuePair(), task, allocate(request, task), log);
            session.begin();
            return session;
        } catch (IllegalArgumentException | OutOfMemoryError cannot) {
            request.reject(String.valueOf(cannot.getMessage()));
            return null;
        }
    }

    /** Allocates within the budget of the client, which gets the bytes back when its connection is closed. */
    private PerfMemory allocate(ConnectionRequest request, PerfTask task) {
        Channel channel = request.queuePair().channel();
        SocketAddress client = channel.remoteAddress();
        long bytes = PerfMemory.bytes(task);
        if (!budget.take(client, bytes)) {
            throw new IllegalArgumentException("this connection needs " + Bytes.size(bytes)
                    + ", more than the server has left for one client: choose a smaller --size or fewer"
                    + " --connections, or start it with a greater --max-memory");
        }
        channel.closeFuture().addListener(closed -> budget.giveBack(client, bytes));
        return new PerfMemory(ByteBufAllocator.DEFAULT, endpoint.domain(), task, PerfSession.right(task.operation()));
    }

    /** Closes the connections before the memory. Otherwise clients would see errors about invalid STags. */
    @Override
    public void close() {
        endpoint.closeConnections();
        collector.shutdownNow();
    }
}
