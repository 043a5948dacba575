package io.iwarp.tools.cli;

import io.iwarp.verbs.ConnectionRequestListener;

/** What a server does with connection requests. Closed before the endpoint and its connections. */
public interface Service extends ConnectionRequestListener, AutoCloseable {
    /** Returns the exit code of the command. */
    default int exitCode() {
        return 0;
    }

    @Override
    default void close() {}
}
