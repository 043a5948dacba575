package io.iwarp.tools;

import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that all commands have whose options are their own choice. */
@Command(
        mixinStandardHelpOptions = true,
        versionProvider = Iwarp.Version.class,
        showDefaultValues = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:failed; one line on stderr says why", "2:the command line is wrong"})
final class ConnectionOptions {
    @Mixin
    private WireOptions wire = new WireOptions();

    @Option(
            names = {"-v", "--verbose"},
            description = "Log what the stack does to stderr.",
            showDefaultValue = Visibility.NEVER)
    private boolean verbose;

    /** The default settings, with what the options say about MPA. */
    QueuePairSettings.Builder settings() {
        return wire.settings();
    }

    /** As {@link #settings}, for a program whose peer may be Linux' {@code siw}. */
    QueuePairSettings.Builder settingsForSiw() {
        return wire.settingsForSiw();
    }

    /** Opens what a command needs to listen and connect. Closing it is the caller's. */
    Endpoint open() throws IOException, CommandFailedException {
        return wire.open(verbose, EventLoops.DEFAULT, pipeline -> {});
    }

    /** As {@link #open()}, on the event loops of these options, and with channels prepared as they say. */
    Endpoint open(TransportOptions transport) throws IOException, CommandFailedException {
        return wire.open(verbose, transport.loops(), transport.preparation());
    }
}
