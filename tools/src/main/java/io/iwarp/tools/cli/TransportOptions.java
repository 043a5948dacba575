package io.iwarp.tools.cli;

import org.jspecify.annotations.Nullable;
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
                            + " is traffic, and answers sooner.")
    private boolean busyPolling;

    @Option(
            names = "--unsent",
            paramLabel = "SIZE",
            converter = Bytes.Converter.class,
            description = "How much may wait in the kernel until TCP sends it, for example 64K; by default the kernel"
                    + " decides. Helps many busy connections to share the processor's caches. Not with nio.")
    private @Nullable Long unsent;

    @Option(
            names = "--congestion",
            paramLabel = "NAME",
            description = "The congestion control of TCP in what this side sends, for example cubic. By default that of"
                    + " the system. Only with epoll.")
    private @Nullable String congestion;

    /** Returns bytes that may wait in the kernel until TCP sends them, 0 if the kernel decides. */
    public long unsent() {
        return unsent == null ? 0 : unsent;
    }

    /** Returns what prepares each connection as {@code --unsent} and {@code --congestion} say. */
    public TransportHandlers socketOptions() {
        TransportHandlers options = TransportHandlers.NONE;
        Long limit = unsent;
        if (limit != null) {
            OptionCheck.within("--unsent", limit, 1, Integer.MAX_VALUE);
            OptionCheck.require(
                    transport.limitsUnsent(),
                    "--transport " + transport + " does not support --unsent: choose epoll or io_uring");
            options = (pipeline, server) -> transport.limitUnsent(pipeline.channel(), limit);
        }
        String name = congestion;
        if (name != null) {
            OptionCheck.require(
                    transport == Transport.EPOLL,
                    "--transport " + transport + " does not support --congestion: choose epoll");
            transport.requireAvailable();
            Transport.requireCongestionControl(name);
            options = options.then((pipeline, server) -> Transport.chooseCongestionControl(pipeline.channel(), name));
        }
        return options;
    }

    /** Returns the event loops that were chosen. */
    public EventLoops loops() {
        OptionCheck.within("--threads", threads, 1, MAX_THREADS);
        return new EventLoops(transport, threads, busyPolling);
    }
}
