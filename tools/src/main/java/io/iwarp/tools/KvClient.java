package io.iwarp.tools;

import io.iwarp.tools.cli.Application;
import io.iwarp.tools.cli.ClientOptions;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.PeerAddress;
import io.iwarp.tools.kv.KvConnection;
import io.iwarp.tools.kv.KvGrant;
import io.iwarp.tools.kv.KvValue;
import io.iwarp.verbs.QueuePair;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Reads and changes the cache of a {@link KvServer}. */
@Command(
        name = "kv-client",
        customSynopsis = "iwarp kv-client HOST:PORT COMMAND [OPTIONS] [ARGUMENTS]",
        description = "Reads and changes the values of a kv-server. Fails if a key does not exist.",
        subcommands = {KvBench.class, KvSoak.class},
        footer = {
            "%nExamples:",
            "  iwarp kv-client 127.0.0.1:7475 get ssh",
            "  iwarp kv-client 127.0.0.1:7475 put color red",
            "  iwarp kv-client 127.0.0.1:7475 cas color red blue",
            "  iwarp kv-client 127.0.0.1:7475 bench --clients 8 --duration 2"
        })
final class KvClient implements Runnable {
    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "HOST:PORT",
            arity = "0..1",
            converter = PeerAddress.Converter.class,
            description = "Where the server listens; needed.")
    private @Nullable PeerAddress server;

    @Mixin
    private ClientOptions connection;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "Missing " + (server == null ? "HOST:PORT and the" : "the")
                        + " operation: get, put, cas, hits, bench or soak");
    }

    @Command(
            name = "get",
            mixinStandardHelpOptions = true,
            customSynopsis = "iwarp kv-client HOST:PORT get [OPTIONS] KEY",
            description = "Print the value of a key, and count a hit.")
    Integer get(
            @Parameters(paramLabel = "KEY") String key,
            @Option(names = "--with-version", description = "Print the version and a tab before the value.")
                    boolean withVersion)
            throws Exception {
        return with(cache -> {
            Optional<KvValue> found = cache.get(key);
            found.ifPresent(value -> out().println((withVersion ? value.version() + "\t" : "") + value.text()));
            return found.isPresent() ? ExitCode.OK : missing(key);
        });
    }

    @Command(
            name = "put",
            mixinStandardHelpOptions = true,
            customSynopsis = "iwarp kv-client HOST:PORT put [OPTIONS] KEY VALUE",
            description = "Store a value, and print its version.")
    Integer put(
            @Parameters(paramLabel = "KEY") String key,
            @Parameters(paramLabel = "VALUE") String value,
            @Option(
                            names = "--if-version",
                            paramLabel = "N",
                            description = "Only if the key has this version; 0 only if the key is new.")
                    @Nullable
                    Long expected)
            throws Exception {
        return with(cache -> {
            byte[] bytes = bytes(value);
            out().println("version " + (expected == null ? cache.put(key, bytes) : cache.put(key, bytes, expected)));
            return ExitCode.OK;
        });
    }

    @Command(
            name = "cas",
            mixinStandardHelpOptions = true,
            customSynopsis = "iwarp kv-client HOST:PORT cas [OPTIONS] KEY OLD NEW",
            description =
                    "Replace a value of up to 8 bytes, if it is OLD, by one CmpSwap. Otherwise tell what it is, and"
                            + " fail.")
    Integer cas(
            @Parameters(paramLabel = "KEY") String key,
            @Parameters(paramLabel = "OLD") String expected,
            @Parameters(paramLabel = "NEW") String replacement)
            throws Exception {
        return with(cache -> {
            Optional<byte[]> found = cache.compareSwap(key, bytes(expected), bytes(replacement));
            if (found.isEmpty()) {
                return missing(key);
            }
            if (!Arrays.equals(found.get(), bytes(expected))) {
                throw new CommandFailedException("'" + key + "' is not '" + expected + "' but '"
                        + new String(found.get(), StandardCharsets.UTF_8) + "': nothing was changed");
            }
            out().println("replaced");
            return ExitCode.OK;
        });
    }

    @Command(
            name = "hits",
            mixinStandardHelpOptions = true,
            customSynopsis = "iwarp kv-client HOST:PORT hits [OPTIONS] KEY",
            description = "Print how often clients got a key. Does not count itself.")
    Integer hits(@Parameters(paramLabel = "KEY") String key) throws Exception {
        return with(cache -> {
            OptionalLong hits = cache.hits(key);
            hits.ifPresent(number -> out().println(number));
            return hits.isPresent() ? ExitCode.OK : missing(key);
        });
    }

    /** What is done over a connection. */
    private interface Work {
        int on(KvConnection cache) throws IOException, InterruptedException, CommandFailedException;
    }

    private int with(Work work) throws IOException, InterruptedException, CommandFailedException {
        try (Endpoint endpoint = open();
                KvConnection cache = connect(endpoint)) {
            return work.on(cache);
        } catch (IllegalArgumentException e) {
            throw new CommandFailedException(String.valueOf(e.getMessage()));
        }
    }

    /** Opens what connections need. */
    Endpoint open() throws IOException, CommandFailedException {
        if (server == null) {
            throw new ParameterException(spec.commandLine(), "Missing HOST:PORT of the server, before the operation");
        }
        return connection.openClient();
    }

    /** Connects to the server. */
    KvConnection connect(Endpoint endpoint) throws IOException, InterruptedException, CommandFailedException {
        SocketAddress address = Objects.requireNonNull(server).resolve();
        QueuePair queuePair =
                endpoint.connect(address, connection.settings().build(), Application.KV.request(), fresh -> {});
        KvGrant grant = KvGrant.decode(Application.KV.restOfReply(
                Objects.requireNonNull(queuePair.parameters()).peerPrivateData(), KvGrant.ENCODED_LENGTH));
        return new KvConnection(queuePair, endpoint.domain(), grant, Duration.ofSeconds(Endpoint.patienceSeconds()));
    }

    private int missing(String key) throws CommandFailedException {
        throw new CommandFailedException("there is no key '" + key + "'");
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
