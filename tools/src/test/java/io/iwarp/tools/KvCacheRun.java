package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.tools.cli.Application;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.PeerAddress;
import io.iwarp.tools.kv.KvGrant;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** A running kv-server in this process, and its clients. */
final class KvCacheRun implements AutoCloseable {
    private static final Pattern METRICS = Pattern.compile("metrics at (http://\\S+)/metrics");

    private final CommandRun server;
    private final String web;
    private final String address;

    private KvCacheRun(CommandRun server) throws InterruptedException {
        this.server = server;
        this.web = server.awaitLine(METRICS).group(1);
        this.address = server.address();
    }

    static KvCacheRun start(String... options) throws InterruptedException {
        String[] command = {"kv-server", "--port", "0", "--http-port", "0"};
        return new KvCacheRun(CommandRun.start(
                Stream.concat(Stream.of(command), Stream.of(options)).toArray(String[]::new)));
    }

    private CommandRun run(String... operation) {
        return CommandRun.of(Stream.concat(Stream.of("kv-client", address), Stream.of(operation))
                .toArray(String[]::new));
    }

    String webPort() {
        return web.substring(web.lastIndexOf(':') + 1);
    }

    String out() {
        return server.out();
    }

    CommandRun does(String... operation) {
        CommandRun run = run(operation);
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        return run;
    }

    String refuses(String... operation) {
        CommandRun run = run(operation);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines()).hasSize(1);
        return run.err();
    }

    QueuePair connect(Endpoint endpoint) throws Exception {
        return endpoint.connect(
                new PeerAddress.Converter().convert(address).resolve(),
                QueuePairSettings.DEFAULT,
                Application.KV.request(),
                fresh -> {});
    }

    static KvGrant grant(QueuePair client) throws CommandFailedException {
        return KvGrant.decode(Application.KV.restOfReply(
                Objects.requireNonNull(client.parameters()).peerPrivateData(), KvGrant.ENCODED_LENGTH));
    }

    void awaitConnections(int number) {
        Awaitility.await().until(() -> page("/health").body().contains("\"connections\":" + number + "}"));
    }

    HttpResponse<String> page(String path) throws Exception {
        return get(web + path);
    }

    HttpResponse<String> posts(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(web + path))
                                .POST(BodyPublishers.noBody())
                                .build(),
                        BodyHandlers.ofString());
    }

    static HttpResponse<String> get(String uri) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(uri)).build(), BodyHandlers.ofString());
    }

    @Override
    public void close() {
        assertThat(server.stop()).isZero();
    }
}
