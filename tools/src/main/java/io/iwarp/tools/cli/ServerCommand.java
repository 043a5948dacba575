package io.iwarp.tools.cli;

import io.iwarp.verbs.QueuePairSettings;
import picocli.CommandLine.Mixin;

/** A command that serves clients until Ctrl-C. */
public abstract class ServerCommand extends BaseCommand {
    @Mixin
    private ListenOptions listen;

    @Mixin
    private ServerOptions connection;

    /**
     * Checks the options, and begins to serve.
     *
     * @param shutdown for a service that ends by itself
     */
    protected abstract Service begin(Endpoint endpoint, Shutdown shutdown) throws Exception;

    /** Returns how much the clients may take. */
    protected final LimitOptions limits() {
        return listen.limits();
    }

    /** Returns the settings of the queue pairs. */
    protected QueuePairSettings settings(QueuePairSettings.Builder settings) {
        return settings.build();
    }

    @Override
    public Integer call() throws Exception {
        try (Shutdown shutdown = Shutdown.install();
                Endpoint endpoint = connection.openServer()) {
            return endpoint.serve(
                    listen.address(), settings(connection.settings()), begin(endpoint, shutdown), shutdown, out());
        }
    }
}
