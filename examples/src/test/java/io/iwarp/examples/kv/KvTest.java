package io.iwarp.examples.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.Counter;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The key-value server, as its clients and its visitors see it. */
class KvTest {
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final List<KvClient> clients = new ArrayList<>();
    private KvServer server;

    @TempDir
    private Path folder;

    @BeforeEach
    void start() throws Exception {
        server = serve();
    }

    private static KvServer serve(String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of("--port", "0", "--http-port", "0"));
        all.addAll(List.of(options));
        return new KvServer(all.toArray(String[]::new));
    }

    private KvClient client() throws Exception {
        KvClient client = KvClient.connect(
                group, domain, new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()), null);
        clients.add(client);
        return client;
    }

    @AfterEach
    void stop() throws Exception {
        clients.forEach(KvClient::close);
        server.close();
        domain.close();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }

    private void restart(String... options) throws Exception {
        server.close();
        server = serve(options);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(Optional<KvClient.Found> found) {
        return found.map(KvClient.Found::text).orElse("nothing");
    }

    @Test
    void whatOneClientPutsAnotherGets() throws Exception {
        KvClient writer = client();
        KvClient reader = client();
        assertThat(reader.get("city")).isEmpty();
        for (String value : List.of("Bern, where bears are", "", "Genève", "x".repeat(Protocol.MAX_VALUE))) {
            long version = writer.put("city", utf8(value));
            KvClient.Found found = reader.get("city").orElseThrow();
            assertThat(found.text()).isEqualTo(value);
            assertThat(found.version()).isEqualTo(version);
        }
        assertThat(reader.get("town")).isEmpty();
    }

    @Test
    void hitsAreCounted() throws Exception {
        KvClient client = client();
        client.put("a", utf8("1"));
        client.put("b", utf8("2"));
        client.get("a");
        client.get("b");
        client.get("b");

        assertThat(client.hits("a")).hasValue(1L);
        assertThat(client.hits("b")).hasValue(2L);
        assertThat(client.hits("c")).isEmpty();
    }

    @Test
    void aReplacementChangesWhatIsExpectedOnlyAndTheVersion() throws Exception {
        KvClient client = client();
        long first = client.put("color", utf8("red"));

        assertThat(client.replace("color", utf8("red"), utf8("ultramarine"))).isEmpty();
        assertThat(text(client.replace("color", utf8("red"), utf8("green")))).isEqualTo("ultramarine");
        assertThat(client.replace("colour", utf8("red"), utf8("green"))
                        .orElseThrow()
                        .version())
                .isZero();

        assertThat(client.putIfVersion("color", utf8("blue"), first))
                .as("the value was replaced since")
                .isEmpty();
        assertThat(text(client.get("color"))).isEqualTo("ultramarine");
    }

    @Test
    void aPutCanAskForAVersion() throws Exception {
        KvClient client = client();
        long first = client.putIfVersion("key", utf8("first"), 0).orElseThrow();

        assertThat(client.putIfVersion("key", utf8("second"), 0)).isEmpty();
        assertThat(client.putIfVersion("none", utf8("second"), 7)).isEmpty();
        assertThat(client.putIfVersion("key", utf8("second"), first)).isPresent();
        assertThat(text(client.get("key"))).isEqualTo("second");
    }

    @Test
    void allEntriesFitAndOneMoreIsRefused() throws Exception {
        restart("--entries", "1000");
        KvClient client = client();
        for (int i = 0; i < 1000; i++) {
            client.put("key-" + i, utf8("value-" + i));
        }
        assertThatThrownBy(() -> client.put("more", utf8("1"))).hasMessageContaining("room for 1000 keys");
        for (int i = 0; i < 1000; i += 7) {
            assertThat(text(client.get("key-" + i))).isEqualTo("value-" + i);
        }
        assertThat(client.put("key-1", utf8("again"))).isEqualTo(1001);
    }

    @Test
    void memoryOfReplacedValuesIsUsedAgain() throws Exception {
        restart("--memory", "16K");
        KvClient client = client();
        for (int i = 0; i < 100; i++) {
            client.put("key", new byte[3000 + i % 3]);
        }
        assertThatThrownBy(() -> client.put("key", new byte[20_000])).hasMessageContaining("--memory");
        assertThat(client.get("key").orElseThrow().value()).hasSize(3000);
    }

    @Test
    void aSearchLooksAtTwoBucketsHoweverManyKeysCollide() throws Exception {
        restart("--entries", "8");
        Store store = server.store();
        byte[] value = utf8("1");
        int stored = 0;
        int refused = 0;
        // With two buckets most keys collide.
        for (int i = 0; i < 100; i++) {
            var reply = store.put(
                    new Protocol.Put(Protocol.Condition.ALWAYS, 0, new byte[0], Protocol.key("key-" + i), value));
            stored += reply.outcome() == Protocol.Outcome.DONE ? 1 : 0;
            refused += reply.outcome() == Protocol.Outcome.NO_ROOM ? 1 : 0;
        }
        assertThat(stored).isEqualTo(8);
        assertThat(refused).isEqualTo(92);
        KvClient client = client();
        long reads = client.queuePair().counters().get(Counter.READS_REQUESTED);
        assertThat(client.get("nothing like the others")).isEmpty();
        assertThat(client.queuePair().counters().get(Counter.READS_REQUESTED) - reads)
                .isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"0, does not grant writing", "1, does not grant writing", "2, does not grant writing"})
    void aClientMayNotWriteAnyMemory(int number, String reason) throws Exception {
        client().put("key", utf8("value"));
        QueuePair rogue = client().queuePair();
        rogue.write(Unpooled.copyLong(0), rogue.remoteBuffers().get(number).slice(0, 8));

        assertThat(rogue.closed().get(10, TimeUnit.SECONDS).toString()).contains(reason);
        assertThat(text(client().get("key"))).isEqualTo("value");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void atomicsCannotReachKeysAndValues(int number) throws Exception {
        client().put("key", utf8("value"));
        QueuePair rogue = client().queuePair();
        RemoteBuffer target = rogue.remoteBuffers().get(number).slice(0, 8);
        rogue.compareSwap(target, 0, -1);

        rogue.closed().get(10, TimeUnit.SECONDS);
        assertThat(text(client().get("key"))).isEqualTo("value");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0000000a",
                "00000000000004000000000000000000000000",
                "ffffffff00000001000000010000000000000000"
            })
    void aMessageThatIsNoPutEndsItsConnectionOnly(String hex) throws Exception {
        QueuePair liar = client().queuePair();
        liar.send(Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex)));

        liar.closed().get(10, TimeUnit.SECONDS);
        KvClient other = client();
        other.put("key", utf8("value"));
        assertThat(text(other.get("key"))).isEqualTo("value");
    }

    @Test
    void whatIsReadHalfWrittenIsReadAgain() throws Exception {
        byte[] key = utf8("key");
        Protocol.Slot slot = new Protocol.Slot(3, 0, key.length, 5, 1);
        ByteBuf entry = Protocol.Entry.encode(3, key, utf8("value"));
        assertThat(Protocol.Entry.isOf(key, entry, 0, slot)).isTrue();
        assertThat(Protocol.Entry.isOf(utf8("kez"), entry, 0, slot)).isFalse();
        for (int i = 0; i < entry.readableBytes(); i++) {
            ByteBuf torn = entry.copy().setByte(i, ~entry.getByte(i));
            assertThatThrownBy(() -> Protocol.Entry.isOf(key, torn, 0, slot))
                    .isInstanceOf(Protocol.TornReadException.class);
        }
        ByteBuf encoded = slot.encode();
        assertThat(Protocol.Slot.decode(encoded, 0)).isEqualTo(slot);
        for (int i = 0; i < Protocol.SLOT_LENGTH; i++) {
            ByteBuf torn = encoded.copy().setByte(i, ~encoded.getByte(i));
            assertThatThrownBy(() -> Protocol.Slot.decode(torn, 0)).isInstanceOf(Protocol.TornReadException.class);
        }
        // The first half of a slot that was free.
        ByteBuf half = encoded.copy().setZero(Protocol.SLOT_LENGTH / 2, Protocol.SLOT_LENGTH / 2);
        assertThatThrownBy(() -> Protocol.Slot.decode(half, 0)).isInstanceOf(Protocol.TornReadException.class);
    }

    @Test
    void readersAndWritersOfOneKeyAtTheSameTimeSeeWholeValues() throws Exception {
        KvClient writer = client();
        KvClient reader = client();
        writer.put("key", value(0));
        Thread writing = new Thread(() -> {
            try {
                for (int i = 1; i <= 2000; i++) {
                    writer.put("key", value(i));
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        writing.start();
        long version = 0;
        while (writing.isAlive()) {
            KvClient.Found found = reader.get("key").orElseThrow();
            assertThat(found.version()).isGreaterThanOrEqualTo(version);
            version = found.version();
            assertThat(found.value()).containsOnly(found.value()[0]);
        }
        writing.join();
        assertThat(reader.get("key").orElseThrow().value()).isEqualTo(value(2000));
    }

    private static byte[] value(int number) {
        byte[] value = new byte[4000 + number % 3 * 1000];
        Arrays.fill(value, (byte) number);
        return value;
    }

    @Test
    void aTableIsLoaded() throws Exception {
        Path file =
                Files.writeString(folder.resolve("table"), "# comment\nssh\t\t22/tcp\n\nssh\t22\nno tab\nweb\t80\n");
        assertThatThrownBy(() -> serve("--load", file.toString())).hasMessageContaining("line 5");
        restart("--load", file.toString(), "--skip-bad-lines");

        assertThat(text(client().get("ssh"))).isEqualTo("22");
        assertThat(server.store().entries()).isEqualTo(2);
    }

    @Test
    void aListIsLoaded() throws Exception {
        Path file = Files.writeString(folder.resolve("list"), "one\n\nthree\n");
        restart("--load", file.toString(), "--entries", "1");

        assertThat(text(client().get("3"))).isEqualTo("three");
        assertThat(client().get("2")).isEmpty();
    }

    @Test
    void pagesAreServedBesideIt() throws Exception {
        client().put("key", utf8("value"));
        client().get("key");

        assertThat(page("/health").body()).contains("{\"status\":\"UP\",\"entries\":1,\"connections\":2}");
        assertThat(page("/metrics").body())
                .contains("kv_entries 1.0", "kv_puts_total 1.0", "iwarp_memory_regions 3.0")
                .containsPattern("iwarp_operations_total\\{direction=\"inbound\",operation=\"read\"} [1-9]")
                .contains("netty_allocator_memory_used", "jvm_memory_used_bytes");
        assertThat(page("/").body()).contains("keys: 1 of 65,536", "puts: 1,");
        assertThat(page("/other").statusCode()).isEqualTo(404);
    }

    @Test
    void browserThatReadsNothingHoldsOneResponse() throws Exception {
        try (SocketChannel browser =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.httpPort()))) {
            browser.configureBlocking(false);
            ByteBuffer requests = ByteBuffer.wrap(utf8("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".repeat(50_000)));
            while (requests.hasRemaining() && browser.write(requests) > 0) {
                // until the server or its socket takes no more
            }
            assertThat(page("/health").statusCode()).isEqualTo(200);
            restart();
        }
    }

    @Test
    void wrongOptionsAreRefused() {
        assertRefused("unknown option --prot", "--prot", "1");
        assertRefused("unknown argument 'start'", "start");
        assertRefused("--port takes a value", "--port");
        assertRefused("--port '' is not a number", "--port", "");
        assertRefused("--memory '-1' is not a number", "--memory", "-1");
        assertRefused("--cert, --key and --ca belong together", "--ca", "ca.pem");
        assertRefused("--cert, --key and --ca belong together", "--key", "key.pem");
    }

    private static void assertRefused(String message, String... options) {
        assertThatThrownBy(() -> new KvServer(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    private HttpResponse<String> page(String path) throws Exception {
        URI address = URI.create("http://127.0.0.1:" + server.httpPort() + path);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(address)
                                .timeout(Duration.ofMinutes(2))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void withCertificatesOnlyKnownClientsAreAdmitted() throws Exception {
        X509Bundle authority =
                certificate("authority").setIsCertificateAuthority(true).buildSelfSigned();
        String[] ofServer = tls(certificate("server").addSanDnsName("localhost").buildIssuedBy(authority), authority);
        restart(ofServer);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
        SslContext known = clientTls(tls(certificate("client").buildIssuedBy(authority), authority));
        X509Bundle stranger =
                certificate("stranger").setIsCertificateAuthority(true).buildSelfSigned();
        SslContext unknown = clientTls(tls(stranger, authority));

        try (KvClient client = KvClient.connect(group, domain, address, known)) {
            client.put("key", utf8("value"));
            assertThat(text(client.get("key"))).isEqualTo("value");
        }
        assertThatThrownBy(() -> KvClient.connect(group, domain, address, unknown))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> KvClient.connect(group, domain, address, null)).isInstanceOf(IOException.class);
    }

    private static SslContext clientTls(String... options) throws Exception {
        return Options.parse(options, Set.of(), Set.of()).clientTls();
    }

    private static CertificateBuilder certificate(String name) {
        return new CertificateBuilder().ecp256().subject("CN=" + name);
    }

    private static String[] tls(X509Bundle bundle, X509Bundle authority) throws Exception {
        return new String[] {
            "--cert", bundle.toTempCertChainPem().toString(),
            "--key", bundle.toTempPrivateKeyPem().toString(),
            "--ca", authority.toTempCertChainPem().toString()
        };
    }

    @Test
    void theCommandLineDoesTheSame() throws Exception {
        assertThat(execute("put", "color", "red")).isEqualTo("version 1");
        assertThat(execute("cas", "color", "red", "blue\u009b31m")).isEqualTo("replaced");
        assertThat(execute("get", "--with-version", "color")).isEqualTo("2 blue?31m");
        assertThatThrownBy(() -> execute("put", "--if-version", "1", "color", "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not have version 1");
        assertThatThrownBy(() -> execute("put", "--if-versoin", "0", "color", "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown option --if-versoin");
        assertThat(execute("--help")).startsWith("usage: KvClient HOST:PORT get");
    }

    private String execute(String... words) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("127.0.0.1:" + server.port()));
        arguments.addAll(List.of(words));
        return KvClient.execute(arguments.toArray(new String[0]));
    }

    @Test
    void theProgramReportsAnErrorInOneLine() throws Exception {
        Process client = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KvClient.class.getName(),
                        "127.0.0.1:" + server.port(),
                        "get",
                        "nothing")
                .redirectErrorStream(true)
                .start();
        assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualToIgnoringNewLines("KvClient: there is no key 'nothing'");
        assertThat(client.waitFor()).isOne();
    }
}
