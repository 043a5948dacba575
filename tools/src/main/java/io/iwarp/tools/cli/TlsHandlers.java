package io.iwarp.tools.cli;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** TLS 1.3 on each connection of one side. */
public final class TlsHandlers implements TransportHandlers {
    private static final String VERSION = "TLSv1.3";
    private static final String HOST_NAME_CHECK = "HTTPS";

    private final SslContext context;

    /**
     * A certificate and its private key, in files in PEM format.
     *
     * @param certificate the certificate, followed by those of intermediate authorities
     * @param key PKCS#8, not encrypted
     */
    public record Identity(Path certificate, Path key) {}

    private TlsHandlers(SslContextBuilder builder) {
        try {
            context = builder.protocols(VERSION).build();
        } catch (SSLException | IllegalArgumentException e) {
            throw unusable("TLS cannot be set up", e);
        }
    }

    /**
     * TLS of a server.
     *
     * @param identity null for a self-signed certificate of this process
     * @param authorities that the certificates of clients must come from; null if clients need none
     */
    public static TlsHandlers accepting(@Nullable Identity identity, @Nullable Path authorities) {
        SslContextBuilder builder = identity == null
                ? TrialIdentity.create()
                : ofFiles(
                        "--cert and --key",
                        () -> SslContextBuilder.forServer(
                                identity.certificate().toFile(), identity.key().toFile()));
        if (authorities != null) {
            trust(builder, authorities).clientAuth(ClientAuth.REQUIRE);
        }
        return new TlsHandlers(builder);
    }

    /**
     * TLS of a client.
     *
     * @param identity null if the client has no certificate
     * @param authorities that the server's certificate must come from; null to accept any server
     */
    public static TlsHandlers connecting(@Nullable Identity identity, @Nullable Path authorities) {
        SslContextBuilder builder = SslContextBuilder.forClient();
        if (identity != null) {
            ofFiles(
                    "--cert and --key",
                    () -> builder.keyManager(
                            identity.certificate().toFile(), identity.key().toFile()));
        }
        return new TlsHandlers(
                authorities == null
                        ? builder.trustManager(InsecureTrustManagerFactory.INSTANCE)
                                .endpointIdentificationAlgorithm(null)
                        : trust(builder, authorities).endpointIdentificationAlgorithm(HOST_NAME_CHECK));
    }

    private static SslContextBuilder trust(SslContextBuilder builder, Path authorities) {
        return ofFiles("--ca", () -> builder.trustManager(authorities.toFile()));
    }

    private static SslContextBuilder ofFiles(String options, Supplier<SslContextBuilder> read) {
        try {
            return read.get();
        } catch (IllegalArgumentException e) {
            throw unusable(options + " cannot be used", e);
        }
    }

    private static CommandFailedException unusable(String what, Throwable failure) {
        Throwable cause = ErrorLines.innermost(failure);
        String reason = cause == failure ? "" : " (" + cause.getMessage() + ")";
        return new CommandFailedException(what + ": " + failure.getMessage() + reason
                + ": check the path; certificates are in PEM format, and a key in PKCS#8, not encrypted");
    }

    @Override
    public void addTo(ChannelPipeline pipeline, @Nullable SocketAddress server) {
        pipeline.addLast(
                server instanceof InetSocketAddress ip
                        ? context.newHandler(pipeline.channel().alloc(), ip.getHostString(), ip.getPort())
                        : context.newHandler(pipeline.channel().alloc()));
    }
}
