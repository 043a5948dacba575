package io.iwarp.transports;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** What protects the bytes below MPA. With TLS, each side shows a certificate of the same authority. */
enum Security {
    NONE(null, ""),
    TLS_1_3(SslProvider.JDK, "TLSv1.3"),
    TLS_1_2(SslProvider.JDK, "TLSv1.2"),
    OPENSSL_1_3(SslProvider.OPENSSL, "TLSv1.3"),
    OPENSSL_1_2(SslProvider.OPENSSL, "TLSv1.2");

    private final @Nullable SslProvider provider;
    private final String protocol;

    Security(@Nullable SslProvider provider, String protocol) {
        this.provider = provider;
        this.protocol = protocol;
    }

    /** The authority that both sides trust, and what it signed; keys are made once. */
    private static final class Keys {
        static final X509Bundle AUTHORITY = build(null, "CN=authority");
        static final X509Bundle RESPONDER = build(AUTHORITY, "CN=responder");
        static final X509Bundle INITIATOR = build(AUTHORITY, "CN=initiator");
        static final X509Bundle STRANGER = build(null, "CN=stranger");

        private static X509Bundle build(@Nullable X509Bundle issuer, String subject) {
            CertificateBuilder builder = new CertificateBuilder()
                    .algorithm(CertificateBuilder.Algorithm.ecp256)
                    .subject(subject)
                    .setIsCertificateAuthority(issuer == null);
            try {
                return issuer == null ? builder.buildSelfSigned() : builder.buildIssuedBy(issuer);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Why it cannot be used here; null if it can. */
    @Nullable
    Throwable unavailabilityCause() {
        return provider == SslProvider.OPENSSL ? OpenSsl.unavailabilityCause() : null;
    }

    /** Adds to a responder's pipeline what belongs between the socket and MPA. */
    Consumer<ChannelPipeline> responder() throws Exception {
        if (provider == null) {
            return pipeline -> {};
        }
        return tls(SslContextBuilder.forServer(Keys.RESPONDER.toKeyManagerFactory())
                .clientAuth(ClientAuth.REQUIRE));
    }

    /** Adds to an initiator's pipeline what belongs between the socket and MPA. */
    Consumer<ChannelPipeline> initiator() throws Exception {
        if (provider == null) {
            return pipeline -> {};
        }
        return tls(SslContextBuilder.forClient()
                .keyManager(Keys.INITIATOR.toKeyManagerFactory())
                .endpointIdentificationAlgorithm(null));
    }

    /** As {@link #responder}, of an authority that no side trusts. */
    Consumer<ChannelPipeline> stranger() throws Exception {
        return tls(SslContextBuilder.forServer(Keys.STRANGER.toKeyManagerFactory()));
    }

    /** As {@link #initiator}, of an authority that no side trusts. */
    Consumer<ChannelPipeline> strangeInitiator() throws Exception {
        return tls(SslContextBuilder.forClient()
                .keyManager(Keys.STRANGER.toKeyManagerFactory())
                .endpointIdentificationAlgorithm(null));
    }

    /** As {@link #initiator}, without a certificate. */
    Consumer<ChannelPipeline> anonymous() throws Exception {
        return tls(SslContextBuilder.forClient().endpointIdentificationAlgorithm(null));
    }

    String protocol() {
        return protocol;
    }

    private Consumer<ChannelPipeline> tls(SslContextBuilder builder) throws SSLException {
        SslContext context = builder.sslProvider(provider)
                .protocols(protocol)
                .trustManager(Keys.AUTHORITY.getCertificate())
                .build();
        return pipeline ->
                pipeline.addLast(context.newHandler(pipeline.channel().alloc()));
    }
}
