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
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.handler.ssl.SslContext;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A server over one transport, and what its clients need. The server gives each client memory of its own and checks
 * that its messages come in order; now and then it ends a client or takes the memory away in the middle.
 */
final class Lane {
    /** Bytes of memory that a client gets. */
    static final int MEMORY = 16 * 1024;

    private static final long PATIENCE_SECONDS = 60;
    /** Of so many clients, the server does each thing it may do to one. */
    private static final int ONE_OF = 20;

    private static final int MAX_LIFE_MILLIS = 200;
    /** Connections with several posters end sooner by themselves. */
    private static final int MAX_LIFE_OF_SEVERAL_MILLIS = 10;

    private final String name;
    private final IoHandlerFactory io;
    private final EventLoopGroup group;
    private final Class<? extends Channel> client;
    private final IwarpChannelInitializer initiator;
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ProtectionDomain clientDomain = ProtectionDomain.create();
    private final MemoryRegion counter;
    private final IwarpListener listener;
    private final IwarpConnector connector;
    private final Soak soak;

    /** What a server may do to a client in the middle. */
    private enum Fate {
        ABORT,
        CLOSE,
        KILL,
        INVALIDATE,
        CLOSE_REGION
    }

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
            IoHandlerFactory io,
            Class<? extends ServerChannel> server,
            Class<? extends Channel> client,
            SocketAddress address,
            Soak.@Nullable Tls tls)
            throws Exception {
        this.soak = soak;
        this.name = name;
        this.io = io;
        this.group = newGroup(2);
        this.client = client;
        counter = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, Long.BYTES)
                .rights(AccessRight.REMOTE_ATOMIC)
                .register();
        QueuePairSettings settings = QueuePairSettings.builder()
                .sendQueueDepth(Client.WINDOW * Poster.POSTS_OF_A_GROUP)
                .managedReceiveBytes(Long.BYTES)
                .receiveWait(Duration.ofSeconds(10))
                .build();
        listener = IwarpListener.listen(
                        new ServerBootstrap().group(group).channel(server),
                        with(
                                tls == null ? null : tls.server(),
                                IwarpChannelInitializer.responder(domain, settings, this::serve)),
                        address)
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        initiator = with(
                tls == null ? null : tls.client(),
                IwarpChannelInitializer.initiator(clientDomain, settings, new byte[0], queuePair -> {}));
        connector = connector(group);
    }

    EventLoopGroup newGroup(int loops) {
        return new MultiThreadIoEventLoopGroup(loops, io);
    }

    private IwarpConnector connector(EventLoopGroup loops) {
        return new IwarpConnector(new Bootstrap().group(loops).channel(client), initiator);
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
        return connect(connector);
    }

    /** Connects with an event loop of the client's own. */
    QueuePair connect(EventLoopGroup loops) throws Exception {
        return connect(connector(loops));
    }

    private QueuePair connect(IwarpConnector by) throws Exception {
        return by.connect(listener.localAddress()).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** The memory of the client first, then the counter that all clients of the lane share. */
    private void serve(ConnectionRequest request) {
        QueuePair queuePair = request.queuePair();
        MemoryRegion memory = queuePair
                .region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, MEMORY)
                .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE)
                .register();
        queuePair.closed().thenRun(memory::close);
        long[] next = new long[soak.posters()];
        queuePair.completionListener((same, completion) -> {
            ByteBuf message = completion.buffer();
            if (message != null) {
                judge(message.readLong(), next);
                message.release();
            }
        });
        int fate = soak.dice().nextInt(ONE_OF);
        if (fate < Fate.values().length) {
            queuePair
                    .channel()
                    .eventLoop()
                    .schedule(
                            () -> end(queuePair, memory, Fate.values()[fate]),
                            soak.dice().nextInt(soak.posters() == 1 ? MAX_LIFE_MILLIS : MAX_LIFE_OF_SEVERAL_MILLIS),
                            TimeUnit.MILLISECONDS);
        }
        ByteBuf advertisement = Unpooled.buffer();
        memory.remoteBuffer().encode(advertisement);
        counter.remoteBuffer().encode(advertisement);
        request.accept(ByteBufUtil.getBytes(advertisement));
    }

    /** The messages of each poster come in order. */
    private void judge(long message, long[] next) {
        int poster = Poster.posterOf(message);
        long number = Poster.numberOf(message);
        if (number != next[poster]++) {
            soak.complain(name + ": message " + number + " came instead of " + (next[poster] - 1));
        }
    }

    private static void end(QueuePair queuePair, MemoryRegion memory, Fate fate) {
        switch (fate) {
            case ABORT -> queuePair.abort();
            case CLOSE -> queuePair.close();
            case KILL -> queuePair.channel().close();
            case INVALIDATE -> memory.invalidate();
            case CLOSE_REGION -> memory.close();
        }
    }

    /** Ends the lane, and complains of what is not as it should be. */
    void end() throws Exception {
        listener.shutdownGracefully(Duration.ofSeconds(10)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
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
