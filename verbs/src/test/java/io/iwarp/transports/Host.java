package io.iwarp.transports;

import io.iwarp.verbs.Iwarp;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What connections of one wiring share: event loops and TLS contexts. */
final class Host {
    private final Wiring wiring;
    private final ByteBufAllocator allocator;
    private final EventLoopGroup group;
    private final Consumer<ChannelPipeline> responder;
    private final Consumer<ChannelPipeline> initiator;

    Host(Wiring wiring) throws Exception {
        this(wiring, ByteBufAllocator.DEFAULT);
    }

    /** @param allocator of all channels */
    Host(Wiring wiring, ByteBufAllocator allocator) throws Exception {
        this.wiring = wiring;
        this.allocator = allocator;
        this.group = wiring.transport().group(2);
        this.responder = wiring.security().responder();
        this.initiator = wiring.security().initiator();
    }

    Wiring wiring() {
        return wiring;
    }

    Iwarp.Server server() {
        return Iwarp.server(new ServerBootstrap()
                        .group(group)
                        .channel(wiring.transport().serverChannel())
                        .option(ChannelOption.ALLOCATOR, allocator)
                        .childOption(ChannelOption.ALLOCATOR, allocator))
                .transportHandlers(responder);
    }

    Iwarp.Client client() {
        return Iwarp.client(new Bootstrap()
                        .group(group)
                        .channel(wiring.transport().clientChannel())
                        .option(ChannelOption.ALLOCATOR, allocator))
                .transportHandlers(initiator);
    }

    /** Returns how many tasks the event loops are to carry out later. */
    int timers() throws Exception {
        return Timers.of(group);
    }

    void close() throws InterruptedException {
        group.shutdownGracefully(0, Ends.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
    }
}
