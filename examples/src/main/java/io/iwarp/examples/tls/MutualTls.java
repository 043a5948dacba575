package io.iwarp.examples.tls;

import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

public final class MutualTls {
    private static final String HOST = "localhost";

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());

    private IwarpListener listen(X509Bundle certificate, X509Certificate authority) throws Exception {
        SslContext tls = SslContextBuilder.forServer(certificate.toKeyManagerFactory())
                .trustManager(authority)
                .clientAuth(ClientAuth.REQUIRE)
                .build();
        return Iwarp.server(group)
                .tls(tls)
                .onRequest(MutualTls::decide)
                .listen(HOST, 0)
                .get();
    }

    /** TLS verified the certificate before this call. The name is the subject of the certificate. */
    private static void decide(ConnectionRequest request) {
        String name = request.peerPrincipal().getName();
        if (name.equals("CN=alice")) {
            request.accept("welcome".getBytes(StandardCharsets.UTF_8)); // here, grant access to memory
        } else {
            request.reject("nothing here for " + name);
        }
    }

    private void connect(String who, X509Bundle certificate, X509Certificate authority, int port) throws Exception {
        SslContext tls = SslContextBuilder.forClient()
                .keyManager(certificate.toKeyManagerFactory())
                .trustManager(authority)
                .build();
        try {
            // TLS verifies that the certificate belongs to the host.
            QueuePair queuePair =
                    Iwarp.client(group).tls(tls).connect(HOST, port).get();
            System.out.println(
                    who + ": connected to " + queuePair.peerPrincipal().getName() + ", which said: "
                            + text(queuePair.parameters().peerPrivateData()));
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ConnectionRejectedException rejected) {
                System.out.println(who + ": rejected: " + text(rejected.privateData()));
            } else if (e.getCause() instanceof ConnectionClosedException ended) {
                System.out.println(who + ": failed: " + ended.reason().endedBy());
            } else {
                throw e;
            }
        }
    }

    private static String text(byte[] privateData) {
        return new String(privateData, StandardCharsets.UTF_8);
    }

    private static CertificateBuilder certificate(String name) {
        return new CertificateBuilder()
                .algorithm(CertificateBuilder.Algorithm.ecp256)
                .subject("CN=" + name);
    }

    public static void main(String[] args) throws Exception {
        X509Bundle authority =
                certificate("authority").setIsCertificateAuthority(true).buildSelfSigned();
        X509Certificate trusted = authority.getCertificate();
        X509Bundle server = certificate("server").addSanDnsName(HOST).buildIssuedBy(authority);
        X509Bundle impostor =
                certificate("alice").setIsCertificateAuthority(true).buildSelfSigned();

        MutualTls program = new MutualTls();
        try {
            IwarpListener listener = program.listen(server, trusted);
            int port = listener.port();
            program.connect("alice", certificate("alice").buildIssuedBy(authority), trusted, port);
            program.connect("bob", certificate("bob").buildIssuedBy(authority), trusted, port);
            program.connect("mallory", impostor, trusted, port);
            listener.shutdownGracefully(Duration.ofSeconds(5)).get();
        } finally {
            program.group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
