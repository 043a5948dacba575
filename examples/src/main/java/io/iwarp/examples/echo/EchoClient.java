package io.iwarp.examples.echo;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** Sends messages to an {@link EchoServer} and prints the replies. Arguments: host, port, and the messages. */
public final class EchoClient {
    public static void main(String[] args) throws Exception {
        if (args.length < 3) {
            System.err.println("usage: EchoClient HOST PORT MESSAGE...");
            System.exit(2);
        }
        var group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            QueuePair queuePair = Iwarp.client(group)
                    .connect(args[0], Integer.parseInt(args[1]))
                    .get();
            for (String text : Arrays.asList(args).subList(2, args.length)) {
                ByteBuf reply = Unpooled.buffer(4096);
                var received = queuePair.receive(reply); // post the receive before the send
                queuePair.send(Unpooled.copiedBuffer(text, UTF_8));
                received.get(10, TimeUnit.SECONDS);
                System.out.println("echo: " + reply.toString(UTF_8));
            }
            queuePair.closeGracefully().get();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
