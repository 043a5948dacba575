package io.iwarp.examples.kv;

import io.iwarp.ConnectionClosedException;
import io.iwarp.Operation;
import io.iwarp.examples.kv.Protocol.Condition;
import io.iwarp.examples.kv.Protocol.Outcome;
import io.iwarp.examples.kv.Protocol.Put;
import io.iwarp.examples.kv.Protocol.Reply;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.metrics.IwarpMeterBinder;
import io.iwarp.metrics.IwarpMetrics;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueueFullException;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.netty4.NettyAllocatorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
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
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Serves keys and values that clients read by RDMA, and web pages about them, on the same event loops. Its code runs
 * for puts only. A put is executed when its whole message has arrived, so a client that is killed has changed nothing
 * or all.
 */
public final class KvServer implements AutoCloseable {
    private static final Set<String> FLAGS = Set.of("skip-bad-lines");
    private static final Set<String> OPTIONS =
            Set.of("port", "http-port", "bind", "threads", "entries", "memory", "load");
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);
    private static final int MAX_REQUEST = 1 << 10;
    private static final int BROWSER_IDLE_SECONDS = 60;

    private final EventLoopGroup group;
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final Store store;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ChannelGroup browsers = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final IwarpListener listener;
    private final Channel http;

    /**
     * Loads the file of the options, and begins to listen.
     *
     * @param arguments options, which docs/kv-server.md describes
     */
    KvServer(String... arguments) throws IOException, InterruptedException, ExecutionException {
        Options options = Options.parse(arguments, FLAGS, OPTIONS);
        if (!options.words().isEmpty()) {
            throw new IllegalArgumentException(
                    "unknown argument '" + options.words().get(0) + "'");
        }
        List<String> file = options.has("load") ? lines(Path.of(options.text("load", ""))) : List.of();
        int entries = Math.max((int) options.number("entries", 1 << 16), file.size());
        store = new Store(domain, entries, options.number("memory", 1 << 26));
        try {
            load(file, options.has("skip-bad-lines"));
        } catch (IOException e) {
            store.close();
            domain.close();
            throw e;
        }
        IwarpMetrics metrics = IwarpMetrics.create(domain.device());
        bind(metrics);
        group = new MultiThreadIoEventLoopGroup((int) options.number("threads", 1), NioIoHandler.newFactory());
        String host = options.text("bind", "127.0.0.1");
        QueuePairSettings settings = QueuePairSettings.builder()
                .managedReceiveBytes(Put.MAX)
                .keepAliveInterval(KEEP_ALIVE)
                .metrics(metrics)
                .build();
        Iwarp.Server server =
                Iwarp.server(group).domain(domain).settings(settings).onRequest(this::onConnectionRequest);
        SslContext tls = options.serverTls();
        if (tls != null) {
            server.tls(tls);
        }
        listener = server.listen(host, (int) options.number("port", 7475)).get();
        http = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new WebInitializer())
                .childOption(ChannelOption.AUTO_READ, false)
                .bind(host, (int) options.number("http-port", 7476))
                .sync()
                .channel();
    }

    private static List<String> lines(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                .lines()
                .toList();
    }

    /** The windows of a client end with its connection. */
    private void onConnectionRequest(ConnectionRequest request) {
        QueuePair queuePair = request.queuePair();
        queuePair.setCompletionListener(this::onCompletion);
        RemoteBuffer[] readable = store.readable(queuePair);
        request.accept(readable[0], readable[1], store.counters(queuePair));
    }

    private void onCompletion(QueuePair queuePair, CompletionView completion) {
        ByteBuf message = completion.buffer();
        if (completion.operation() != Operation.RECEIVE || !completion.successful() || message == null) {
            return;
        }
        try {
            queuePair.sendQueue().send(0, store.put(Put.decode(message)).encode());
        } catch (IllegalArgumentException | QueueFullException | ConnectionClosedException e) {
            // The client sent something else, does not take its replies, or has disconnected.
            queuePair.abort();
        } finally {
            message.release();
        }
    }

    /**
     * Stores the lines of a file. In a table each line has a key, tabs and a value, or is a comment. In another file
     * each line is a value, and its key is its number.
     */
    private void load(List<String> lines, boolean skipping) throws IOException {
        boolean table = lines.stream().anyMatch(line -> !line.startsWith("#") && line.indexOf('\t') >= 0);
        for (int number = 1; number <= lines.size(); number++) {
            String line = lines.get(number - 1);
            if (line.isEmpty() || (table && line.startsWith("#"))) {
                continue;
            }
            try {
                int tab = line.indexOf('\t');
                String key = table ? line.substring(0, Math.max(0, tab)) : String.valueOf(number);
                String value = table ? line.substring(tab + 1).replaceFirst("^\t+", "") : line;
                Reply reply = store.put(new Put(
                        Condition.ALWAYS, 0, new byte[0], Protocol.key(key), value.getBytes(StandardCharsets.UTF_8)));
                if (reply.outcome() != Outcome.DONE) {
                    throw new IOException("line " + number + ": " + new String(reply.text(), StandardCharsets.UTF_8));
                }
            } catch (IllegalArgumentException e) {
                if (!skipping) {
                    throw new IOException("line " + number + ": " + e.getMessage()
                            + "; correct it, or leave such lines out with --skip-bad-lines");
                }
            }
        }
    }

    private void bind(IwarpMetrics metrics) {
        new IwarpMeterBinder(metrics).withPercentileHistogram().bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        if (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator) {
            new NettyAllocatorMetrics(allocator).bindTo(registry);
        }
        MeterRegistry meters = registry;
        Gauge.builder("kv.entries", store, Store::entries).register(meters);
        Gauge.builder("kv.entries.limit", store, Store::maxEntries).register(meters);
        Gauge.builder("kv.values", store, Store::usedBytes).baseUnit("bytes").register(meters);
        Gauge.builder("kv.values.limit", store, Store::maxBytes)
                .baseUnit("bytes")
                .register(meters);
        FunctionCounter.builder("kv.puts", store, Store::puts).register(meters);
        FunctionCounter.builder("kv.puts.refused", store, Store::refusals).register(meters);
    }

    private String status() {
        return String.format(
                Locale.ROOT,
                "<!DOCTYPE html>%n<html lang=\"en\"><title>KvServer</title><h1>KvServer</h1>%n"
                        + "<p>clients: %,d<p>keys: %,d of %,d<p>bytes of keys and values: %,d of %,d%n"
                        + "<p>puts: %,d, refused for lack of room: %,d%n"
                        + "<p><a href=\"metrics\">metrics</a> <a href=\"health\">health</a></html>%n",
                listener.connections(),
                store.entries(),
                store.maxEntries(),
                store.usedBytes(),
                store.maxBytes(),
                store.puts(),
                store.refusals());
    }

    private String health() {
        return String.format(
                Locale.ROOT,
                "{\"status\":\"UP\",\"entries\":%d,\"connections\":%d}%n",
                store.entries(),
                listener.connections());
    }

    /** Serves HTTP on a connection, one request at a time: {@link Pages} reads the next when its response is sent. */
    private final class WebInitializer extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {
            browsers.add(channel);
            channel.pipeline()
                    .addLast(new ReadTimeoutHandler(BROWSER_IDLE_SECONDS))
                    .addLast(new HttpServerCodec())
                    .addLast(new HttpServerKeepAliveHandler())
                    .addLast(new HttpObjectAggregator(MAX_REQUEST))
                    .addLast(new FlowControlHandler())
                    .addLast(new Pages());
        }
    }

    private final class Pages extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.read();
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            String path = request.decoderResult().isSuccess() ? request.uri() : "";
            String page = switch (path) {
                case "/" -> status();
                case "/metrics" -> registry.scrape();
                case "/health" -> health();
                default -> "there are /, /metrics and /health\n";
            };
            String type = switch (path) {
                case "/" -> "text/html; charset=utf-8";
                case "/health" -> "application/json";
                default -> "text/plain; version=0.0.4; charset=utf-8";
            };
            boolean found = List.of("/", "/metrics", "/health").contains(path);
            var response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1,
                    found ? HttpResponseStatus.OK : HttpResponseStatus.NOT_FOUND,
                    Unpooled.copiedBuffer(page, StandardCharsets.UTF_8));
            response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
            HttpUtil.setContentLength(response, response.content().readableBytes());
            context.writeAndFlush(response).addListener(sent -> context.read());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // A browser disconnected or is idle.
            context.close();
        }
    }

    /** Returns the port for clients. */
    int port() {
        return listener.port();
    }

    /** Returns the port for browsers. */
    int httpPort() {
        return ((InetSocketAddress) http.localAddress()).getPort();
    }

    Store store() {
        return store;
    }

    /** Closes the connections gracefully before the memory, so that clients see no errors about STags. */
    @Override
    public void close() {
        http.close().awaitUninterruptibly();
        browsers.close().awaitUninterruptibly();
        listener.shutdownGracefully(Duration.ofSeconds(5)).join();
        store.close();
        domain.close();
        registry.close();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /**
     * Serves until Ctrl-C.
     *
     * @param args options, which docs/kv-server.md describes
     */
    public static void main(String[] args) throws Exception {
        try {
            KvServer server = new KvServer(args);
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            System.out.println("listening on port " + server.port());
            System.out.println("pages at http://127.0.0.1:" + server.httpPort() + "/, keys: " + server.store.entries());
        } catch (IOException | IllegalArgumentException | ExecutionException e) {
            System.err.println(
                    "KvServer: " + Objects.requireNonNullElse(e.getCause(), e).getMessage());
            System.exit(1);
        }
    }
}
