package io.iwarp.tools;

import io.netty.channel.ChannelPipeline;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options about the event loops that a command runs on. */
final class TransportOptions {
    private static final int MOST_THREADS = 256;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            defaultValue = "nio",
            description = "How to reach the network: ${COMPLETION-CANDIDATES}.")
    private Transport transport;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Event loops, among which the connections are divided.")
    private int threads;

    @Option(
            names = "--busy-poll",
            description =
                    "Go on asking for events for a while before sleeping until one comes. Each thread then takes a"
                            + " processor of its own while there is traffic.",
            showDefaultValue = Visibility.NEVER)
    private boolean busyPolling;

    @Option(
            names = "--tls",
            description =
                    "Send all through TLS, to see what that costs. The server's certificate is made up, and nobody"
                            + " checks it. Both sides need it, or neither.",
            showDefaultValue = Visibility.NEVER)
    private boolean tls;

    @Option(
            names = "--unsent",
            paramLabel = "SIZE",
            converter = Bytes.Converter.class,
            description =
                    "How much may wait in the kernel until TCP sends it, such as 64K; without, the kernel decides."
                            + " Many connections at once leave each other the processor's caches then. Not with nio.",
            showDefaultValue = Visibility.NEVER)
    private @Nullable Long unsent;

    /** {@return whether all goes through TLS} */
    boolean tls() {
        return tls;
    }

    /** {@return bytes that may wait in the kernel until TCP sends them, 0 if the kernel decides} */
    long unsent() {
        return unsent == null ? 0 : unsent;
    }

    /** {@return what prepares the pipeline of a new connection for what was asked for} */
    Consumer<ChannelPipeline> preparation() throws CommandFailedException {
        Consumer<ChannelPipeline> security = tls ? MeasuredTls.create()::addTo : pipeline -> {};
        return security.andThen(unsentLimit());
    }

    private Consumer<ChannelPipeline> unsentLimit() {
        Long limit = unsent;
        if (limit == null) {
            return pipeline -> {};
        }
        OptionCheck.require(
                command, limit >= 1 && limit <= Integer.MAX_VALUE, "--unsent " + limit + " is outside 1 to 2G - 1");
        OptionCheck.require(
                command,
                transport.limitsUnsent(),
                "--unsent cannot be had with --transport " + transport + ": choose epoll or io_uring");
        return pipeline -> transport.limitUnsent(pipeline.channel(), limit);
    }

    /** {@return the event loops that were chosen} */
    EventLoops loops() {
        if (threads < 1 || threads > MOST_THREADS) {
            throw new ParameterException(
                    command.commandLine(), "--threads " + threads + " is outside 1 to " + MOST_THREADS);
        }
        return new EventLoops(transport, threads, busyPolling);
    }
}
