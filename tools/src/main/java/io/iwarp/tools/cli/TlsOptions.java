package io.iwarp.tools.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options about encryption. */
public final class TlsOptions {
    @Option(
            names = "--tls",
            description = "Encrypt with TLS 1.3, on both sides or on neither. Without --cert a server creates a"
                    + " certificate for itself, and without --ca a client accepts any: enough to measure what"
                    + " TLS costs, but no protection.")
    private boolean tls;

    @Option(
            names = "--cert",
            paramLabel = "FILE",
            description = "The certificate of this side in PEM format, followed by intermediate ones. Implies --tls.")
    private @Nullable Path certificate;

    @Option(
            names = "--key",
            paramLabel = "FILE",
            description = "The private key of --cert in PEM format (PKCS#8, not encrypted).")
    private @Nullable Path key;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "The certificate authorities, in PEM format, that must have issued the certificate of the"
                    + " other side. A client also checks the name of the server. A server with --ca admits only clients"
                    + " with a certificate. Implies --tls.")
    private @Nullable Path authorities;

    /** Returns whether the connections are encrypted. */
    public boolean enabled() {
        return tls || certificate != null || key != null || authorities != null;
    }

    /** Returns the TLS handlers for connections that a server accepts. */
    public TransportHandlers ofServer() {
        OptionCheck.require(
                authorities == null || certificate != null, "--ca of a server needs --cert and --key as well");
        return enabled() ? TlsHandlers.accepting(identity(), authorities) : TransportHandlers.NONE;
    }

    /** Returns the TLS handlers for connections of a client. */
    public TransportHandlers ofClient() {
        OptionCheck.require(
                certificate == null || authorities != null,
                "--cert of a client needs --ca as well: without it the client does not know which server it talks to");
        return enabled() ? TlsHandlers.connecting(identity(), authorities) : TransportHandlers.NONE;
    }

    private TlsHandlers.@Nullable Identity identity() {
        Path certificateFile = certificate;
        Path keyFile = key;
        OptionCheck.require(
                (certificateFile == null) == (keyFile == null),
                "--cert and --key belong together: set both or neither");
        return certificateFile == null || keyFile == null ? null : new TlsHandlers.Identity(certificateFile, keyFile);
    }
}
