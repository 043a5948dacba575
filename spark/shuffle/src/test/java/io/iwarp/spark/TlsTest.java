package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.testing.LogCapture;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkConf;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Certificates of executors, over TCP. */
@Tag("attack")
class TlsTest {
    private static final String BLOCK = "shuffle_1_1_0";

    @TempDir
    private Path folder;

    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp.spark");

    private static SparkConf conf() {
        return TwoNodes.settings().set("spark.shuffle.iwarp.timeout", "10s");
    }

    private static X509Bundle certificate() throws Exception {
        return new CertificateBuilder()
                .algorithm(CertificateBuilder.Algorithm.ecp256)
                .subject("CN=executor")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    private static Tls tls() throws Exception {
        X509Bundle made = certificate();
        return new Tls(made.getKeyPair().getPrivate(), List.of(made.getCertificate()));
    }

    @Test
    void executorsWithSelfSignedCertificatesRead() throws Exception {
        Tls ofServer = Tls.selfSigned();
        try (TwoNodes nodes = new TwoNodes(folder, conf(), ofServer, tls())) {
            nodes.publish(1, 1, 40);

            assertThat(nodes.fetch(BLOCK).arrived).containsEntry(BLOCK, Blocks.content(1, 1, 0, 40));
            assertThat(nodes.spark.calls).isEmpty();
        }
        assertThat(ofServer.fingerprint()).hasSize(64);
        try (var left = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            assertThat(left).noneMatch(file -> file.getFileName().toString().startsWith("keyutil_executor"));
        }
    }

    /** With the secret of the application, and the name of an executor, but the certificate of another application. */
    @Test
    void anInitiatorWithAnotherCertificateReadsNothing() throws Exception {
        Tls another = tls();
        try (TwoNodes nodes = new TwoNodes(folder, conf(), tls(), tls());
                ShuffleNode impostor = nodes.executor(TwoNodes.SECRET, TwoNodes.CLIENT, another);
                ShuffleNode unknown = nodes.executor(TwoNodes.SECRET, "77", another)) {
            nodes.publish(1, 1, 40);

            assertThat(nodes.fetch(impostor, BLOCK).arrived).containsEntry(BLOCK, FakeSpark.CONTENT);
            assertThat(nodes.fetch(unknown, BLOCK).arrived).containsEntry(BLOCK, FakeSpark.CONTENT);

            assertThat(log.messages())
                    .anyMatch(line -> line.contains("its certificate is not that of executor 2"))
                    .anyMatch(line -> line.contains("executor 77 is not known"));
            assertThat(nodes.serverMetrics.counter("rejectedConnections").getCount())
                    .isEqualTo(2);
        }
    }

    /** A listener that has the secret and relays, or replies, with a certificate of its own. */
    @Test
    void anAcceptorWithAnotherCertificateDeliversNothing() throws Exception {
        try (TwoNodes nodes = new TwoNodes(folder, conf(), tls(), tls())) {
            nodes.publish(1, 1, 40);
            PeerAddress known = nodes.addresses.get(TwoNodes.SERVER);
            nodes.addresses.put(TwoNodes.SERVER, new PeerAddress(known.host(), known.port(), tls().fingerprint()));

            assertThat(nodes.fetch(BLOCK).arrived).containsEntry(BLOCK, FakeSpark.CONTENT);
            requireRejection(nodes);
            assertThat(log.messages())
                    .hasSize(2)
                    .anyMatch(line -> line.startsWith("Could not connect to executor 1")
                            && line.contains("refused the peer's certificate"));
        }
    }

    @Test
    void withoutTlsOnOneSideNothingIsRead() throws Exception {
        try (TwoNodes nodes = new TwoNodes(folder, conf(), tls(), tls());
                ShuffleNode open = nodes.executor(TwoNodes.SECRET, "2", null)) {
            nodes.publish(1, 1, 40);
            assertThat(nodes.fetch(open, BLOCK).arrived).containsEntry(BLOCK, FakeSpark.CONTENT);
            requireRejection(nodes);

            PeerAddress known = nodes.addresses.get(TwoNodes.SERVER);
            nodes.addresses.put(TwoNodes.SERVER, new PeerAddress(known.host(), known.port(), ""));
            assertThat(nodes.fetch(BLOCK).arrived).containsEntry(BLOCK, FakeSpark.CONTENT);
        }
    }

    /** The acceptor says once that TLS failed, and counts it. */
    private void requireRejection(TwoNodes nodes) {
        Awaitility.await()
                .until(() -> log.messages().stream()
                        .anyMatch(line ->
                                line.startsWith("Rejected a connection of /127.0.0.1") && line.contains("TLS failed")));
        assertThat(nodes.serverMetrics.counter("rejectedConnections").getCount())
                .isEqualTo(1);
    }

    @Test
    void theFirstKeyOfAKeyStoreIsUsed() throws Exception {
        X509Bundle made = certificate();
        File file = folder.resolve("keys.p12").toFile();
        try (OutputStream out = Files.newOutputStream(file.toPath())) {
            made.toKeyStore("secret".toCharArray()).store(out, "secret".toCharArray());
        }
        Tls ofKeyStore = Tls.keyStore(file.toPath(), "PKCS12", "secret", "secret");
        try (TwoNodes nodes = new TwoNodes(folder, conf(), ofKeyStore, tls())) {
            nodes.publish(1, 1, 40);

            assertThat(nodes.fetch(BLOCK).arrived).containsEntry(BLOCK, Blocks.content(1, 1, 0, 40));
        }
        assertThatThrownBy(() -> Tls.keyStore(file.toPath(), "PKCS12", "wrong", "wrong"))
                .isInstanceOf(IOException.class);
    }
}
