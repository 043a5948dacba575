package io.iwarp.examples.read;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Lets clients read a file with RDMA Reads. No server code runs for a Read. */
public final class ReadServer {
    private ReadServer() {}

    /**
     * Serves until the process ends.
     *
     * @param args the file, smaller than 2 GiB, and the port, or 0 for any free port
     */
    public static void main(String[] args) throws Exception {
        if (args.length < 1) {
            System.err.println("usage: ReadServer FILE [PORT]");
            System.exit(2);
        }
        int port = args.length > 1 ? Integer.parseInt(args[1]) : 7471;
        ByteBuf file;
        try (FileChannel channel = FileChannel.open(Path.of(args[0]))) {
            int length = Math.toIntExact(channel.size());
            file = Unpooled.directBuffer(length, length);
            while (file.isWritable() && file.writeBytes(channel, file.writableBytes()) >= 0) {
                // a channel may read fewer bytes than requested
            }
        }
        ProtectionDomain domain = ProtectionDomain.create();
        MemoryRegion region =
                domain.region().buffers(file).rights(AccessRight.REMOTE_READ).register();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        try {
            IwarpListener listener = Iwarp.server(group)
                    .domain(domain)
                    .onRequest(request -> request.accept(region))
                    .listen("localhost", port)
                    .get();
            System.out.println("listening on port " + listener.port());
            listener.closed().get();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS);
        }
    }
}
