package io.iwarp.examples.counter;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.TimeUnit;

/** Holds a counter that clients increment with FetchAdd. No server code runs for an increment. */
public final class CounterServer {
    private CounterServer() {}

    /**
     * Serves until the process ends.
     *
     * @param args the port, or 0 for any free port
     */
    public static void main(String[] args) throws Exception {
        int port = args.length > 0 ? Integer.parseInt(args[0]) : 7471;
        ProtectionDomain domain = ProtectionDomain.create();
        // All clients share the region, so it is not associated with a connection.
        MemoryRegion counter = domain.allocate(Long.BYTES, AccessRight.REMOTE_ATOMIC);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        try {
            IwarpListener listener = Iwarp.server(group)
                    .domain(domain)
                    .onRequest(request -> request.accept(counter))
                    .listen("localhost", port)
                    .get();
            System.out.println("listening on port " + listener.port());
            listener.closed().get();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS);
        }
    }
}
