package io.iwarp.examples.giveup;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.iwarp.verbs.Completion;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Waits for a message for a limited time. The next message arrives in the next receive. */
public final class GiveUp {
    private static boolean waitFor(CompletableFuture<Completion> message, long millis) {
        return message.orTimeout(millis, TimeUnit.MILLISECONDS)
                .handle((received, failure) -> failure == null)
                .join();
    }

    public static void main(String[] args) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        try {
            IwarpListener listener = Iwarp.server(group)
                    .onMessage(64, (client, message) -> client.send(message.bytes()))
                    .listen("localhost", 0)
                    .get();
            QueuePair queuePair =
                    Iwarp.client(group).connect(listener.localAddress()).get();

            ByteBuf first = Unpooled.buffer(64);
            System.out.println("received: " + waitFor(queuePair.receive(first), 10)); // nobody sends

            ByteBuf second = Unpooled.buffer(64);
            CompletableFuture<Completion> reply = queuePair.receive(second);
            queuePair.send(Unpooled.copiedBuffer("hello", UTF_8));
            System.out.println("received: " + waitFor(reply, 10_000) + ", " + second.toString(UTF_8));

            queuePair.closeGracefully().get();
            listener.shutdownGracefully(Duration.ofSeconds(5)).get();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
