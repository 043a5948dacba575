package io.iwarp.spark;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.File;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of an executor. Both sides show one, and both must be issued by a trusted authority. The names in
 * them do not matter: an executor may run on any host.
 *
 * @param server null without TLS
 * @param client null without TLS
 */
record TlsContexts(@Nullable SslContext server, @Nullable SslContext client) {
    static TlsContexts of(ShuffleSettings.TlsSettings settings) throws IOException {
        if (!settings.enabled()) {
            return new TlsContexts(null, null);
        }
        File certificate = new File(settings.certificate());
        File key = new File(settings.key());
        File trust = new File(settings.trust());
        try {
            return new TlsContexts(
                    SslContextBuilder.forServer(certificate, key)
                            .trustManager(trust)
                            .clientAuth(ClientAuth.REQUIRE)
                            .build(),
                    SslContextBuilder.forClient()
                            .keyManager(certificate, key)
                            .trustManager(trust)
                            .endpointIdentificationAlgorithm(null)
                            .build());
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "cannot use the certificates of " + ShuffleSettings.PREFIX + "tls: " + e.getMessage()
                            + "; certificate and trust are files in PEM format, key is one in PKCS#8",
                    e);
        }
    }

    void addServer(ChannelPipeline pipeline) {
        add(server, pipeline);
    }

    void addClient(ChannelPipeline pipeline) {
        add(client, pipeline);
    }

    private static void add(@Nullable SslContext context, ChannelPipeline pipeline) {
        if (context != null) {
            pipeline.addLast(context.newHandler(pipeline.channel().alloc()));
        }
    }
}
