package io.iwarp.examples.write;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Stores files that clients write into its memory. A client sends a message after each piece. */
public final class WriteServer {
    static final int PIECE = 1 << 20;
    static final int MAX_MESSAGE = 256;

    private final ExecutorService threads = Executors.newCachedThreadPool(); // file access blocks
    private final Path directory;

    private WriteServer(Path directory) {
        this.directory = directory;
    }

    private void onConnectionRequest(ConnectionRequest request) {
        QueuePair queuePair = request.queuePair();
        MemoryRegion memory = queuePair.allocate(PIECE, AccessRight.REMOTE_WRITE);
        ByteBuf message = Unpooled.buffer(MAX_MESSAGE, MAX_MESSAGE);
        CompletableFuture<Completion> name = queuePair.receive(message);
        threads.execute(() -> serve(queuePair, memory, message, name));
        request.accept(memory);
    }

    private void serve(QueuePair queuePair, MemoryRegion memory, ByteBuf message, CompletableFuture<Completion> named) {
        try (memory) {
            named.get();
            String name = message.toString(StandardCharsets.UTF_8);
            if (!name.matches("(?U)\\w[\\w.-]*") || Files.isDirectory(directory.resolve(name))) {
                throw new IOException("the name is not that of a plain file");
            }
            Path part = Files.createTempFile(directory, "incoming", ".part");
            try {
                long stored = store(queuePair, memory, message, part);
                Files.move(part, directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
                System.out.println("stored " + name + ", " + stored + " bytes");
            } finally {
                Files.deleteIfExists(part);
            }
            queuePair.send(Unpooled.copiedBuffer("stored", StandardCharsets.UTF_8));
            queuePair.closed().get();
        } catch (Exception e) {
            System.err.println("the client at " + queuePair.channel().remoteAddress() + " failed: " + e);
        } finally {
            queuePair.abort();
        }
    }

    /** Each message holds the length of the next piece in bytes; 0 marks the end. */
    private static long store(QueuePair queuePair, MemoryRegion memory, ByteBuf message, Path part) throws Exception {
        long stored = 0;
        try (OutputStream file = Files.newOutputStream(part)) {
            while (true) {
                CompletableFuture<Completion> next = queuePair.receive(message.clear()); // before asking
                queuePair.send(Unpooled.copiedBuffer("next", StandardCharsets.UTF_8));
                next.get();
                int length = message.readInt();
                if (length < 0 || length > PIECE) {
                    throw new IOException("a piece of " + length + " bytes");
                }
                if (length == 0) {
                    return stored;
                }
                ByteBuf piece = memory.view(0, length);
                try {
                    piece.readBytes(file, length);
                } finally {
                    piece.release();
                }
                stored += length;
            }
        }
    }

    /**
     * Serves until the process ends.
     *
     * @param args the directory, and the port, or 0 for any free port
     */
    public static void main(String[] args) throws Exception {
        if (args.length < 1) {
            System.err.println("usage: WriteServer DIRECTORY [PORT]");
            System.exit(2);
        }
        int port = args.length > 1 ? Integer.parseInt(args[1]) : 7471;
        WriteServer server = new WriteServer(Path.of(args[0]));
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        try {
            IwarpListener listener = Iwarp.server(group)
                    .onRequest(server::onConnectionRequest)
                    .listen("localhost", port)
                    .get();
            System.out.println("listening on port " + listener.port());
            listener.closed().get();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS);
        }
    }
}
