package io.iwarp.examples.echo;

import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.Message;
import io.iwarp.verbs.QueuePair;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.TimeUnit;

/** Sends each message back to the client that sent it. */
public final class EchoServer {
    private static final int MAX_MESSAGE = 4096;

    private EchoServer() {}

    /** Ends a connection whose client sends more than it reads: its answers have no room. */
    private static void echo(QueuePair queuePair, Message message) {
        queuePair.send(message.bytes()).exceptionally(failure -> {
            queuePair.abort();
            return null;
        });
    }

    /**
     * Serves until the process ends.
     *
     * @param args the port, or 0 for any free port
     */
    public static void main(String[] args) throws Exception {
        int port = args.length > 0 ? Integer.parseInt(args[0]) : 7471;
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        try {
            IwarpListener listener = Iwarp.server(group)
                    .onMessage(MAX_MESSAGE, EchoServer::echo)
                    .listen("localhost", port)
                    .get();
            System.out.println("listening on port " + listener.port());
            listener.closed().get();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS);
        }
    }
}
