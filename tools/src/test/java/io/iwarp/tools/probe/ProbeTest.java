package io.iwarp.tools.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.RefusingPort;
import io.iwarp.tools.CommandRun;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProbeTest {
    private static final byte[] REPLY_KEY = "MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII);
    private static final int REVISION = 17;

    @Test
    void namesAnIwarpServerAndWhatItRejects() throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0", "--ird", "7", "--markers")) {
            CommandRun probe = CommandRun.of("probe", server.address(), "--timeout", "60");

            assertThat(probe.exitCode()).as(probe.err()).isZero();
            assertThat(probe.out())
                    .contains("MPA rev 2    rejected with revision 2, ")
                    .contains("'this is an echo-server, to be used by 'iwarp echo-client''")
                    .contains("the peer requires them", "7, 128 of the peer")
                    .contains("verdict      an iWARP peer, which rejects");
        }
    }

    @Test
    void anAcceptedConnectionIsAVerdict() throws Exception {
        try (CommandRun server = CommandRun.start("rping", "-s", "-P", "-p", "0")) {
            CommandRun probe = CommandRun.of("probe", server.address(), "--timeout", "60");

            assertThat(probe.exitCode()).as(probe.err()).isZero();
            assertThat(probe.out()).contains("verdict      an iWARP peer, which accepts");
        }
    }

    @Test
    void tlsIsNamedAndUsedOnRequest() throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0", "--tls")) {
            String address = server.address();
            assertFails(
                    CommandRun.of("probe", address, "--timeout", "60"), "this is a TLS server: try again with --tls");

            CommandRun probe = CommandRun.of("probe", address, "--timeout", "60", "--tls");

            assertThat(probe.exitCode()).as(probe.err()).isZero();
            assertThat(probe.out()).contains("TLSv1.3", "CN=iwarp", "verdict      an iWARP peer");
        }
    }

    @Test
    void aPeerWithoutTlsIsNamed() throws Exception {
        try (ServerSocket closing = peer((in, out) -> in.read());
                ServerSocket http =
                        peer((in, out) -> out.write("HTTP/1.1 400\r\n".getBytes(StandardCharsets.US_ASCII)))) {
            for (ServerSocket server : List.of(closing, http)) {
                CommandRun probe =
                        CommandRun.of("probe", "127.0.0.1:" + server.getLocalPort(), "--timeout", "60", "--tls");

                assertFails(probe, "the peer does not use TLS: try again without --tls");
                assertThat(probe.out()).contains("TLS          no: ");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP/1.1 400 Bad Request, 'an HTTP server, not an iWARP peer'",
        "SSH-2.0-OpenSSH_9.6, 'an SSH server, not an iWARP peer'",
        "220 mail.example.org, not an iWARP peer: check the port",
        "MPA ID Req Frame of a client, not an iWARP peer",
    })
    void otherProtocolsAreNamed(String greeting, String verdict) throws Exception {
        byte[] bytes = (greeting + "\r\n").getBytes(StandardCharsets.US_ASCII);
        try (ServerSocket server = peer((in, out) -> {
            out.write(bytes);
            in.readAllBytes();
        })) {
            assertFails(probe(server, 60), verdict);
        }
    }

    /** As a server that reads lines: it waits for the end of one. */
    @Test
    void anHttpServerThatWaitsForALineIsNamed() throws Exception {
        try (ServerSocket server = peer((in, out) -> {
            for (int read = in.read(); read >= 0; read = in.read()) {
                if (read == '\n') {
                    out.write("HTTP/1.0 200 OK\r\n".getBytes(StandardCharsets.US_ASCII));
                }
            }
        })) {
            assertFails(probe(server, 5), "an HTTP server");
        }
    }

    @Test
    void aSilentPeerIsNamed() throws Exception {
        try (ServerSocket server = peer((in, out) -> in.readAllBytes())) {
            assertFails(probe(server, 1), "accepts connections, but is silent");
        }
    }

    @Test
    void aPortThatIsClosedIsNamed() throws Exception {
        try (RefusingPort closed = new RefusingPort()) {
            assertFails(probe(closed.port(), 60), "start the server there first");
        }
    }

    /** As siw with MPA revision 1, which closes the connection at a later one. */
    @Test
    void aPeerOfRevisionOneIsNamed() throws Exception {
        try (ServerSocket server = peer((in, out) -> {
            byte[] request = in.readNBytes(20);
            if (request[REVISION] == 1) {
                out.write(REPLY_KEY);
                out.write(new byte[] {request[16], 1, 0, 0});
                in.readAllBytes();
            }
        })) {
            CommandRun probe = probe(server, 60);

            assertThat(probe.exitCode()).as(probe.err()).isZero();
            assertThat(probe.out())
                    .contains("the peer closed the connection without an answer", "accepted with revision 1")
                    .containsPattern("without the\\s+enhanced\\s+set-up");
        }
    }

    @Test
    void jsonIsAllThatStandardOutputHas() throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0")) {
            String address = server.address();
            CommandRun probe = CommandRun.of("probe", address, "--timeout", "60", "--json", "-", "--label", "rack 7");

            assertThat(probe.out().lines())
                    .singleElement()
                    .asString()
                    .startsWith("{\"op\":\"probe\",\"peer\":\"" + address + "\",\"iwarp\":true,")
                    .contains("\"step\":\"TCP\"", "\"time\":\"20", "\"host\":", "\"label\":\"rack 7\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "61"})
    void refusesTimesThatItDoesNotWait(String timeout) {
        assertThat(CommandRun.of("probe", "127.0.0.1:1", "--timeout", timeout).exitCode())
                .isEqualTo(2);
    }

    private static CommandRun probe(ServerSocket server, int seconds) {
        return probe(server.getLocalPort(), seconds);
    }

    private static CommandRun probe(int port, int seconds) {
        return CommandRun.of("probe", "127.0.0.1:" + port, "--timeout", "" + seconds);
    }

    private static void assertFails(CommandRun probe, String verdict) {
        assertThat(probe.exitCode()).isEqualTo(1);
        assertThat(probe.error()).contains(verdict);
    }

    /** What a peer does with a connection. */
    private interface Behaviour {
        void talk(InputStream in, OutputStream out) throws IOException;
    }

    /** Returns a server that treats each connection in the same way until it is closed. */
    private static ServerSocket peer(Behaviour behaviour) throws IOException {
        ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread accepting = new Thread(() -> {
            while (!server.isClosed()) {
                try (Socket connection = server.accept()) {
                    behaviour.talk(connection.getInputStream(), connection.getOutputStream());
                } catch (IOException e) {
                    // The probe has closed its connection, or the test its server.
                    assert e != null;
                }
            }
        });
        accepting.setDaemon(true);
        accepting.start();
        return server;
    }
}
