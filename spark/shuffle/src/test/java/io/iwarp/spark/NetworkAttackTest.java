package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.LogCapture;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** An attacker between two executors, who reads and forges packets, with and without TLS. */
@Tag("attack")
class NetworkAttackTest {
    private static final String FIRST = "shuffle_1_1_0";
    private static final String SECOND = "shuffle_1_1_1";
    private static final String CONTENT = Blocks.content(1, 1, 1, 40);

    @TempDir
    private Path folder;

    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp.spark");

    private static SparkConf conf() {
        return TwoNodes.settings().set("spark.shuffle.iwarp.crc", "false");
    }

    private TwoNodes openNodes() throws IOException {
        return new TwoNodes(folder, conf(), ByteBufAllocator.DEFAULT);
    }

    private TwoNodes tlsNodes() throws Exception {
        return new TwoNodes(folder, conf(), Tls.selfSigned(), Tls.selfSigned());
    }

    /** Puts a relay between the executors, through which the first block is read. */
    private static Relay between(TwoNodes nodes) throws IOException {
        nodes.publish(1, 1, 40, 40);
        PeerAddress server = nodes.addresses.get(TwoNodes.SERVER);
        Relay relay = new Relay(server.port());
        nodes.addresses.put(TwoNodes.SERVER, new PeerAddress("127.0.0.1", relay.port(), server.fingerprint()));
        assertThat(nodes.fetch(FIRST).arrived).containsEntry(FIRST, Blocks.content(1, 1, 0, 40));
        assertThat(nodes.spark.calls).isEmpty();
        return relay;
    }

    @Test
    void withoutTlsAListenerReadsBlocksButNotTheSecret() throws Exception {
        try (TwoNodes nodes = openNodes();
                Relay relay = between(nodes)) {
            nodes.fetch(SECOND);

            String secret = new String(Base64.getDecoder().decode(TwoNodes.SECRET), StandardCharsets.ISO_8859_1);
            assertThat(relay.seen()).contains(CONTENT).doesNotContain(secret, TwoNodes.SECRET);
        }
    }

    @Test
    void underTlsAListenerReadsNothing() throws Exception {
        try (TwoNodes nodes = tlsNodes();
                Relay relay = between(nodes)) {
            assertThat(nodes.fetch(SECOND).arrived).containsEntry(SECOND, CONTENT);

            assertThat(relay.seen()).hasSizeGreaterThan(1000).doesNotContain(CONTENT, "MPA ID");
        }
    }

    /** The CRC of a segment does not help: the attacker computes it. Here there is none. */
    @Test
    void withoutTlsAChangedPacketForgesABlock() throws Exception {
        String forged = "fake".repeat(10);
        try (TwoNodes nodes = openNodes();
                Relay relay = between(nodes)) {
            relay.change(bytes -> new String(bytes, StandardCharsets.ISO_8859_1)
                    .replace(CONTENT, forged)
                    .getBytes(StandardCharsets.ISO_8859_1));

            assertThat(nodes.fetch(SECOND).arrived).containsEntry(SECOND, forged);
        }
    }

    @Test
    void underTlsAChangedPacketForgesNothing() throws Exception {
        try (TwoNodes nodes = tlsNodes();
                Relay relay = between(nodes)) {
            relay.change(bytes -> {
                bytes[bytes.length - 1] ^= 1;
                return bytes;
            });

            assertThat(nodes.fetch(SECOND).arrived).containsEntry(SECOND, FakeSpark.CONTENT);

            assertThat(nodes.count("fallbackBlocks")).isEqualTo(1);
            assertThat(nodes.count("brokenConnections")).isPositive();
            assertThat(log.messages()).anyMatch(line -> line.startsWith("The connection to executor 1 broke"));
        }
    }
}
