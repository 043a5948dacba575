package io.iwarp.examples.virtualthreads;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.IwarpConnector;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public final class BlockingClients {
    private static final int CLIENTS = 100;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final IwarpConnector connector = new IwarpConnector(
            new Bootstrap().group(group).channel(NioSocketChannel.class), IwarpChannelInitializer.initiator(domain));

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
        QueuePair queuePair = connector.connect(server).get();
        try {
            RemoteBuffer number = queuePair.remoteBuffers().get(0);
            int added = 0;
            while (added < 10) {
                queuePair.fetchAdd(number, 1).get();
                added++;
            }
            return added;
        } finally {
            queuePair.close();
            queuePair.closed().toCompletableFuture().get();
        }
    }

    private void run() throws Throwable {
        MemoryRegion counter = domain.region()
                .allocate(ByteBufAllocator.DEFAULT, Long.BYTES)
                .rights(AccessRight.REMOTE_ATOMIC)
                .register();
        IwarpListener listener = IwarpListener.listen(
                        new ServerBootstrap().group(group).channel(NioServerSocketChannel.class),
                        IwarpChannelInitializer.responder(domain, request -> request.accept(counter.remoteBuffer())),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .get();

        ExecutorService threads = threads();
        Callable<Integer> client = () -> count(listener.localAddress());
        int added = 0;
        for (Future<Integer> one : threads.invokeAll(Collections.nCopies(CLIENTS, client))) {
            added += one.get();
        }
        threads.shutdown();
        System.out.println(CLIENTS + " clients added " + added + ", the counter is " + counter.getVolatile(0));

        listener.shutdownGracefully(Duration.ofSeconds(5)).toCompletableFuture().get();
        counter.close();
    }

    public static void main(String[] args) throws Throwable {
        BlockingClients program = new BlockingClients();
        try {
            program.run();
        } finally {
            program.group.shutdownGracefully().sync();
        }
    }
}
