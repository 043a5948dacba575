package io.iwarp.examples.http;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** An iWARP server and an HTTP server share event loops. The health page shows a counter that clients add to. */
public final class BesideHttp {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion counter = domain.allocate(Long.BYTES, AccessRight.REMOTE_ATOMIC);
    private final Iwarp.Client clients = Iwarp.client(group);
    private final ChannelGroup browsers = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final IwarpListener iwarp;
    private final Channel http;

    private BesideHttp() throws Exception {
        // All clients share the region, so it is not associated with a stream.
        iwarp = Iwarp.server(group)
                .domain(domain)
                .onRequest(request -> request.accept(counter))
                .listen(ANY_PORT)
                .get();
        http = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        browsers.add(channel);
                        channel.pipeline()
                                .addLast(new HttpServerCodec())
                                .addLast(new HttpServerKeepAliveHandler())
                                .addLast(new HttpObjectAggregator(1 << 16))
                                .addLast(new FlowControlHandler())
                                .addLast(new Health());
                    }
                })
                .childOption(ChannelOption.AUTO_READ, false) // one request at a time: Health reads the next
                .bind(ANY_PORT)
                .sync()
                .channel();
    }

    private final class Health extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.read();
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            HttpResponseStatus status = HttpResponseStatus.NOT_FOUND;
            String page = "";
            if (!request.decoderResult().isSuccess()) {
                status = HttpResponseStatus.BAD_REQUEST;
            } else if (request.uri().equals("/health")) {
                status = HttpResponseStatus.OK;
                page = "up, " + iwarp.connections() + " connections, counter " + counter.getVolatile(0);
            }
            FullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, status, Unpooled.copiedBuffer(page, StandardCharsets.UTF_8));
            response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8");
            HttpUtil.setContentLength(response, response.content().readableBytes());
            context.writeAndFlush(response).addListener(sent -> context.read());
        }
    }

    /** Stops listening, closes the connections gracefully, those of the clients as well, then stops the threads. */
    private void shutDown() throws Exception {
        http.close().sync();
        clients.shutdownGracefully(Duration.ofSeconds(5)).get();
        iwarp.shutdownGracefully(Duration.ofSeconds(5)).get();
        browsers.close().sync();
        counter.close();
        domain.close();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }

    private void count(long add) throws Exception {
        QueuePair client = clients.connect(iwarp.localAddress()).get();
        RemoteBuffer number = client.remoteBuffer();
        System.out.println("counter was " + client.fetchAdd(number, add).get());
    }

    public static void main(String[] args) throws Exception {
        BesideHttp program = new BesideHttp();
        program.count(40);
        program.count(2);
        int port = ((InetSocketAddress) program.http.localAddress()).getPort();
        try (InputStream page =
                URI.create("http://127.0.0.1:" + port + "/health").toURL().openStream()) {
            System.out.println("GET /health: " + new String(page.readAllBytes(), StandardCharsets.UTF_8));
        }
        program.shutDown();
        System.out.println("down");
    }
}
