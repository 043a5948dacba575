package io.iwarp.tools;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;

/**
 * TLS 1.3 for finding out what encryption costs: the accepting side makes itself a certificate, and the connecting side
 * takes any. It keeps nobody out.
 */
final class MeasuredTls {
    private static final String VERSION = "TLSv1.3";

    private final SslContext accepting;
    private final SslContext connecting;

    private MeasuredTls(SslContext accepting, SslContext connecting) {
        this.accepting = accepting;
        this.connecting = connecting;
    }

    /** Makes a certificate with a key of its own. */
    static MeasuredTls create() throws CommandFailedException {
        try {
            X509Bundle certificate = new CertificateBuilder()
                    .subject("CN=iwarp perf")
                    .setIsCertificateAuthority(true)
                    .ecp256()
                    .buildSelfSigned();
            return new MeasuredTls(
                    SslContextBuilder.forServer(certificate.getKeyPair().getPrivate(), certificate.getCertificate())
                            .protocols(VERSION)
                            .build(),
                    SslContextBuilder.forClient()
                            .trustManager(InsecureTrustManagerFactory.INSTANCE)
                            .endpointIdentificationAlgorithm(null)
                            .protocols(VERSION)
                            .build());
        } catch (Exception e) {
            // The certificate builder declares no narrower type.
            throw new CommandFailedException("this JDK cannot do " + VERSION + " (" + e + "): leave --tls out");
        }
    }

    /** Adds TLS to a pipeline; call it before anything is added that shall see what is not encrypted. */
    void addTo(ChannelPipeline pipeline) {
        SslContext side = pipeline.channel().parent() == null ? connecting : accepting;
        pipeline.addLast(side.newHandler(pipeline.channel().alloc()));
    }
}
