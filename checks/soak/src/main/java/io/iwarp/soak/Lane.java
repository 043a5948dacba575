package io.iwarp.soak;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.IwarpConnector;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.handler.ssl.SslContext;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A server over one transport, and what its clients need. The server gives each client memory of its own and checks that its
 * messages come in order; now and then it aborts a client or takes the memory away in the middle.
 */
final class Lane {
    /** Bytes of memory that a client gets. */
    static final int MEMORY = 16 * 1024;

    private static final long PATIENCE_SECONDS = 60;
    /** Of so many clients, the server aborts one, and takes the memory of another. */
    private static final int ONE_OF = 10;

    private static final int LONGEST_LIFE_MILLIS = 200;

    private final String name;
    private final EventLoopGroup group;
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ProtectionDomain clientDomain = ProtectionDomain.create();
    private final MemoryRegion counter;
    private final IwarpListener listener;
    private final IwarpConnector connector;
    private final Soak soak;

    /** What is added to {@link #counter} for sure, and at most. */
    final AtomicLong added = new AtomicLong();

    final AtomicLong addsPosted = new AtomicLong();

    /**
     * @param address where to listen
     * @param tls both for the server and for the client, or null
     */
    Lane(
            Soak soak,
            String name,
            EventLoopGroup group,
            Class<? extends ServerChannel> server,
            Class<? extends Channel> client,
            SocketAddress address,
            Soak.@Nullable Tls tls)
            throws Exception {
        this.soak = soak;
        this.name = name;
        this.group = group;
        counter = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, Long.BYTES)
                .rights(AccessRight.REMOTE_ATOMIC)
                .register();
        QueuePairSettings settings = QueuePairSettings.builder()
                .sendQueueDepth(Client.WINDOW * Client.POSTS_OF_A_GROUP)
                .managedReceiveOctets(Long.BYTES)
                .receiveWait(Duration.ofSeconds(10))
                .build();
        listener = IwarpListener.listen(
                        new ServerBootstrap().group(group).channel(server),
                        with(
                                tls == null ? null : tls.server(),
                                IwarpChannelInitializer.responder(domain, settings, this::serve)),
                        address)
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        connector = new IwarpConnector(
                new Bootstrap().group(group).channel(client),
                with(
                        tls == null ? null : tls.client(),
                        IwarpChannelInitializer.initiator(clientDomain, settings, new byte[0], queuePair -> {})));
    }

    private static IwarpChannelInitializer with(@Nullable SslContext tls, IwarpChannelInitializer initializer) {
        return tls == null
                ? initializer
                : initializer.withTransportHandlers(pipeline ->
                        pipeline.addLast(tls.newHandler(pipeline.channel().alloc())));
    }

    String name() {
        return name;
    }

    ProtectionDomain clientDomain() {
        return clientDomain;
    }

    QueuePair connect() throws Exception {
        return connector.connect(listener.localAddress()).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** The memory of the client first, then the counter that all clients of the lane share. */
    private void serve(ConnectionRequest request) {
        QueuePair queuePair = request.queuePair();
        MemoryRegion memory = domain
                .region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, MEMORY)
                .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE)
                .stream(queuePair.stream())
                .register();
        queuePair.closed().thenRun(memory::close);
        long[] next = {0};
        queuePair.completionListener((same, completion) -> {
            ByteBuf message = completion.buffer();
            if (message != null) {
                long number = message.readLong();
                message.release();
                if (number != next[0]++) {
                    soak.complain(name + ": message " + number + " came instead of " + (next[0] - 1));
                }
            }
        });
        int fate = soak.dice().nextInt(ONE_OF);
        if (fate < 2) {
            Runnable end = fate == 0 ? queuePair::abort : memory::invalidate;
            queuePair
                    .channel()
                    .eventLoop()
                    .schedule(end, soak.dice().nextInt(LONGEST_LIFE_MILLIS), TimeUnit.MILLISECONDS);
        }
        ByteBuf advertisement = Unpooled.buffer();
        memory.remoteBuffer().encode(advertisement);
        counter.remoteBuffer().encode(advertisement);
        request.accept(ByteBufUtil.getBytes(advertisement));
    }

    /** Ends the lane, and complains of what is not as it should be. */
    void end() throws Exception {
        listener.shutdownGracefully(Duration.ofSeconds(10))
                .toCompletableFuture()
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        long total = counter.getVolatile(0);
        if (total < added.get() || total > addsPosted.get()) {
            soak.complain(name + ": " + total + " was added, expected " + added + " to " + addsPosted);
        }
        counter.close();
        int left = domain.device().regions() + clientDomain.device().regions();
        if (left != 0) {
            soak.complain(name + ": " + left + " regions are left");
        } else {
            domain.close();
            clientDomain.close();
        }
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
}
