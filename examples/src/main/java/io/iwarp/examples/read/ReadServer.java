package io.iwarp.examples.read;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Lets clients read a file with RDMA Reads. No server code runs for a Read. */
public final class ReadServer {
    private ReadServer() {}

    /**
     * Serves until the process ends.
     *
     * @param args the file, which must not be empty, and the port, or 0 for any free port
     */
    public static void main(String[] args) throws Exception {
        if (args.length < 1) {
            System.err.println("usage: ReadServer FILE [PORT]");
            System.exit(2);
        }
        int port = args.length > 1 ? Integer.parseInt(args[1]) : 7471;
        Path file = Path.of(args[0]);
        ProtectionDomain domain = ProtectionDomain.create();
        MemoryRegion region = domain.region()
                .file(file, 0, Files.size(file))
                .rights(AccessRight.REMOTE_READ)
                .register();
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
