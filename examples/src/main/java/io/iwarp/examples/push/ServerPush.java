package io.iwarp.examples.push;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A server that sends messages to its clients when it wants, and clients that send nothing. */
public final class ServerPush {
    private static final int MAX_MESSAGE = 256;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
    private final CountDownLatch joined = new CountDownLatch(2);
    private final CountDownLatch received = new CountDownLatch(2);

    private IwarpListener listen() throws Exception {
        QueuePairSettings settings = QueuePairSettings.builder()
                .maxPendingPosts(0) // a push to a client that is 128 messages late fails
                .build();
        return Iwarp.server(group)
                .settings(settings)
                .onRequest(ConnectionRequest::accept)
                .onOpen(client -> joined.countDown())
                .listen("localhost", 0)
                .get();
    }

    private static void push(IwarpListener server, String news) {
        for (QueuePair client : server.queuePairs()) {
            client.send(Unpooled.copiedBuffer(news, UTF_8)).whenComplete((sent, failure) -> {
                if (failure != null) {
                    client.abort(); // it does not take its messages
                }
            });
        }
    }

    private void connect(String name, SocketAddress server) throws Exception {
        Iwarp.client(group)
                .peerToPeer() // the server may send first
                .onMessage(MAX_MESSAGE, (source, message) -> {
                    System.out.println(name + " received: " + message.bytes().toString(UTF_8));
                    received.countDown();
                })
                .connect(server)
                .get();
    }

    public static void main(String[] args) throws Exception {
        ServerPush program = new ServerPush();
        try {
            IwarpListener listener = program.listen();
            program.connect("alice", listener.localAddress());
            program.connect("bob", listener.localAddress());
            program.joined.await();
            push(listener, "the price is 42");
            program.received.await();
            listener.shutdownGracefully(Duration.ofSeconds(5)).get();
        } finally {
            program.group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
