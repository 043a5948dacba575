package io.iwarp.examples.echo;

import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.Message;
import io.iwarp.verbs.QueuePair;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.TimeUnit;

/** Sends each message of up to 4096 bytes back to the client that sent it. Argument: a port, 0 for any free one. */
public final class EchoServer {
    public static void main(String[] args) throws Exception {
        int port = args.length > 0 ? Integer.parseInt(args[0]) : 7471;
        var group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        try {
            IwarpListener listener = Iwarp.server(group)
                    .onMessage(4096, EchoServer::echo)
                    .listen("localhost", port)
                    .get();
            System.out.println("listening on port " + listener.port());
            listener.closed().get();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS);
        }
    }

    private static void echo(QueuePair queuePair, Message message) {
        queuePair.send(message.bytes()).whenComplete((sent, failure) -> {
            if (failure != null) {
                queuePair.abort(); // the client does not take its replies
            }
        });
    }
}
