package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.EventLoops;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.Transport;
import io.iwarp.tools.kv.MonitoringPages;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cache, as its users have it. */
class KvTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @Test
    void whatOneClientPutsAnotherGets() throws Exception {
        try (KvCacheRun cache = KvCacheRun.start()) {
            assertThat(cache.does("put", "city", "Bern, where bears are").out()).isEqualToIgnoringNewLines("version 1");
            assertThat(cache.does("put", "city", "").out()).isEqualToIgnoringNewLines("version 2");
            assertThat(cache.does("get", "city").out()).isEqualTo(System.lineSeparator());
            assertThat(cache.does("put", "city", "Genève").out()).isEqualToIgnoringNewLines("version 3");

            assertThat(cache.does("get", "city").out()).isEqualToIgnoringNewLines("Genève");
            assertThat(cache.does("get", "--with-version", "city").out()).isEqualToIgnoringNewLines("3\tGenève");
            assertThat(cache.refuses("get", "town")).contains("there is no key 'town'");
        }
    }

    @Test
    void hitsAreCounted() throws Exception {
        try (KvCacheRun cache = KvCacheRun.start()) {
            cache.does("put", "a", "1");
            cache.does("put", "b", "a value that is longer than a word");
            cache.does("get", "a");
            cache.does("get", "b");
            cache.does("get", "b");

            assertThat(cache.does("hits", "a").out()).isEqualToIgnoringNewLines("1");
            assertThat(cache.does("hits", "b").out()).isEqualToIgnoringNewLines("2");
            assertThat(cache.does("hits", "b").out()).isEqualToIgnoringNewLines("2");
            assertThat(cache.refuses("hits", "c")).contains("there is no key 'c'");
        }
    }

    @Test
    void aCompareSwapReplacesWhatIsExpectedOnly() throws Exception {
        try (KvCacheRun cache = KvCacheRun.start()) {
            cache.does("put", "color", "red");

            assertThat(cache.does("cas", "color", "red", "ultramar").out()).contains("replaced");
            assertThat(cache.refuses("cas", "color", "red", "green")).contains("'color' is not 'red' but 'ultramar'");
            assertThat(cache.refuses("cas", "color", "ultramar", "far too long"))
                    .contains("up to 8 bytes that do not end with a zero, and this one has 12");
            assertThat(cache.refuses("cas", "colour", "red", "green")).contains("there is no key 'colour'");
            assertThat(cache.does("get", "color").out()).isEqualToIgnoringNewLines("ultramar");

            cache.does("put", "color", "ultramarine");
            assertThat(cache.refuses("cas", "color", "ultramar", "red")).contains("more than 8 bytes");
            assertThat(cache.does("get", "color").out()).isEqualToIgnoringNewLines("ultramarine");
        }
    }

    @Test
    void aPutCanAskForAVersion() throws Exception {
        try (KvCacheRun cache = KvCacheRun.start()) {
            cache.does("put", "--if-version", "0", "key", "first");

            assertThat(cache.refuses("put", "--if-version", "0", "key", "second"))
                    .contains("has version 1, not 0");
            assertThat(cache.refuses("put", "--if-version", "7", "none", "second"))
                    .contains("has version 0, not 7");
            assertThat(cache.does("put", "--if-version", "1", "key", "second").out())
                    .isEqualToIgnoringNewLines("version 2");
            assertThat(cache.does("get", "key").out()).isEqualToIgnoringNewLines("second");
        }
    }

    @Test
    void webPagesAreServedByTheSameEventLoops() throws Exception {
        try (KvCacheRun cache = KvCacheRun.start("--threads", "1")) {
            cache.does("put", "key", "value");
            cache.does("get", "key");

            assertThat(cache.page("/health").body())
                    .isEqualToIgnoringNewLines("{\"status\":\"UP\",\"entries\":1,\"connections\":0}");
            HttpResponse<String> metrics = cache.page("/metrics");
            assertThat(metrics.statusCode()).isEqualTo(200);
            assertThat(metrics.headers().firstValue("content-type").orElse("")).startsWith("text/plain; version=0.0.4");
            assertThat(metrics.body())
                    .contains("kv_entries 1.0", "kv_puts_total 1.0", "iwarp_memory_regions 3.0")
                    .containsPattern("iwarp_operations_total\\{direction=\"inbound\",operation=\"read\"} [1-9]")
                    .containsPattern("iwarp_operations_latency_seconds_bucket\\{operation=\"send\",le=")
                    .contains("netty_allocator_memory_used", "jvm_memory_used_bytes");
            HttpResponse<String> status = cache.page("/");
            assertThat(status.statusCode()).isEqualTo(200);
            assertThat(status.headers().firstValue("content-type")).contains("text/html; charset=utf-8");
            assertThat(status.body())
                    .contains("<td>keys</td><td>1 of 65,536</td>", "<td>puts</td><td>1</td>")
                    .contains("<td>clients connected</td><td>0</td>", "href=\"metrics\"", "href=\"health\"");
            assertThat(cache.page("/other").statusCode()).isEqualTo(404);
            assertThat(cache.posts("/metrics").statusCode()).isEqualTo(405);
        }
    }

    @Test
    void webPagesShareTheEventLoopOfRdma() throws Exception {
        CompletableFuture<EventLoop> web = new CompletableFuture<>();
        CompletableFuture<EventLoop> rdma = new CompletableFuture<>();
        ChannelInitializer<Channel> pages = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                web.complete(channel.eventLoop());
                channel.pipeline().addLast(new MonitoringPages(() -> "metrics", () -> "health", () -> "status"));
            }
        };
        try (Endpoint server = Endpoint.plain(new EventLoops(Transport.NIO, 1, false));
                Endpoint client = Endpoint.plain();
                IwarpListener listener = server.listen(ANY_PORT, QueuePairSettings.DEFAULT, request -> {
                    rdma.complete(request.queuePair().channel().eventLoop());
                    request.accept();
                })) {
            Channel http = server.listen(ANY_PORT, pages);
            client.connect(listener.localAddress(), QueuePairSettings.DEFAULT, new byte[0], fresh -> {});

            assertThat(KvCacheRun.get("http://" + ListenOptions.addressText(http.localAddress()) + "/metrics")
                            .body())
                    .isEqualTo("metrics");
            assertThat(Endpoint.await(web)).isSameAs(Endpoint.await(rdma));
        }
    }

    @Test
    void aFullCacheSaysSo() throws Exception {
        try (KvCacheRun cache = KvCacheRun.start("--entries", "1", "--memory", "4K")) {
            cache.does("put", "a", "1");

            assertThat(cache.refuses("put", "b", "1")).contains("room for 1 keys", "--entries");
            assertThat(cache.refuses("put", "a", "x".repeat(5000))).contains("4096 bytes", "--memory");
            assertThat(cache.does("get", "a").out()).isEqualToIgnoringNewLines("1");
        }
    }

    @Test
    void aBenchmarkTellsRates() throws Exception {
        try (KvCacheRun cache = KvCacheRun.start()) {
            assertThat(cache.does("bench", "--clients", "2", "--duration", "1", "--keys", "10")
                            .out())
                    .containsPattern("get +[1-9][\\d,]*/s .*\nput +[1-9][\\d,]*/s");
        }
    }

    @Test
    void aWebPortThatIsTakenIsNamed() throws Exception {
        try (KvCacheRun cache = KvCacheRun.start()) {
            CommandRun second = CommandRun.of("kv-server", "--port", "0", "--http-port", cache.webPort());

            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.err().lines()).singleElement().asString().endsWith("choose another --http-port");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--tls SERVER put a b", "SERVER --tls put a b", "SERVER put --tls a b", "SERVER put a b --tls"})
    void optionsStandOnEitherSideOfTheArguments(String arguments) throws Exception {
        try (CommandRun server = CommandRun.start("kv-server", "--port", "0", "--http-port", "0", "--tls")) {
            String line = "kv-client " + arguments.replace("SERVER", server.address());

            CommandRun client = CommandRun.of(line.split(" ", -1));

            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(client.out()).isEqualTo("version 1" + System.lineSeparator());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--entries=0", "--memory=1", "--http-port=65536", "--load"})
    void aServerRefusesWhatItCannotDo(String option) {
        CommandRun server = CommandRun.of("kv-server", option);

        assertThat(server.exitCode()).isEqualTo(2);
        assertThat(server.err()).contains("'iwarp kv-server --help'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "127.0.0.1:1",
                "get key",
                "127.0.0.1:1 get",
                "127.0.0.1:1 bench --clients=0",
                "nowhere get key"
            })
    void aClientRefusesWhatItCannotDo(String arguments) {
        CommandRun client = CommandRun.of(("kv-client " + arguments).strip().split(" "));

        assertThat(client.exitCode()).isEqualTo(2);
        assertThat(client.err()).contains("--help' tells how it is used");
    }

    @Test
    void aServerOfAnotherKindSaysSo() throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0")) {
            CommandRun client = CommandRun.of("kv-client", server.address(), "get", "key");

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.err().lines()).singleElement().asString().contains("this is an echo-server");
        }
    }
}
