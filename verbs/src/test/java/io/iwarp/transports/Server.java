package io.iwarp.transports;

import io.iwarp.CloseReason;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.IwarpConnector;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A listener that remembers every channel, also those from which no connection request came, and initiators for it. */
final class Server {
    static final long PATIENCE_SECONDS = 20;

    private final Transport transport;
    private final EventLoopGroup group;
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final QueuePairSettings settings;
    private final IwarpListener listener;
    private final BlockingQueue<Channel> channels = new LinkedBlockingQueue<>();
    private final Queue<Channel> all = new ConcurrentLinkedQueue<>();

    Server(
            Transport transport,
            QueuePairSettings settings,
            Consumer<ChannelPipeline> handlers,
            Consumer<ConnectionRequest> decide)
            throws Exception {
        this.transport = transport;
        this.settings = settings;
        this.group = transport.group(2);
        IwarpChannelInitializer responding = IwarpChannelInitializer.responder(domain, settings, decide::accept)
                .withTransportHandlers(pipeline -> {
                    handlers.accept(pipeline);
                    channels.add(pipeline.channel());
                    all.add(pipeline.channel());
                });
        listener = await(IwarpListener.listen(
                new ServerBootstrap().group(group).channel(transport.serverChannel()),
                responding,
                transport.anyAddress(Path.of(""))));
    }

    static <T> T await(CompletableFuture<T> stage) throws Exception {
        return stage.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    SocketAddress address() {
        return listener.localAddress();
    }

    IwarpListener listener() {
        return listener;
    }

    /** Connects to it. */
    CompletableFuture<QueuePair> connect(Consumer<ChannelPipeline> handlers) {
        return new IwarpConnector(
                        new Bootstrap().group(group).channel(transport.clientChannel()),
                        IwarpChannelInitializer.initiator(domain, settings, new byte[0], queuePair -> {})
                                .withTransportHandlers(handlers.andThen(pipeline -> all.add(pipeline.channel()))))
                .connect(listener.localAddress());
    }

    private Channel nextChannel() throws InterruptedException {
        Channel channel = channels.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (channel == null) {
            throw new AssertionError("no connection came within " + PATIENCE_SECONDS + " s");
        }
        return channel;
    }

    /** Closes the next connection as soon as there is a channel. */
    void closeNextChannel() throws InterruptedException {
        nextChannel().close();
    }

    /** Closes all channels of both sides. */
    void closeChannels() throws InterruptedException {
        for (Channel channel : all) {
            channel.close().sync();
        }
    }

    /** Returns how many tasks the event loops are to carry out later. */
    int timers() throws Exception {
        return Timers.of(group);
    }

    /** Returns the end of the next connection, however far it came. */
    CompletableFuture<CloseReason> nextEnd() throws InterruptedException {
        Channel channel = nextChannel();
        CompletableFuture<CloseReason> end = new CompletableFuture<>();
        channel.eventLoop()
                .execute(() ->
                        IwarpChannelInitializer.queuePair(channel).closed().thenAccept(end::complete));
        return end;
    }

    void close() throws Exception {
        await(listener.shutdownGracefully(Duration.ZERO));
        group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
    }
}
