package io.iwarp.tools.cli;

import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The options of every command that connects or listens. */
@Command(
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:failed; stderr says why", "2:the command line is wrong"})
public abstract class ConnectionOptions {
    @ArgGroup(validate = false, order = 2, heading = "%nTransport options:%n")
    private TransportOptions transport = new TransportOptions();

    @ArgGroup(validate = false, order = 3, heading = "%nTLS options:%n")
    private TlsOptions tls = new TlsOptions();

    @Option(
            names = {"-v", "--verbose"},
            description = "Log what the stack does to stderr.")
    private boolean verbose;

    /** Returns the options about the protocol. */
    abstract WireOptions wire();

    /** Returns the default settings with the options about the protocol applied. */
    public QueuePairSettings.Builder settings() {
        return wire().settings();
    }

    /** Returns the options about event loops and encryption. */
    public TransportOptions transport() {
        return transport;
    }

    /** Returns whether the connections are encrypted. */
    public boolean encrypted() {
        return tls.enabled();
    }

    /** Opens the endpoint of a server. The caller closes it. */
    public Endpoint openServer() throws IOException {
        return wire().open(verbose, transport.loops(), tls.ofServer().then(transport.socketOptions()));
    }

    /** Opens the endpoint of a client. The caller closes it. */
    public Endpoint openClient() throws IOException {
        return wire().open(verbose, transport.loops(), tls.ofClient().then(transport.socketOptions()));
    }

    /**
     * Opens the endpoint of a server whose client runs in the same process. The endpoint of the client captures and
     * logs for both. The caller closes it.
     */
    public Endpoint openLocalServer() {
        return new Endpoint(transport.loops(), tls.ofServer().then(transport.socketOptions()), () -> {});
    }
}
