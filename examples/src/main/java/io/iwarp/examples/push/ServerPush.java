package io.iwarp.examples.push;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.iwarp.Operation;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.IwarpConnector;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueueFullException;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** A server that sends messages to its clients when it wants, and clients that send nothing. */
public final class ServerPush {
    private static final int GREATEST_MESSAGE = 256;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
    private final ProtectionDomain domain = ProtectionDomain.create();
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
            try {
                client.send(Unpooled.copiedBuffer(news, UTF_8));
            } catch (QueueFullException e) {
                client.abort(); // it does not take its messages
            }
        }
    }

    private void connect(String name, InetSocketAddress server) throws Exception {
        QueuePairSettings settings = QueuePairSettings.builder()
                .mpa(MpaSettings.builder().peerToPeer(true).build()) // the server may send first
                .managedReceiveBytes(GREATEST_MESSAGE) // each message arrives in a buffer of the channel's allocator
                .build();
        IwarpChannelInitializer initializer = IwarpChannelInitializer.initiator(
                domain,
                settings,
                new byte[0], // private data of the connection request
                queuePair -> queuePair.completionListener((source, completion) -> print(name, completion)));
        new IwarpConnector(new Bootstrap().group(group).channel(NioSocketChannel.class), initializer)
                .connect(server)
                .get();
    }

    private void print(String name, Completion completion) {
        if (completion.operation() != Operation.RECEIVE || completion.hasImmediate()) {
            return;
        }
        ByteBuf message = completion.buffer();
        try {
            System.out.println(name + " was told: " + message.toString(UTF_8));
        } finally {
            message.release();
        }
        received.countDown();
    }

    public static void main(String[] args) throws Exception {
        ServerPush program = new ServerPush();
        try {
            IwarpListener listener = IwarpListener.listen(
                            new ServerBootstrap().group(program.group).channel(NioServerSocketChannel.class),
                            IwarpChannelInitializer.responder(program.domain, program::onConnectionRequest),
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .get();
            program.connect("alice", (InetSocketAddress) listener.localAddress());
            program.connect("bob", (InetSocketAddress) listener.localAddress());
            program.joined.await();
            program.push("the price is 42");
            program.received.await();
            listener.shutdownGracefully(Duration.ofSeconds(5))
                    .toCompletableFuture()
                    .get();
        } finally {
            program.group.shutdownGracefully().sync();
        }
    }
}
