package io.iwarp.tools.cli;

import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A command that connects to a server. */
public abstract class ClientCommand extends BaseCommand {
    @Parameters(
            index = "0",
            paramLabel = PeerAddress.LABEL,
            converter = PeerAddress.Converter.class,
            description = "Where the server listens." + PeerAddress.HELP)
    private PeerAddress server;

    @Mixin
    private ClientOptions connection;

    /** Returns the server as it was named. */
    protected final PeerAddress server() {
        return server;
    }

    protected final ClientOptions connection() {
        return connection;
    }

    /**
     * Checks the options, connects and works. At Ctrl-C, this thread is interrupted and the clean-up is awaited.
     *
     * @throws OptionCheck.BadOptionException if an option is wrong
     */
    protected abstract void run() throws Exception;

    @Override
    @SuppressWarnings("try") // it is only closed
    public final Integer call() throws Exception {
        try (Shutdown shutdown = Shutdown.interruptingThisThread()) {
            run();
        }
        return 0;
    }

    /** Returns the settings that the options ask for. */
    protected final QueuePairSettings.Builder settings() {
        return connection.settings();
    }

    /** Opens the endpoint. The caller closes it. */
    protected final Endpoint open() throws IOException {
        return connection.openClient();
    }

    /** Looks the server up. */
    protected final InetSocketAddress address() throws IOException {
        return server.resolve();
    }
}
