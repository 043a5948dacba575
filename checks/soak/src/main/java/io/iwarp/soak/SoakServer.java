package io.iwarp.soak;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A server over one transport, and what its clients need. The server gives each client its own memory and checks that
 * its messages arrive in order. At random it ends a connection, or takes the memory away, while it is in use.
 */
final class SoakServer {
    /** Bytes of memory of each client. */
    static final int CLIENT_MEMORY = 16 * 1024;

    /** Bytes of the memory that all clients may read: a stream that answers a Read of it fills its transmit window. */
    private static final int SHARED_MEMORY = 1 << 20;

    private static final long MAX_SENDING_BYTES = 4L << 20;
    private static final long MAX_PARTIAL_FPDU_BYTES = 2L << 20;
    private static final long MAX_MANAGED_RECEIVE_BYTES = 1L << 20;
    /** The bytes that a stream may send without a reservation. */
    private static final long FREE_OF_A_STREAM = 72L << 10;
    /** The buffers of what is sent have at most twice the capacity that they need. */
    private static final int CAPACITY_FACTOR = 2;

    /** The kernel takes little of what peers do not take: this side has to hold the rest. */
    private static final int SEND_BUFFER_BESIDE_HOSTILE = 32 * 1024;

    private static final long TIMEOUT_SECONDS = 60;
    /** The private data of clients that keep all rules. */
    private static final byte[] HONEST = {1};
    /** Each disruption hits one of this many clients. */
    private static final int CLIENTS_PER_DISRUPTION = 20;

    private static final int MAX_LIFE_MILLIS = 200;
    /** Connections with several posters are shorter. */
    private static final int MAX_LIFE_OF_SEVERAL_MILLIS = 10;

    private final SoakTransport transport;
    private final EventLoopGroup group;
    private final Soak.@Nullable Tls tls;
    private final QueuePairSettings settings;
    private final ProtectionDomain domain = IwarpDevice.builder()
            .maxSendingBytes(MAX_SENDING_BYTES)
            .maxPartialFpduBytes(MAX_PARTIAL_FPDU_BYTES)
            .maxManagedReceiveBytes(MAX_MANAGED_RECEIVE_BYTES)
            .build()
            .createProtectionDomain();
    private final ProtectionDomain clientDomain = ProtectionDomain.create();
    private final MemoryRegion counter;
    private final MemoryRegion shared;
    private final IwarpListener listener;
    private final Iwarp.Client connector;
    private final Soak soak;
    private final LostTime lostTime = new LostTime();

    /** What a server may do to a connection that is in use. */
    private enum Disruption {
        ABORT,
        CLOSE,
        KILL,
        INVALIDATE,
        CLOSE_REGION
    }

    /** What was added to {@link #counter} at least, and at most. */
    final AtomicLong added = new AtomicLong();

    final AtomicLong addsPosted = new AtomicLong();

    /** @param tls of the server and of the clients, or null */
    SoakServer(Soak soak, SoakTransport transport, Soak.@Nullable Tls tls) throws Exception {
        this.soak = soak;
        this.tls = tls;
        this.transport = transport;
        this.group = newGroup(2);
        counter = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, Long.BYTES)
                .rights(AccessRight.REMOTE_ATOMIC)
                .register();
        shared = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, SHARED_MEMORY)
                .rights(AccessRight.REMOTE_READ)
                .register();
        settings = QueuePairSettings.builder()
                .sendQueueDepth(Client.WINDOW * Poster.POSTS_OF_A_GROUP)
                .managedReceiveBytes(Long.BYTES)
                .receiveTimeout(Duration.ofSeconds(10))
                .mpa(MpaSettings.builder()
                        .startupTimeout(Duration.ofSeconds(TIMEOUT_SECONDS))
                        .build())
                .build();
        ServerBootstrap bootstrap = new ServerBootstrap().group(group).channel(transport.serverChannel());
        if (soak.options().hostile() > 0 && transport.isPlainTcp()) {
            bootstrap.childOption(ChannelOption.SO_SNDBUF, SEND_BUFFER_BESIDE_HOSTILE);
        }
        Iwarp.Server responder =
                Iwarp.server(bootstrap).domain(domain).settings(settings).onRequest(this::serve);
        listener = (tls == null ? responder : responder.transportHandlers(patient(tls.server())))
                .listen(transport.anyAddress())
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        connector = connector(group);
    }

    /** Returns what the limits of a device allow, with a number of streams. */
    static long maxDeviceBytes(int streams) {
        return CAPACITY_FACTOR * (MAX_SENDING_BYTES + streams * FREE_OF_A_STREAM)
                + MAX_PARTIAL_FPDU_BYTES
                + MAX_MANAGED_RECEIVE_BYTES;
    }

    EventLoopGroup newGroup(int loops) {
        return new MultiThreadIoEventLoopGroup(loops, lostTime, transport.handlers());
    }

    private Iwarp.Client connector(EventLoopGroup loops) {
        Iwarp.Client initiator = Iwarp.client(new Bootstrap().group(loops).channel(transport.clientChannel()))
                .domain(clientDomain)
                .settings(settings)
                .prepare(setup -> setup.privateData(HONEST));
        return tls == null ? initiator : initiator.transportHandlers(patient(tls.client()));
    }

    private static Consumer<ChannelPipeline> patient(SslContext tls) {
        return pipeline -> {
            SslHandler handler = tls.newHandler(pipeline.channel().alloc());
            handler.setHandshakeTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            pipeline.addLast(handler);
        };
    }

    SoakTransport transport() {
        return transport;
    }

    /** Returns the time that the event loops of this server and its clients have lost. */
    LostTime lostTime() {
        return lostTime;
    }

    SocketAddress address() {
        return listener.localAddress();
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

    private QueuePair connect(Iwarp.Client by) throws Exception {
        return by.connect(listener.localAddress()).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    /** Advertises the memory of the client, then the counter and the memory that all clients of the server share. */
    private void serve(ConnectionRequest request) {
        QueuePair queuePair = request.queuePair();
        MemoryRegion memory = queuePair
                .region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, CLIENT_MEMORY)
                .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE)
                .register();
        queuePair.closed().thenRun(memory::close);
        long[] next = new long[soak.options().posters()];
        queuePair.setCompletionListener((same, completion) -> {
            ByteBuf message = completion.buffer();
            if (message != null) {
                verify(message.readLong(), next);
                message.release();
            }
        });
        int chosen = soak.newRandom().nextInt(CLIENTS_PER_DISRUPTION);
        Disruption disruption = chosen < Disruption.values().length ? Disruption.values()[chosen] : null;
        boolean memoryIsTaken = disruption == Disruption.INVALIDATE || disruption == Disruption.CLOSE_REGION;
        if (Arrays.equals(request.privateData(), HONEST)) {
            queuePair.closed().thenAccept(reason -> verify(reason, memoryIsTaken));
        }
        if (disruption != null) {
            queuePair
                    .channel()
                    .eventLoop()
                    .schedule(
                            () -> end(queuePair, memory, disruption),
                            soak.newRandom()
                                    .nextInt(
                                            soak.options().posters() == 1
                                                    ? MAX_LIFE_MILLIS
                                                    : MAX_LIFE_OF_SEVERAL_MILLIS),
                            TimeUnit.MILLISECONDS);
        }
        ByteBuf advertisement = Unpooled.buffer();
        memory.remoteBuffer().encode(advertisement);
        counter.remoteBuffer().encode(advertisement);
        shared.remoteBuffer().encode(advertisement);
        request.accept(ByteBufUtil.getBytes(advertisement));
    }

    /** The messages of each poster come in order. */
    private void verify(long message, long[] next) {
        int poster = Poster.posterOf(message);
        long number = Poster.numberOf(message);
        if (number != next[poster]++) {
            soak.fail(transport + ": message " + number + " came instead of " + (next[poster] - 1));
        }
    }

    /**
     * An honest client does nothing wrong, and is served whatever others do.
     *
     * @param memoryIsTaken whether this side takes memory away that is in use
     */
    void verify(CloseReason reason, boolean memoryIsTaken) {
        boolean fault = reason.endedBy() == EndedBy.LOCAL_FAULT && reason.error() != ProtocolError.MPA_CONNECTION_LOST;
        if (reason.endedBy() == EndedBy.TIMEOUT || (fault && !memoryIsTaken)) {
            soak.fail(transport + ": ended without a cause of this run: " + reason);
        }
    }

    private static void end(QueuePair queuePair, MemoryRegion memory, Disruption disruption) {
        switch (disruption) {
            case ABORT -> queuePair.abort();
            case CLOSE -> queuePair.close();
            case KILL -> queuePair.channel().close();
            case INVALIDATE -> memory.invalidate();
            case CLOSE_REGION -> memory.close();
        }
    }

    /** Shuts down, and checks the counter and what is left. */
    void end() throws Exception {
        listener.shutdownGracefully(Duration.ofSeconds(10)).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        long total = counter.getVolatile(0);
        if (total < added.get() || total > addsPosted.get()) {
            soak.fail(transport + ": " + total + " was added, expected " + added + " to " + addsPosted);
        }
        counter.close();
        shared.close();
        int left = domain.device().regionCount() + clientDomain.device().regionCount();
        if (left != 0) {
            soak.fail(transport + ": " + left + " regions are left");
        } else {
            domain.close();
            clientDomain.close();
        }
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
}
