package io.iwarp.examples.read;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Reads the file of a {@link ReadServer} in pieces, with several Reads in flight. */
public final class ReadClient {
    private static final int PIECE = 1 << 18;
    private static final int OUTSTANDING = 8;

    private final Deque<Piece> outstanding = new ArrayDeque<>();

    private record Piece(ByteBuf buffer, CompletableFuture<Completion> read) {}

    private ReadClient() {}

    private void copy(QueuePair queuePair, RemoteBuffer source, OutputStream target) throws Exception {
        for (long posted = 0; posted < source.length() || !outstanding.isEmpty(); ) {
            if (posted < source.length() && outstanding.size() < OUTSTANDING) {
                int length = (int) Math.min(PIECE, source.length() - posted);
                ByteBuf buffer = Unpooled.directBuffer(length, length); // the sink of a Read must be direct memory
                outstanding.add(new Piece(buffer, queuePair.read(buffer, source.slice(posted, length))));
                posted += length;
            } else {
                Piece oldest = outstanding.remove();
                oldest.read().get();
                oldest.buffer().readBytes(target, oldest.buffer().readableBytes());
                oldest.buffer().release();
            }
        }
    }

    /**
     * Runs the client.
     *
     * @param args the host and port of the server, and the file to write
     */
    public static void main(String[] args) throws Exception {
        if (args.length < 3) {
            System.err.println("usage: ReadClient HOST PORT TARGET");
            System.exit(2);
        }
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            QueuePair queuePair = Iwarp.client(group)
                    .connect(args[0], Integer.parseInt(args[1]))
                    .get();
            RemoteBuffer source = queuePair.remoteBuffer();
            try (OutputStream target = Files.newOutputStream(Path.of(args[2]))) {
                new ReadClient().copy(queuePair, source, target);
            }
            System.out.println("read " + source.length() + " bytes");
            queuePair.closeGracefully().get();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
