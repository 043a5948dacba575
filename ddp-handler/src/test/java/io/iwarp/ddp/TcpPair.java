package io.iwarp.ddp;

import io.iwarp.Counter;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.internal.mpa.MpaFramingHandler;
import io.iwarp.internal.mpa.MpaStartupHandler;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Two DDP streams that talk to each other over MPA and TCP, each on an event loop of its own. */
final class TcpPair implements AutoCloseable {
    private static final int DEADLINE_SECONDS = 60;

    /** One end. What it records is of the event loop: look at it there, or after {@link #closed}. */
    static final class End {
        final RecordingUlp ulp = new RecordingUlp();
        final ProtectionDomain domain = ProtectionDomain.create();
        final StreamAssociation stream = StreamAssociation.open(domain);
        final ConnectionCounters counters = new ConnectionCounters();
        final CompletableFuture<Channel> ready = new CompletableFuture<>();
        final CompletableFuture<Void> closed = new CompletableFuture<>();
        final List<Throwable> exceptions = new ArrayList<>();
        private final List<MemoryRegion> regions = new ArrayList<>();

        End() {
            ulp.recordsReads = false;
        }

        MemoryRegion region(int length) {
            return region(length, AccessRight.REMOTE_WRITE);
        }

        MemoryRegion region(int length, AccessRight right) {
            MemoryRegion region = domain.region()
                    .allocate(ByteBufAllocator.DEFAULT, length)
                    .rights(right)
                    .register();
            regions.add(region);
            return region;
        }

        Channel channel() {
            return await(ready);
        }

        void run(Runnable task) {
            channel().eventLoop().execute(task);
        }

        void write(DdpMessage message) {
            var unused = channel().write(message, channel().voidPromise());
        }

        void shutdownOutput() {
            ((DuplexChannel) channel()).shutdownOutput();
        }

        private ChannelHandler initializer(ChannelHandler startup) {
            DdpHandler ddp = new DdpHandler(
                    DdpHandler.DEFAULT_TRANSMIT_WINDOW,
                    ReceiverFixture.MESSAGE_TIMEOUT,
                    stream,
                    ulp,
                    counters,
                    () -> counters.get(Counter.BYTES_SENT));
            ulp.idle = ddp::idle;
            MpaFramingHandler framing = new MpaFramingHandler(MpaSettings.DEFAULT, counters, ddp);
            return new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel ch) {
                    ch.pipeline().addLast(startup, framing, ddp, new Above());
                }
            };
        }

        private void close() {
            regions.forEach(MemoryRegion::close);
            stream.close();
            domain.close();
        }

        private final class Above extends ChannelInboundHandlerAdapter {
            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                if (event instanceof MpaEvent.Established) {
                    ready.complete(ctx.channel());
                } else if (event instanceof MpaEvent.InputShutdown) {
                    ulp.onHalfClosed();
                }
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                exceptions.add(cause);
            }

            @Override
            public void channelInactive(ChannelHandlerContext ctx) {
                closed.complete(null);
            }
        }
    }

    final End initiator = new End();
    final End responder = new End();
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());

    /** Connects the two and ends start-up. */
    TcpPair connect() {
        MpaSettings settings = MpaSettings.DEFAULT;
        Channel server = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(responder.initializer(MpaStartupHandler.responder(
                        settings, request -> request.accept(new byte[0]).isSuccess())))
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
        new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .handler(initiator.initializer(MpaStartupHandler.initiator(settings, new byte[0])))
                .connect(server.localAddress())
                .syncUninterruptibly();
        initiator.channel();
        responder.channel();
        server.close().syncUninterruptibly();
        return this;
    }

    static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(DEADLINE_SECONDS, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        initiator.channel().close().syncUninterruptibly();
        responder.channel().close().syncUninterruptibly();
        await(initiator.closed);
        await(responder.closed);
        initiator.close();
        responder.close();
        group.shutdownGracefully(0, DEADLINE_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
