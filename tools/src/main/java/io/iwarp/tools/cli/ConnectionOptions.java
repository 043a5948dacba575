package io.iwarp.tools.cli;

import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The options of every command that connects or listens. */
@Command(
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:failed; one line on stderr says why", "2:the command line is wrong"})
public class ConnectionOptions {
    @Mixin
    private WireOptions wire = new WireOptions();

    @Mixin
    private TransportOptions transport = new TransportOptions();

    @Option(
            names = {"-v", "--verbose"},
            scope = ScopeType.INHERIT,
            description = "Log what the stack does to stderr.",
            showDefaultValue = Visibility.NEVER)
    private boolean verbose;

    /** Returns the default settings with the MPA options applied. */
    public QueuePairSettings.Builder settings() {
        return wire.settings();
    }

    /** Returns the options about event loops and encryption. */
    public TransportOptions transport() {
        return transport;
    }

    /** Opens the endpoint of a server. The caller closes it. */
    public Endpoint openServer() throws IOException {
        return wire.open(verbose, transport.loops(), transport.ofServer());
    }

    /** Opens the endpoint of a client. The caller closes it. */
    public Endpoint openClient() throws IOException {
        return wire.open(verbose, transport.loops(), transport.ofClient());
    }

    /**
     * Opens what a server needs that has its client in the same process, where {@link #openClient} captures and logs
     * for both. Closing it is the caller's.
     */
    public Endpoint openLocalServer() {
        return new Endpoint(transport.loops(), transport.ofServer(), () -> {});
    }
}
