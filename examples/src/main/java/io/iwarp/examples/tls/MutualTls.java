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
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Both sides prove their identity with certificates, and the server decides by the name in the certificate. */
public final class MutualTls {
    private static final String HOST = "localhost";

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());

    /** Admits clients whose certificate the authority has signed. The files are in PEM format, the key in PKCS#8. */
    private IwarpListener listen(File chain, File key, File authority) throws Exception {
        SslContext tls = SslContextBuilder.forServer(chain, key)
                .trustManager(authority)
                .clientAuth(ClientAuth.REQUIRE)
                .build();
        return Iwarp.server(group)
                .tls(tls)
                .onRequest(MutualTls::decide)
                .listen(HOST, 0)
                .get();
    }

    /** Connects. TLS verifies that the server's certificate names the host. */
    private QueuePair connect(File chain, File key, File authority, int port) throws Exception {
        SslContext tls = SslContextBuilder.forClient()
                .keyManager(chain, key)
                .trustManager(authority)
                .build();
        return Iwarp.client(group).tls(tls).connect(HOST, port).get();
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

    private void tryToConnect(String who, X509Bundle certificate, File authority, int port) throws Exception {
        try {
            QueuePair queuePair =
                    connect(certificate.toTempCertChainPem(), certificate.toTempPrivateKeyPem(), authority, port);
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
        File trusted = authority.toTempRootCertPem();
        X509Bundle server = certificate("server").addSanDnsName(HOST).buildIssuedBy(authority);
        X509Bundle impostor =
                certificate("alice").setIsCertificateAuthority(true).buildSelfSigned();

        MutualTls program = new MutualTls();
        try {
            IwarpListener listener = program.listen(server.toTempCertChainPem(), server.toTempPrivateKeyPem(), trusted);
            int port = listener.port();
            program.tryToConnect("alice", certificate("alice").buildIssuedBy(authority), trusted, port);
            program.tryToConnect("bob", certificate("bob").buildIssuedBy(authority), trusted, port);
            program.tryToConnect("mallory", impostor, trusted, port);
            listener.shutdownGracefully(Duration.ofSeconds(5)).get();
        } finally {
            program.group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
