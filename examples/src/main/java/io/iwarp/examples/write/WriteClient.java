package io.iwarp.examples.write;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Writes a file piece by piece into the memory of a {@link WriteServer}, which stores it. */
public final class WriteClient {
    private final QueuePair queuePair;

    private WriteClient(QueuePair queuePair) {
        this.queuePair = queuePair;
    }

    /** Sends a message and waits for the reply. After the reply, the memory may be written again. */
    private String ask(ByteBuf message) throws Exception {
        ByteBuf reply = Unpooled.buffer(WriteServer.MAX_MESSAGE, WriteServer.MAX_MESSAGE);
        CompletableFuture<Completion> replied = queuePair.receive(reply);
        queuePair.send(message);
        replied.get(30, TimeUnit.SECONDS);
        return reply.toString(StandardCharsets.UTF_8);
    }

    private String write(Path file) throws Exception {
        RemoteBuffer memory = queuePair.remoteBuffer();
        String reply = ask(Unpooled.copiedBuffer(file.getFileName().toString(), StandardCharsets.UTF_8));
        try (InputStream source = Files.newInputStream(file)) {
            while (reply.equals("next")) {
                byte[] piece = source.readNBytes((int) memory.length());
                if (piece.length > 0) {
                    queuePair.write(Unpooled.wrappedBuffer(piece), memory); // placed before the message arrives
                }
                reply = ask(Unpooled.copyInt(piece.length));
            }
        }
        return reply;
    }

    /**
     * Runs the client.
     *
     * @param args the host and port of the server, and the file
     */
    public static void main(String[] args) throws Exception {
        if (args.length < 3) {
            System.err.println("usage: WriteClient HOST PORT FILE");
            System.exit(2);
        }
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            QueuePair queuePair = Iwarp.client(group)
                    .connect(args[0], Integer.parseInt(args[1]))
                    .get();
            System.out.println("the server says: " + new WriteClient(queuePair).write(Path.of(args[2])));
            queuePair.closeGracefully().get();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
