package io.iwarp.examples.restart;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.Reconnector;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A server whose counter survives a restart, and a client that stays connected to it and blocks. */
public final class Restart {
    private static final EventLoopGroup GROUP = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());

    private static final class Server {
        private final ProtectionDomain domain = ProtectionDomain.create();
        private final MemoryRegion counter = domain.allocate(Long.BYTES, AccessRight.REMOTE_ATOMIC);
        private final IwarpListener listener;

        private Server(SocketAddress address, Path path) throws Exception {
            if (Files.size(path) > 0) {
                try (FileChannel file = FileChannel.open(path)) {
                    counter.load(file);
                }
            }
            listener = Iwarp.server(GROUP)
                    .domain(domain)
                    .onRequest(request -> request.accept(counter))
                    .listen(address)
                    .get();
        }

        /** Stops the server. No acknowledged operation is lost. */
        private void stop(Path path) throws Exception {
            listener.close();
            for (QueuePair client : listener.queuePairs()) {
                client.send(Unpooled.copiedBuffer("leave", UTF_8));
            }
            listener.connectionsClosed()
                    .completeOnTimeout(null, 10, TimeUnit.SECONDS)
                    .get();
            listener.shutdownGracefully(Duration.ofSeconds(5)).get();
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
                counter.store(file);
            }
            System.out.println("stored");
            counter.close();
            domain.close();
        }
    }

    private static final class Client {
        private final Reconnector server;
        private final Semaphore progress = new Semaphore(0);
        private long added;

        private Client(SocketAddress address) {
            server = Iwarp.client(GROUP)
                    .peerToPeer()
                    .onMessage(64, (queuePair, message) -> queuePair.attach("leave"))
                    .stayConnected(address, queuePair -> System.out.println("connected"));
        }

        private void run() throws InterruptedException {
            while (!server.closed().isDone()) {
                try {
                    count(server.connected().get());
                } catch (ExecutionException ended) {
                    // The next connection follows, or the application has closed the reconnector.
                }
            }
        }

        private void count(QueuePair queuePair) throws InterruptedException, ExecutionException {
            while (queuePair.attachment() == null) {
                queuePair.fetchAdd(queuePair.remoteBuffer(), 1).get();
                added++;
                progress.release();
            }
            server.reconnect();
        }
    }

    public static void main(String[] args) throws Exception {
        Path path = Files.createTempFile("counter", null);
        try {
            Server server = new Server(new InetSocketAddress("localhost", 0), path);
            SocketAddress address = server.listener.localAddress();
            Client client = new Client(address);
            Thread thread = new Thread(() -> {
                try {
                    client.run();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            });
            thread.start();
            client.progress.acquire(100);
            server.stop(path);
            server = new Server(address, path);
            client.progress.acquire(100);
            MemoryRegion counter = server.counter;
            client.server.close();
            thread.join();
            System.out.println("counted all: " + (counter.getVolatile(0) - client.added <= 1));
            server.stop(path);
        } finally {
            GROUP.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
            Files.delete(path);
        }
    }
}
