package io.iwarp.tools.kv;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/** Serves a status page, {@code /metrics} for Prometheus and {@code /health} over HTTP. */
public final class MonitoringPages extends ChannelInitializer<Channel> {
    private static final int LONGEST_REQUEST = 1 << 10;
    private static final int IDLE_SECONDS = 60;
    private static final String TEXT = "text/plain; charset=utf-8";
    /** The format of what Micrometer's Prometheus registry gives by default. */
    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

    private static final String HTML = "text/html; charset=utf-8";
    private static final String JSON = "application/json";

    private final Supplier<String> metrics;
    private final Supplier<String> health;
    private final Supplier<String> status;

    /**
     * @param metrics the page of metrics; called on event loops, and must not block
     * @param health a JSON object; called on event loops, and must not block
     * @param status an HTML page; called on event loops, and must not block
     */
    public MonitoringPages(Supplier<String> metrics, Supplier<String> health, Supplier<String> status) {
        this.status = status;
        this.metrics = metrics;
        this.health = health;
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.pipeline()
                .addLast(
                        new ReadTimeoutHandler(IDLE_SECONDS),
                        new HttpServerCodec(),
                        new HttpObjectAggregator(LONGEST_REQUEST),
                        new Pages());
    }

    private FullHttpResponse answer(FullHttpRequest request) {
        if (!request.decoderResult().isSuccess()) {
            return page(HttpResponseStatus.BAD_REQUEST, TEXT, "this is not an HTTP request\n");
        }
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            return page(HttpResponseStatus.METHOD_NOT_ALLOWED, TEXT, "only GET is served\n");
        }
        return switch (new QueryStringDecoder(request.uri()).path()) {
            case "/" -> page(HttpResponseStatus.OK, HTML, status.get());
            case "/metrics" -> page(HttpResponseStatus.OK, METRICS, metrics.get());
            case "/health" -> page(HttpResponseStatus.OK, JSON, health.get());
            default -> page(HttpResponseStatus.NOT_FOUND, TEXT, "there are /, /metrics and /health\n");
        };
    }

    private static FullHttpResponse page(HttpResponseStatus status, String type, String text) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8)));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
        HttpUtil.setContentLength(response, response.content().readableBytes());
        return response;
    }

    private final class Pages extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
            FullHttpResponse response = answer(request);
            if (request.method().equals(HttpMethod.HEAD)) {
                response = response.replace(Unpooled.EMPTY_BUFFER);
            }
            boolean keepAlive =
                    HttpUtil.isKeepAlive(request) && request.decoderResult().isSuccess();
            HttpUtil.setKeepAlive(response, keepAlive);
            var written = ctx.writeAndFlush(response);
            if (!keepAlive) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            // Ignore a client that disconnected or timed out.
            ctx.close();
        }
    }
}
