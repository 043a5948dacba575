package io.iwarp.tools.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The options about sockets, event loops and encryption. */
public final class TransportOptions {
    private static final int MOST_THREADS = 256;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--transport",
            scope = ScopeType.INHERIT,
            paramLabel = "NAME",
            defaultValue = "nio",
            description = "How to use sockets: ${COMPLETION-CANDIDATES}. The last two are for Linux.")
    private Transport transport;

    @Option(
            names = "--threads",
            scope = ScopeType.INHERIT,
            paramLabel = "N",
            defaultValue = "1",
            description = "The number of event loops, which share the connections.")
    private int threads;

    @Option(
            names = "--busy-poll",
            scope = ScopeType.INHERIT,
            description = "Poll for events for a while before sleeping. Each event loop occupies a processor as long as"
                    + " there is traffic, and answers sooner.",
            showDefaultValue = Visibility.NEVER)
    private boolean busyPolling;

    @Option(
            names = "--unsent",
            scope = ScopeType.INHERIT,
            paramLabel = "SIZE",
            converter = Bytes.Converter.class,
            description = "How much may wait in the kernel until TCP sends it, for example 64K; by default the kernel"
                    + " decides. Helps many busy connections to share the processor's caches. Not with nio.",
            showDefaultValue = Visibility.NEVER)
    private @Nullable Long unsent;

    @Mixin
    private TlsOptions tls = new TlsOptions();

    /** Returns whether the connections are encrypted. */
    public boolean tls() {
        return tls.enabled();
    }

    /** Returns bytes that may wait in the kernel until TCP sends them, 0 if the kernel decides. */
    public long unsent() {
        return unsent == null ? 0 : unsent;
    }

    /** Returns what prepares each connection of a client as these options say. */
    public TransportHandlers ofClient() {
        return tls.ofClient().then(unsentLimit());
    }

    /** Returns what prepares each connection of a server as these options say. */
    public TransportHandlers ofServer() {
        return tls.ofServer().then(unsentLimit());
    }

    private TransportHandlers unsentLimit() {
        Long limit = unsent;
        if (limit == null) {
            return TransportHandlers.NONE;
        }
        OptionCheck.require(
                command, limit >= 1 && limit <= Integer.MAX_VALUE, "--unsent " + limit + " is outside 1 to 2G - 1");
        OptionCheck.require(
                command,
                transport.limitsUnsent(),
                "--transport " + transport + " does not support --unsent: choose epoll or io_uring");
        return (pipeline, server) -> transport.limitUnsent(pipeline.channel(), limit);
    }

    /** Returns the event loops that were chosen. */
    public EventLoops loops() {
        if (threads < 1 || threads > MOST_THREADS) {
            throw new ParameterException(
                    command.commandLine(), "--threads " + threads + " is outside 1 to " + MOST_THREADS);
        }
        return new EventLoops(transport, threads, busyPolling);
    }
}
