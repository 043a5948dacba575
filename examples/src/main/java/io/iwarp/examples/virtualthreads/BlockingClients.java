package io.iwarp.examples.virtualthreads;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** One hundred clients with a thread each wait for their results; on Java 21 these are virtual threads. */
public final class BlockingClients {
    private static final int CLIENTS = 100;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final Iwarp.Client clients = Iwarp.client(group);

    /** On Java 21 and later, call Executors.newVirtualThreadPerTaskExecutor() directly. */
    private static ExecutorService threads() throws Throwable {
        if (Runtime.version().feature() < 21) {
            return Executors.newCachedThreadPool();
        }
        return (ExecutorService) MethodHandles.publicLookup()
                .findStatic(
                        Executors.class,
                        "newVirtualThreadPerTaskExecutor",
                        MethodType.methodType(ExecutorService.class))
                .invoke();
    }

    /** One client: adds 1 ten times and returns the sum. */
    private int count(SocketAddress server) throws Exception {
        QueuePair queuePair = clients.connect(server).get();
        try {
            RemoteBuffer number = queuePair.remoteBuffer();
            int added = 0;
            while (added < 10) {
                queuePair.fetchAdd(number, 1).get();
                added++;
            }
            return added;
        } finally {
            queuePair.closeGracefully().get();
        }
    }

    private void run() throws Throwable {
        MemoryRegion counter = domain.allocate(Long.BYTES, AccessRight.REMOTE_ATOMIC);
        IwarpListener listener = Iwarp.server(group)
                .domain(domain)
                .onRequest(request -> request.accept(counter))
                .listen("localhost", 0)
                .get();

        ExecutorService threads = threads();
        Callable<Integer> client = () -> count(listener.localAddress());
        int added = 0;
        for (Future<Integer> one : threads.invokeAll(Collections.nCopies(CLIENTS, client))) {
            added += one.get();
        }
        threads.shutdown();
        System.out.println(CLIENTS + " clients added " + added + ", the counter is " + counter.getVolatile(0));

        listener.shutdownGracefully(Duration.ofSeconds(5)).get();
        counter.close();
    }

    public static void main(String[] args) throws Throwable {
        BlockingClients program = new BlockingClients();
        try {
            program.run();
        } finally {
            program.group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
