package io.iwarp.examples.push;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.iwarp.mpa.MpaSettings;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A server that sends messages to its clients when it wants, and clients that send nothing. */
public final class ServerPush {
    private static final int MAX_MESSAGE = 256;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
    private final Set<QueuePair> clients = ConcurrentHashMap.newKeySet();
    private final CountDownLatch joined = new CountDownLatch(2);
    private final CountDownLatch received = new CountDownLatch(2);

    private void onConnectionRequest(ConnectionRequest request) {
        QueuePair client = request.queuePair();
        client.ready().thenRun(() -> {
            clients.add(client);
            client.closed().thenRun(() -> clients.remove(client));
            joined.countDown();
        });
        request.accept();
    }

    private void push(String news) {
        for (QueuePair client : clients) {
            client.send(Unpooled.copiedBuffer(news, UTF_8)).exceptionally(refused -> {
                client.abort(); // it does not take its messages
                return null;
            });
        }
    }

    private void connect(String name, InetSocketAddress server) throws Exception {
        QueuePairSettings settings = QueuePairSettings.builder()
                .mpa(MpaSettings.builder().peerToPeer(true).build()) // the server may send first
                .build();
        Iwarp.client(group)
                .settings(settings)
                .onMessage(MAX_MESSAGE, (source, message) -> {
                    System.out.println(name + " was told: " + message.bytes().toString(UTF_8));
                    received.countDown();
                })
                .connect(server)
                .get();
    }

    public static void main(String[] args) throws Exception {
        ServerPush program = new ServerPush();
        try {
            IwarpListener listener = Iwarp.server(program.group)
                    .settings(QueuePairSettings.builder()
                            .maxPendingPosts(0) // a push to a client that is 128 behind fails
                            .build())
                    .onRequest(program::onConnectionRequest)
                    .listen("localhost", 0)
                    .get();
            program.connect("alice", (InetSocketAddress) listener.localAddress());
            program.connect("bob", (InetSocketAddress) listener.localAddress());
            program.joined.await();
            program.push("the price is 42");
            program.received.await();
            listener.shutdownGracefully(Duration.ofSeconds(5)).get();
        } finally {
            program.group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
