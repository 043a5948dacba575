package io.iwarp.transports;

import io.iwarp.verbs.IwarpChannelInitializer;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What connections of one wiring share: event loops and TLS contexts. */
final class Host {
    private final Wiring wiring;
    private final EventLoopGroup group;
    private final Consumer<ChannelPipeline> responder;
    private final Consumer<ChannelPipeline> initiator;

    Host(Wiring wiring) throws Exception {
        this.wiring = wiring;
        this.group = wiring.transport().group(2);
        this.responder = wiring.security().responder();
        this.initiator = wiring.security().initiator();
    }

    Wiring wiring() {
        return wiring;
    }

    ServerBootstrap server() {
        return new ServerBootstrap().group(group).channel(wiring.transport().serverChannel());
    }

    Bootstrap client() {
        return new Bootstrap().group(group).channel(wiring.transport().clientChannel());
    }

    IwarpChannelInitializer protectResponder(IwarpChannelInitializer responding) {
        return responding.withTransportHandlers(responder);
    }

    IwarpChannelInitializer protectInitiator(IwarpChannelInitializer initiating) {
        return initiating.withTransportHandlers(initiator);
    }

    void close() throws InterruptedException {
        group.shutdownGracefully(0, Ends.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
    }
}
