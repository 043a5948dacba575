package io.iwarp.tools.cli;

import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The options about encryption. */
public final class TlsOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--tls",
            scope = ScopeType.INHERIT,
            description = "Encrypt with TLS 1.3, on both sides or on neither. Without --cert a server creates a"
                    + " certificate for itself, and without --ca a client accepts any: enough to measure what TLS costs,"
                    + " but no protection.",
            showDefaultValue = Visibility.NEVER)
    private boolean tls;

    @Option(
            names = "--cert",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "The certificate of this side in PEM format, followed by intermediate ones. Implies --tls.")
    private @Nullable Path certificate;

    @Option(
            names = "--key",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "The private key of --cert in PEM format (PKCS#8, not encrypted).")
    private @Nullable Path key;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
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
        require(authorities == null || certificate != null, "--ca of a server needs --cert and --key as well");
        return enabled() ? TlsHandlers.accepting(identity(), trusted()) : TransportHandlers.NONE;
    }

    /** Returns the TLS handlers for connections of a client. */
    public TransportHandlers ofClient() {
        require(
                certificate == null || authorities != null,
                "--cert of a client needs --ca as well: without it the client does not know which server it talks to");
        return enabled() ? TlsHandlers.connecting(identity(), trusted()) : TransportHandlers.NONE;
    }

    private @Nullable PemIdentity identity() {
        Path certificateFile = certificate;
        Path keyFile = key;
        require(
                (certificateFile == null) == (keyFile == null),
                "--cert and --key belong together: set both or neither");
        return certificateFile == null || keyFile == null ? null : PemIdentity.read(certificateFile, keyFile);
    }

    private @Nullable List<X509Certificate> trusted() {
        return authorities == null ? null : PemIdentity.certificates("--ca", authorities);
    }

    private void require(boolean condition, String complaint) {
        OptionCheck.require(command, condition, complaint);
    }
}
