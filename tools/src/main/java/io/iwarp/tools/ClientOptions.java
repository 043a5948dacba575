package io.iwarp.tools;

import io.iwarp.verbs.QueuePairSettings;
import picocli.CommandLine.Mixin;

/** The options of every command that connects. */
final class ClientOptions extends ConnectionOptions {
    @Mixin
    private SetupOptions setup = new SetupOptions();

    @Override
    QueuePairSettings.Builder settings() {
        return setup.applyTo(super.settings());
    }
}
