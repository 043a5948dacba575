package io.iwarp.tools.echo;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.tools.CommandRun;
import io.iwarp.tools.PlainEndpoint;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.PeerAddress;
import io.iwarp.tools.cli.ServerOptions;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EchoTest {
    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "8", "5000", "64K"})
    void messagesOfAnySizeComeBack(String size) throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0")) {
            CommandRun client =
                    CommandRun.of("echo-client", server.address(), "--size", size, "--count", "50", "--warmup", "0");

            assertThat(client.err()).isEmpty();
            assertThat(client.exitCode()).isZero();
            assertThat(client.out())
                    .contains("until s", "50 messages in", "unchanged")
                    .containsPattern("p50 \\d.*p99.9 \\d");
            server.awaitLine(Pattern.compile(".* had 50 messages echoed"));
        }
    }

    @Test
    void theResultsAreOneLineOfJson() throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0")) {
            CommandRun client = CommandRun.of(
                    "echo-client", server.address(), "--duration", "0.1", "--warmup", "0.1", "--json", "-");

            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(client.out().lines())
                    .singleElement()
                    .asString()
                    .startsWith("{\"op\":\"echo\",\"size\":64,\"seconds\":")
                    .contains("\"p9999\":", "\"command\":\"iwarp echo-client");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatWasMeasuredBeforeAnEndIsPrinted(boolean ofServer) throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0")) {
            CommandRun client = CommandRun.start(
                    "echo-client", server.address(), "--duration", "1000", "--warmup", "0", "--interval", "0.05");
            client.awaitLine(Pattern.compile("[0-9.]+ .*"));

            int exitCode = ofServer && server.stop() == 0 ? client.exitCode() : client.stop();

            assertThat(exitCode).isEqualTo(ofServer ? 1 : 0);
            assertThat(client.out()).containsPattern("\\d messages? in .*\\Rmin .* p99.99 ");
            assertThat(client.out().contains("all came back")).isEqualTo(!ofServer);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--markers", "--no-crc"})
    void sidesMayUseDifferentOptions(String option) throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0", option)) {
            CommandRun client = CommandRun.of("echo-client", server.address(), "--count", "20", "--warmup", "0");

            assertThat(client.exitCode()).isZero();
        }
    }

    @Test
    void manyClientsAreServedAtOnce() throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0")) {
            String address = server.address();
            List<CommandRun> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(CommandRun.start("echo-client", address, "--count", "200", "--warmup", "0"));
            }
            for (CommandRun client : clients) {
                assertThat(client.exitCode()).isZero();
            }
        }
    }

    @Test
    void theServerContinuesAfterAClientWasKilled() throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0");
                Endpoint endpoint = PlainEndpoint.open()) {
            String address = server.address();
            QueuePair killed = endpoint.connect(
                    new PeerAddress.Converter().convert(address).resolve(),
                    new ServerOptions().settings().build(),
                    EchoServer.PROTOCOL.request(),
                    fresh -> {});
            killed.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            killed.abort();
            server.awaitLine(Pattern.compile(".* had 0 messages echoed; .*lost.*"));

            CommandRun next = CommandRun.of("echo-client", address, "--count", "1", "--warmup", "0");
            assertThat(next.exitCode()).isZero();
            assertThat(server.stop()).isZero();
        }
    }

    @Test
    void theServerContinuesAfterSomethingThatIsNoIwarp() throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0")) {
            String address = server.address();
            PeerAddress parsed = new PeerAddress.Converter().convert(address);
            try (Socket browser = new Socket(parsed.host(), parsed.port())) {
                browser.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(browser.getInputStream().readAllBytes()).isEmpty();
            }
            assertThat(CommandRun.of("echo-client", address, "--count", "1").exitCode())
                    .isZero();
        }
    }

    @Test
    void aMessageThatIsTooLongForTheServerIsNotSent() throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0", "--max-size", "1000")) {
            CommandRun client = CommandRun.of("echo-client", server.address(), "--size", "1001");

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).contains("up to 1,000 bytes", "--max-size");
        }
    }

    @Test
    void aChangedMessageIsNamedByItsNumber() throws Exception {
        try (Endpoint endpoint = PlainEndpoint.open();
                IwarpListener faulty = endpoint.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        QueuePairSettings.DEFAULT,
                        EchoTest::sendZeros)) {
            CommandRun client = CommandRun.of("echo-client", "127.0.0.1:" + faulty.port());

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).contains("message 1 came back changed");
        }
    }

    private static void sendZeros(ConnectionRequest request) {
        QueuePair queuePair = request.queuePair();
        queuePair
                .receive(Unpooled.buffer(64))
                .thenRun(() -> queuePair.send(Unpooled.buffer(64).writeZero(64)));
        request.accept(EchoServer.PROTOCOL.followedBy(Unpooled.copyInt(64)));
    }

    @Test
    void aServerThatIsNotThereIsReported() throws Exception {
        int port;
        try (ServerSocket closedAtOnce = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closedAtOnce.getLocalPort();
        }
        CommandRun client = CommandRun.of("echo-client", "127.0.0.1:" + port);

        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.error()).contains("start the server there first");
    }

    @Test
    void aServerThatSpeaksSomethingElseIsReported() throws Exception {
        try (ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommandRun client = CommandRun.start("echo-client", "127.0.0.1:" + web.getLocalPort());
            try (Socket connection = web.accept()) {
                connection
                        .getOutputStream()
                        .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(client.exitCode()).isEqualTo(1);
            }
            assertThat(client.error()).contains("MPA");
        }
    }

    @Test
    void aPortInUseIsReported() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommandRun server = CommandRun.of("echo-server", "--port", String.valueOf(taken.getLocalPort()));

            assertThat(server.exitCode()).isEqualTo(1);
            assertThat(server.error()).contains("choose another --port");
        }
    }

    @Test
    void aClientOfAnotherKindIsRejected() throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0")) {
            String own = System.getProperty("java.home") + "/release";
            CommandRun client = CommandRun.of("file", "put", server.address(), own);

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).contains("this is an echo-server");
        }
    }
}
