package io.iwarp.soak;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The server of {@link Scale}, in a process of its own: a process may not have files enough for both ends. Each line of
 * its input is a question; it answers with one line.
 */
public final class ScaleServer {
    private static final long PATIENCE_SECONDS = 60;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final AtomicLong messages = new AtomicLong();
    private final MemoryRegion cells;

    private ScaleServer(int connections) {
        cells = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, (long) Scale.CELL * (connections + 1))
                .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC)
                .register();
    }

    /**
     * Serves until its input ends.
     *
     * @param args for how many connections to have memory
     */
    public static void main(String[] args) throws Exception {
        new ScaleServer(Integer.parseInt(args[0])).serve();
    }

    private void serve() throws Exception {
        QueuePairSettings settings = Scale.settings();
        ServerBootstrap bootstrap = new ServerBootstrap().group(group).channel(NioServerSocketChannel.class);
        ByteBuf advertisement = Unpooled.buffer();
        cells.remoteBuffer().encode(advertisement);
        byte[] privateData = ByteBufUtil.getBytes(advertisement);
        IwarpListener listener = Iwarp.server(bootstrap)
                .domain(domain)
                .settings(settings)
                .onRequest(request -> {
                    request.queuePair().setCompletionListener((same, completion) -> {
                        ByteBuf message = completion.buffer();
                        if (completion.successful() && message != null) {
                            messages.addAndGet(message.readLong());
                            message.release();
                        }
                    });
                    request.accept(privateData);
                })
                .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        System.out.println(((InetSocketAddress) listener.localAddress()).getPort());
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        while (questions.readLine() != null) {
            Usage usage = Usage.now();
            long counter = cells.getVolatile(cells.length() - Scale.CELL);
            System.out.println(usage.heap() + " " + usage.direct() + " " + listener.connections() + " " + messages.get()
                    + " " + counter);
        }
        listener.shutdownGracefully(Duration.ofSeconds(10)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        cells.close();
        domain.close();
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
}
