package io.iwarp.examples.counter;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.IwarpListener;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;

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
        MemoryRegion counter = domain.region()
                .allocate(ByteBufAllocator.DEFAULT, Long.BYTES)
                .rights(AccessRight.REMOTE_ATOMIC)
                .register();
        IwarpListener listener = IwarpListener.listen(
                        new ServerBootstrap()
                                .group(new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory()))
                                .channel(NioServerSocketChannel.class),
                        IwarpChannelInitializer.responder(domain, request -> request.accept(counter.remoteBuffer())),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .get();
        System.out.println("listening on port " + ((InetSocketAddress) listener.localAddress()).getPort());
    }
}
