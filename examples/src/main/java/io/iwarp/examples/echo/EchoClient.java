package io.iwarp.examples.echo;

import io.iwarp.verbs.Completion;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Sends messages to an {@link EchoServer} and prints the replies. */
public final class EchoClient {
    private EchoClient() {}

    private static void talk(QueuePair queuePair, String text) throws Exception {
        ByteBuf answer = Unpooled.buffer(4096, 4096);
        CompletableFuture<Completion> answered = queuePair.receive(answer); // post the receive before the send
        queuePair.send(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
        answered.get(10, TimeUnit.SECONDS);
        System.out.println("echo: " + answer.toString(StandardCharsets.UTF_8));
    }

    /**
     * Runs the client.
     *
     * @param args the host and port of the server, then the messages
     */
    public static void main(String[] args) throws Exception {
        if (args.length < 3) {
            System.err.println("usage: EchoClient HOST PORT MESSAGE...");
            System.exit(2);
        }
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            QueuePair queuePair = Iwarp.client(group)
                    .connect(args[0], Integer.parseInt(args[1]))
                    .get();
            for (int i = 2; i < args.length; i++) {
                talk(queuePair, args[i]);
            }
            queuePair.closeGracefully().get();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
