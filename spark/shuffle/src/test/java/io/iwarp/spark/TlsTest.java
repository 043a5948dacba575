package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.netty.buffer.ByteBufAllocator;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates of executors, over TCP. */
class TlsTest {
    @TempDir
    private Path folder;

    private SparkConf conf(String name) throws Exception {
        X509Bundle authority =
                builder(name + "-authority").setIsCertificateAuthority(true).buildSelfSigned();
        X509Bundle executor = builder(name).buildIssuedBy(authority);
        return TwoNodes.settings()
                .set("spark.shuffle.iwarp.transport", "nio")
                .set("spark.shuffle.iwarp.tls.enabled", "true")
                .set("spark.shuffle.iwarp.tls.certificate", file(name + ".crt", executor.getCertificatePathPEM()))
                .set("spark.shuffle.iwarp.tls.key", file(name + ".key", executor.getPrivateKeyPEM()))
                .set("spark.shuffle.iwarp.tls.trust", file(name + ".ca", authority.getRootCertificatePEM()));
    }

    private static CertificateBuilder builder(String name) {
        return new CertificateBuilder()
                .algorithm(CertificateBuilder.Algorithm.ecp256)
                .subject("CN=" + name);
    }

    private String file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content).toString();
    }

    @Test
    void executorsOfOneAuthorityRead() throws Exception {
        try (TwoNodes nodes = new TwoNodes(folder, conf("alice"), ByteBufAllocator.DEFAULT)) {
            nodes.publish(1, 1, 40);

            assertThat(nodes.fetch("shuffle_1_1_0").arrived)
                    .containsEntry("shuffle_1_1_0", Blocks.content(1, 1, 0, 40));
            assertThat(nodes.spark.calls).isEmpty();
        }
    }

    @Test
    void anotherAuthorityOrNoneReadsNothing() throws Exception {
        SparkConf plain = TwoNodes.settings()
                .set("spark.shuffle.iwarp.transport", "nio")
                .set("spark.shuffle.iwarp.timeout", "2s");
        try (TwoNodes nodes = new TwoNodes(folder, conf("alice"), ByteBufAllocator.DEFAULT);
                ShuffleNode stranger = node(nodes, conf("mallory"));
                ShuffleNode open = node(nodes, plain)) {
            nodes.publish(1, 1, 40);

            assertThat(nodes.fetch(stranger, "shuffle_1_1_0").arrived.values()).containsOnly(FakeSpark.CONTENT);
            assertThat(nodes.fetch(open, "shuffle_1_1_0").arrived.values()).containsOnly(FakeSpark.CONTENT);
        }
    }

    private static ShuffleNode node(TwoNodes nodes, SparkConf conf) throws IOException {
        return new ShuffleNode(
                ShuffleSettings.from(conf),
                TwoNodes.handshake(TwoNodes.SECRET, "9"),
                nodes.addresses::get,
                new MetricRegistry(),
                ByteBufAllocator.DEFAULT);
    }

    @Test
    void aFileThatIsNoCertificateIsNamed() throws Exception {
        SparkConf conf = conf("alice").set("spark.shuffle.iwarp.tls.certificate", file("wrong", "none"));

        assertThatThrownBy(() -> new TwoNodes(folder, conf, ByteBufAllocator.DEFAULT))
                .hasMessageContaining("spark.shuffle.iwarp.tls");
    }
}
