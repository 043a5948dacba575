package io.iwarp.tools.cli;

import io.netty.util.internal.PlatformDependent;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much the clients of a server may take. */
public final class LimitOptions {
    private static final int DEFAULT_CLIENTS = 4096;

    @Option(
            names = "--max-clients",
            paramLabel = "N",
            description = "How many clients may be connected at the same time; one address may have half of them.")
    private @Nullable Integer maxClients;

    @Option(
            names = "--max-memory",
            paramLabel = "SIZE",
            converter = Bytes.Converter.class,
            description = "How much memory the clients may take together; those of one address may take half of it."
                    + " Default: half of the direct memory of the JVM")
    private @Nullable Long maxMemory;

    /** Returns the limits, by default those for clients that cost the server no thread. */
    public ClientLimits limits() {
        return limits(DEFAULT_CLIENTS);
    }

    /**
     * Returns the limits.
     *
     * @param defaultClients without {@code --max-clients}
     */
    public ClientLimits limits(int defaultClients) {
        int clients = maxClients == null ? defaultClients : maxClients;
        OptionCheck.within("--max-clients", clients, 1, Integer.MAX_VALUE);
        return new ClientLimits(clients, maxMemory == null ? PlatformDependent.maxDirectMemory() / 2 : maxMemory);
    }
}
