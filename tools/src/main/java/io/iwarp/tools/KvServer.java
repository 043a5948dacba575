package io.iwarp.tools;

import io.iwarp.ConnectionState;
import io.iwarp.Role;
import io.iwarp.metrics.IwarpMeters;
import io.iwarp.metrics.IwarpMetrics;
import io.iwarp.tools.cli.Application;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.ConnectionOptions;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.Shutdown;
import io.iwarp.tools.kv.KvMeters;
import io.iwarp.tools.kv.KvService;
import io.iwarp.tools.kv.KvStatusPage;
import io.iwarp.tools.kv.KvStore;
import io.iwarp.tools.kv.MonitoringPages;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePairSettings;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.netty4.NettyAllocatorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.channel.Channel;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Serves a cache that clients read by RDMA, and web pages about it, in one process on the same event loops. */
@Command(
        name = "kv-server",
        description = {
            "Serves a key-value cache that clients read by RDMA.",
            "Clients read keys and values by RDMA Reads, without code of the server, and change them by messages and"
                    + " atomics. The same event loops serve a status page, /metrics for Prometheus and /health over HTTP. The"
                    + " server runs until Ctrl-C."
        },
        footer = {
            "%nExample:",
            "  iwarp kv-server --port 7475 --load /etc/services --skip-bad-lines",
        })
final class KvServer implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ListenOptions listen;

    @Mixin
    private KvServerOptions cache;

    @Mixin
    private ConnectionOptions connection;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        KvFile file = cache.file();
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (Shutdown shutdown = Shutdown.install();
                Endpoint endpoint = connection.openServer();
                KvStore store = cache.store(endpoint.domain(), file)) {
            file.fill(store, out::println);
            IwarpMetrics metrics = new IwarpMetrics(endpoint.domain().device());
            bind(registry, metrics, store);
            QueuePairSettings settings =
                    KvService.settings(connection.settings()).metrics(metrics).build();
            KvService service = new KvService(store);
            KvStatusPage status = new KvStatusPage(store, () -> connections(metrics));
            MonitoringPages pages = new MonitoringPages(registry::scrape, () -> health(store, metrics), status::html);
            InetSocketAddress address = listen.address();
            Channel http = serve(endpoint, cache.httpAddress(address), pages);
            String web = "http://" + ListenOptions.addressText(http.localAddress());
            out.println("status at " + web + "/");
            out.println("metrics at " + web + "/metrics");
            try (IwarpListener listener = endpoint.listen(address, settings, request -> decide(request, service))) {
                out.println(ListenOptions.listening(listener));
                shutdown.await();
                // Close the connections before the memory. Otherwise clients would see errors about invalid STags.
                endpoint.closeConnections();
            }
        } finally {
            registry.close();
        }
        return 0;
    }

    private static void bind(PrometheusMeterRegistry registry, IwarpMetrics metrics, KvStore store) {
        new IwarpMeters(metrics).withPercentileHistogram().bindTo(registry);
        new KvMeters(store).bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        if (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator) {
            new NettyAllocatorMetrics(allocator).bindTo(registry);
        }
    }

    private static Channel serve(Endpoint endpoint, InetSocketAddress address, MonitoringPages pages)
            throws IOException, InterruptedException, CommandFailedException {
        try {
            return endpoint.listen(address, pages);
        } catch (BindException e) {
            throw new CommandFailedException(e.getMessage() + ": choose another --http-port");
        }
    }

    private static void decide(ConnectionRequest request, KvService service) {
        if (Application.KV.isRequestedBy(request.privateData())) {
            request.accept(
                    Application.KV.reply(service.admit(request.queuePair()).encode()));
        } else {
            request.reject(Application.KV.rejection());
        }
    }

    private static String health(KvStore store, IwarpMetrics metrics) {
        return String.format(
                Locale.ROOT,
                "{\"status\":\"UP\",\"entries\":%d,\"connections\":%d}%n",
                store.entries(),
                connections(metrics));
    }

    private static int connections(IwarpMetrics metrics) {
        return metrics.connections(Role.RESPONDER, ConnectionState.ESTABLISHED)
                + metrics.connections(Role.RESPONDER, ConnectionState.READY);
    }
}
