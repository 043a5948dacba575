package io.iwarp.examples.quorum;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A leader writes entries into the memory of three replicas, and counts those that have them. */
public final class Quorum {
    private static final int QUORUM = 2;
    private static final EventLoopGroup GROUP = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());

    /** A replica of the log, which only its current leader can write. */
    private static final class Replica {
        private final ProtectionDomain domain = ProtectionDomain.create();
        private final MemoryRegion log = domain.allocate(1 << 20);
        private final IwarpListener listener;
        private MemoryWindow leaderWindow;

        private Replica() throws Exception {
            listener = Iwarp.server(GROUP)
                    .domain(domain)
                    .onRequest(this::onRequest)
                    .listen("localhost", 0)
                    .get();
        }

        private synchronized void onRequest(ConnectionRequest request) {
            if (leaderWindow != null) {
                leaderWindow.close(); // revokes the access of the previous leader
            }
            leaderWindow = request.queuePair()
                    .window(log, 0, log.length())
                    .rights(AccessRight.REMOTE_WRITE)
                    .bind();
            request.accept(leaderWindow.remoteBuffer());
        }

        private void close() throws Exception {
            listener.shutdownGracefully(Duration.ofSeconds(5)).get();
            log.close();
            domain.close();
        }
    }

    /** Connects to all replicas as their new leader. */
    private static List<QueuePair> becomeLeader(List<Replica> replicas) throws Exception {
        List<QueuePair> leader = new ArrayList<>();
        for (Replica replica : replicas) {
            leader.add(
                    Iwarp.client(GROUP).connect(replica.listener.localAddress()).get());
        }
        return leader;
    }

    /** Completes when a quorum has the entry, and fails when that is not possible any more. */
    private static CompletableFuture<Void> append(List<QueuePair> replicas, long offset, byte[] entry) {
        CompletableFuture<Void> committed = new CompletableFuture<>();
        AtomicInteger missing = new AtomicInteger(QUORUM);
        AtomicInteger spare = new AtomicInteger(replicas.size() - QUORUM);
        for (QueuePair replica : replicas) {
            replica.write(Unpooled.wrappedBuffer(entry), replica.remoteBuffer().slice(offset, entry.length))
                    .thenCombine(replica.placed(), (written, placed) -> placed)
                    .whenComplete((placed, failure) -> {
                        if (failure != null) {
                            replica.abort(); // it lacks this entry, and must not count for the next
                            if (spare.decrementAndGet() < 0) {
                                committed.completeExceptionally(failure);
                            }
                        } else if (missing.decrementAndGet() == 0) {
                            committed.complete(null);
                        }
                    });
        }
        return committed;
    }

    /** Returns whether a replica has accepted another leader. The others accept entries of this one until they do. */
    private static boolean replaced(List<QueuePair> replicas) {
        return replicas.stream()
                .map(QueuePair::closeReason)
                .anyMatch(reason -> reason != null && reason.accessRevoked());
    }

    private static void report(List<QueuePair> replicas, CompletableFuture<Void> committed) throws Exception {
        System.out.println(committed
                .handle((done, failure) ->
                        failure == null ? "committed" : replaced(replicas) ? "there is a new leader" : "no quorum")
                .get());
    }

    public static void main(String[] args) throws Exception {
        try {
            List<Replica> replicas = new ArrayList<>(List.of(new Replica(), new Replica(), new Replica()));
            List<QueuePair> first = becomeLeader(replicas);
            report(first, append(first, 0, "entry 1".getBytes(UTF_8)));
            List<QueuePair> second = becomeLeader(replicas);
            report(first, append(first, 7, "entry 2".getBytes(UTF_8)));
            replicas.remove(0).close();
            report(second, append(second, 7, "ENTRY 2".getBytes(UTF_8)));
            replicas.get(0).close();
            replicas.get(1).close();
        } finally {
            GROUP.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
