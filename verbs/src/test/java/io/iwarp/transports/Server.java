package io.iwarp.transports;

import io.iwarp.CloseReason;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.util.AttributeKey;
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

    private static final AttributeKey<CompletableFuture<CloseReason>> END = AttributeKey.valueOf(Server.class, "end");

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
        listener = await(Iwarp.server(new ServerBootstrap().group(group).channel(transport.serverChannel()))
                .domain(domain)
                .settings(settings)
                .onRequest(decide::accept)
                .transportHandlers(pipeline -> {
                    handlers.accept(pipeline);
                    reportEnd(pipeline);
                    channels.add(pipeline.channel());
                    all.add(pipeline.channel());
                })
                .listen(transport.anyAddress(Path.of(""))));
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
        return Iwarp.client(new Bootstrap().group(group).channel(transport.clientChannel()))
                .domain(domain)
                .settings(settings)
                .transportHandlers(handlers.andThen(pipeline -> all.add(pipeline.channel())))
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

    /** Completes the channel's end, by its queue pair or by the event of a start-up that failed before. */
    private static void reportEnd(ChannelPipeline pipeline) {
        CompletableFuture<CloseReason> end = new CompletableFuture<>();
        pipeline.channel().attr(END).set(end);
        pipeline.channel()
                .eventLoop()
                .execute(() -> pipeline.addLast(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                        if (event instanceof MpaEvent.StartupFailed failed) {
                            end.complete(failed.reason());
                        }
                        ctx.fireUserEventTriggered(event);
                    }
                }));
        pipeline.channel().closeFuture().addListener(closed -> {
            QueuePair queuePair = IwarpChannelInitializer.queuePair(pipeline.channel());
            if (queuePair != null) {
                queuePair.closed().thenAccept(end::complete);
            }
        });
    }

    /** Returns the end of the next connection, however far it came. */
    CompletableFuture<CloseReason> nextEnd() throws InterruptedException {
        return nextChannel().attr(END).get();
    }

    void close() throws Exception {
        await(listener.shutdownGracefully(Duration.ZERO));
        group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
    }
}
