package io.iwarp.transports;

import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.IwarpConnector;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairListener;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Two queue pairs that are connected to each other, each with receives posted. */
final class Ends {
    static final int RECEIVES = 4;
    static final int RECEIVE_OCTETS = 64;

    private static final long PATIENCE_SECONDS = 10;

    private final EventLoopGroup group;
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final IwarpListener listener;
    private final End initiator;
    private final End responder;

    /** One of the two. */
    static final class End {
        private final QueuePair queuePair;
        private final Posts posts;
        private final List<ByteBuf> inboxes = new ArrayList<>();
        private final List<CompletionStage<Completion>> received = new ArrayList<>();
        private final CompletableFuture<Void> halfClosed = new CompletableFuture<>();

        End(QueuePair queuePair, Wiring wiring) {
            this.queuePair = queuePair;
            this.posts = wiring.completions().of(queuePair);
            queuePair.listener(new QueuePairListener() {
                @Override
                public void onPeerClosedHalf(QueuePair closed) {
                    halfClosed.complete(null);
                }
            });
            for (int i = 0; i < RECEIVES; i++) {
                ByteBuf inbox = Unpooled.directBuffer(RECEIVE_OCTETS, RECEIVE_OCTETS);
                inboxes.add(inbox);
                received.add(posts.receive(inbox));
            }
        }

        QueuePair queuePair() {
            return queuePair;
        }

        Posts posts() {
            return posts;
        }

        /** {@return the buffer of the n-th receive, from 0} */
        ByteBuf inbox(int n) {
            return inboxes.get(n);
        }

        /** {@return the completion of the n-th receive, from 0} */
        Completion received(int n) throws Exception {
            return await(received.get(n));
        }

        /** {@return completes on the event loop when the peer will send nothing more} */
        CompletionStage<Void> halfClosed() {
            return halfClosed;
        }

        CompletionStage<Completion> receive(int n) {
            return received.get(n);
        }
    }

    Ends(Wiring wiring, Path directory) throws Exception {
        group = wiring.transport().group(2);
        CompletableFuture<End> accepted = new CompletableFuture<>();
        IwarpChannelInitializer responding = IwarpChannelInitializer.responder(domain, wiring.settings(), request -> {
            accepted.complete(new End(request.queuePair(), wiring));
            request.accept();
        });
        listener = await(IwarpListener.listen(
                new ServerBootstrap().group(group).channel(wiring.transport().serverChannel()),
                responding.withTransportHandlers(wiring.security().responder()),
                wiring.transport().anyAddress(directory)));
        CompletableFuture<End> connecting = new CompletableFuture<>();
        IwarpChannelInitializer initiating = IwarpChannelInitializer.initiator(
                domain, wiring.settings(), new byte[0], queuePair -> connecting.complete(new End(queuePair, wiring)));
        await(new IwarpConnector(
                        new Bootstrap().group(group).channel(wiring.transport().clientChannel()),
                        initiating.withTransportHandlers(wiring.security().initiator()))
                .connect(listener.localAddress()));
        initiator = await(connecting);
        responder = await(accepted);
    }

    static <T> T await(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    ProtectionDomain domain() {
        return domain;
    }

    End initiator() {
        return initiator;
    }

    End responder() {
        return responder;
    }

    /** Closes what is open still, and waits until nothing is left. */
    void close() throws Exception {
        listener.close();
        await(listener.closed());
        for (End end : List.of(initiator, responder)) {
            end.queuePair.abort();
            await(end.queuePair.closed());
            end.queuePair.channel().closeFuture().sync();
            end.posts.close();
            end.inboxes.forEach(ByteBuf::release);
        }
        group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
        domain.close();
    }
}
