package io.iwarp.tools.cli;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** TLS 1.3 on each connection of one side. */
public final class TlsHandlers implements TransportHandlers {
    private static final String VERSION = "TLSv1.3";
    private static final String HOST_NAME_CHECK = "HTTPS";

    private final SslContext context;

    private TlsHandlers(SslContextBuilder builder) {
        try {
            context = builder.protocols(VERSION).build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new CommandFailedException("TLS cannot be set up: " + String.valueOf(e.getMessage()));
        }
    }

    /**
     * TLS of a server.
     *
     * @param identity null for a self-signed certificate of this process
     * @param authorities that the certificates of clients must come from; null if clients need none
     */
    public static TlsHandlers accepting(@Nullable PemIdentity identity, @Nullable List<X509Certificate> authorities) {
        PemIdentity server = identity == null ? TrialIdentity.create() : identity;
        SslContextBuilder builder = SslContextBuilder.forServer(server.key(), server.certificates());
        if (authorities != null) {
            builder.trustManager(authorities).clientAuth(ClientAuth.REQUIRE);
        }
        return new TlsHandlers(builder);
    }

    /**
     * TLS of a client.
     *
     * @param identity null if the client has no certificate
     * @param authorities that the server's certificate must come from; null to accept any server
     */
    public static TlsHandlers connecting(@Nullable PemIdentity identity, @Nullable List<X509Certificate> authorities) {
        SslContextBuilder builder = SslContextBuilder.forClient();
        if (identity != null) {
            builder.keyManager(identity.key(), identity.certificates());
        }
        return new TlsHandlers(
                authorities == null
                        ? builder.trustManager(InsecureTrustManagerFactory.INSTANCE)
                                .endpointIdentificationAlgorithm(null)
                        : builder.trustManager(authorities).endpointIdentificationAlgorithm(HOST_NAME_CHECK));
    }

    @Override
    public void addTo(ChannelPipeline pipeline, @Nullable SocketAddress server) {
        pipeline.addLast(
                server instanceof InetSocketAddress ip
                        ? context.newHandler(pipeline.channel().alloc(), ip.getHostString(), ip.getPort())
                        : context.newHandler(pipeline.channel().alloc()));
    }
}
