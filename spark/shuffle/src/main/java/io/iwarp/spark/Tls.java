package io.iwarp.spark;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.FingerprintTrustManagerFactory;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.handler.ssl.util.SelfSignedCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of an executor: its certificate, and the check of those of others. Executors publish the fingerprints of
 * their certificates by Spark's RPC, so neither the authority of a certificate nor the name in it is checked. An
 * initiator checks the fingerprint of the acceptor in the TLS handshake. An acceptor reads the id of the initiator from
 * the connection request, and checks the fingerprint then.
 */
final class Tls {
    private static final String VERSION = "TLSv1.3";
    private static final String HASH = "SHA-256";
    private static final int KEY_BITS = 256;

    private final PrivateKey key;
    private final List<X509Certificate> chain;
    private final SslContext server;
    private final String fingerprint;

    /** @param chain the certificate of the key, and those of its issuers */
    Tls(PrivateKey key, List<X509Certificate> chain) throws GeneralSecurityException, IOException {
        this.key = key;
        this.chain = chain;
        this.fingerprint = fingerprint(chain.get(0));
        this.server = SslContextBuilder.forServer(key, chain)
                .protocols(VERSION)
                .clientAuth(ClientAuth.REQUIRE)
                // A certificate is compared with that of the executor that the connection request names.
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .build();
    }

    /**
     * Makes a certificate. Its private key stays in memory. This starts a process of the JDK's keytool, which takes
     * about a second.
     */
    @SuppressWarnings("deprecation") // Its replacement is in a Netty module that Spark does not have.
    static Tls selfSigned() throws GeneralSecurityException, IOException {
        SelfSignedCertificate made = new SelfSignedCertificate("executor", "EC", KEY_BITS);
        made.delete();
        return new Tls(made.key(), List.of(made.cert()));
    }

    /**
     * Uses the first private key of a key store.
     *
     * @throws IOException if the file cannot be read, or there is no private key
     */
    static Tls keyStore(Path file, String type, String password, String keyPassword)
            throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(type);
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, password.toCharArray());
        }
        for (String alias : Collections.list(store.aliases())) {
            if (store.getKey(alias, keyPassword.toCharArray()) instanceof PrivateKey key) {
                Certificate[] chain = store.getCertificateChain(alias);
                return new Tls(
                        key,
                        Arrays.stream(chain).map(X509Certificate.class::cast).toList());
            }
        }
        throw new IOException(
                "the key store " + file + " has no private key: add one, or set spark.ssl.rpc.keyStore to another");
    }

    /** Returns the fingerprint of the certificate of this executor. */
    String fingerprint() {
        return fingerprint;
    }

    private static String fingerprint(Certificate certificate) throws GeneralSecurityException {
        byte[] hash = MessageDigest.getInstance(HASH).digest(certificate.getEncoded());
        return HexFormat.of().formatHex(hash);
    }

    /** Returns whether the peer of a session has the certificate with this fingerprint. */
    static boolean isPeer(@Nullable SSLSession session, String fingerprint) throws GeneralSecurityException {
        try {
            return session != null
                    && fingerprint(session.getPeerCertificates()[0]).equals(fingerprint);
        } catch (SSLPeerUnverifiedException none) {
            return false;
        }
    }

    void addServer(ChannelPipeline pipeline) {
        add(server, pipeline);
    }

    /**
     * Returns the context of a connection to an executor.
     *
     * @param fingerprint of the executor's certificate
     * @throws IllegalArgumentException if it is no fingerprint
     */
    SslContext client(String fingerprint) {
        try {
            return SslContextBuilder.forClient()
                    .protocols(VERSION)
                    .keyManager(key, chain)
                    .trustManager(FingerprintTrustManagerFactory.builder(HASH)
                            .fingerprints(fingerprint)
                            .build())
                    .endpointIdentificationAlgorithm(null)
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException("TLS 1.3 cannot be used", e);
        }
    }

    static void add(SslContext context, ChannelPipeline pipeline) {
        pipeline.addLast(context.newHandler(pipeline.channel().alloc()));
    }
}
