package io.iwarp.tools.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** The options about sockets, event loops and encryption. */
public final class TransportOptions {
    private static final int MAX_THREADS = 256;

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            defaultValue = "nio",
            description = "How to use sockets: ${COMPLETION-CANDIDATES}. The last two are for Linux, and io_uring is"
                    + " experimental.")
    private Transport transport;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "The number of event loops, which share the connections.")
    private int threads;

    @Option(
            names = "--busy-poll",
            description =
                    "Poll for events for a while before sleeping. Each event loop keeps a processor busy while there"
                            + " is traffic, and answers sooner.",
            showDefaultValue = Visibility.NEVER)
    private boolean busyPolling;

    @Option(
            names = "--unsent",
            paramLabel = "SIZE",
            converter = Bytes.Converter.class,
            description = "How much may wait in the kernel until TCP sends it, for example 64K; by default the kernel"
                    + " decides. Helps many busy connections to share the processor's caches. Not with nio.",
            showDefaultValue = Visibility.NEVER)
    private @Nullable Long unsent;

    /** Returns bytes that may wait in the kernel until TCP sends them, 0 if the kernel decides. */
    public long unsent() {
        return unsent == null ? 0 : unsent;
    }

    /** Returns what prepares each connection as {@code --unsent} says. */
    public TransportHandlers unsentLimit() {
        Long limit = unsent;
        if (limit == null) {
            return TransportHandlers.NONE;
        }
        OptionCheck.require(limit >= 1 && limit <= Integer.MAX_VALUE, "--unsent " + limit + " is outside 1 to 2G - 1");
        OptionCheck.require(
                transport.limitsUnsent(),
                "--transport " + transport + " does not support --unsent: choose epoll or io_uring");
        return (pipeline, server) -> transport.limitUnsent(pipeline.channel(), limit);
    }

    /** Returns the event loops that were chosen. */
    public EventLoops loops() {
        OptionCheck.require(
                threads >= 1 && threads <= MAX_THREADS, "--threads " + threads + " is outside 1 to " + MAX_THREADS);
        return new EventLoops(transport, threads, busyPolling);
    }
}
