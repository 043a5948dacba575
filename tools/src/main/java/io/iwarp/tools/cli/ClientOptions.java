package io.iwarp.tools.cli;

import io.iwarp.verbs.QueuePairSettings;
import picocli.CommandLine.Mixin;

/** The options of every command that connects. */
public final class ClientOptions extends ConnectionOptions {
    @Mixin
    private SetupOptions setup = new SetupOptions();

    @Override
    public QueuePairSettings.Builder settings() {
        return setup.applyTo(super.settings());
    }
}
