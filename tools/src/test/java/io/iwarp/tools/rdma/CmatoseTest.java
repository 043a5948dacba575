package io.iwarp.tools.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.mpa.MpaSettings;
import io.iwarp.tools.CommandRun;
import io.iwarp.tools.PlainEndpoint;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CmatoseTest {
    private static final Pattern LISTENING = Pattern.compile("listening on 127.0.0.1:(\\d+),.*");

    @ParameterizedTest
    @CsvSource({"1, 10, 100", "5, 3, 70000", "3, 200, 1", "2, 1, 0", "2, 0, 100"})
    void allMessagesOfAllConnectionsArrive(String connections, String count, String size) throws Exception {
        String[] common = {"-c", connections, "-C", count, "-S", size};
        try (CommandRun server = start("-p", "0", common)) {
            String port = server.awaitLine(LISTENING).group(1);
            CommandRun client = start("-s", "127.0.0.1", common, "-p", port);

            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(server.exitCode()).as(server.err()).isZero();
            assertThat(client.out()).contains("data transfers complete", "test complete");
            assertThat(server.out()).contains("data transfers complete", "disconnected", "test complete");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theServerListensAtItsAddress() throws Exception {
        try (CommandRun server = CommandRun.start("cmatose", "-b", "127.0.0.2", "-p", "0")) {
            String port = server.awaitLine(Pattern.compile("listening on 127.0.0.2:(\\d+),.*"))
                    .group(1);

            assertThat(CommandRun.of("cmatose", "-s", "127.0.0.2", "-p", port).exitCode())
                    .isZero();
        }
    }

    @Test
    void endsOfDifferentSizesFail() throws Exception {
        try (CommandRun server = CommandRun.start("cmatose", "-p", "0", "-S", "10")) {
            String port = server.awaitLine(LISTENING).group(1);
            CommandRun client = CommandRun.of("cmatose", "-s", "127.0.0.1", "-p", port, "-S", "11");

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).contains("10 bytes instead of 11");
            assertThat(server.exitCode()).isEqualTo(1);
        }
    }

    /** The server ends at the first of the replies, as one that is killed does. */
    @Test
    void aClientWhoseRepliesAreLostFails() throws Exception {
        int count = 60;
        int size = 1 << 20;
        QueuePairSettings settings =
                QueuePairSettings.builder().receiveQueueDepth(count).build();
        try (Endpoint endpoint = PlainEndpoint.open();
                IwarpListener server = endpoint.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), settings, request -> {
                            QueuePair queuePair = request.queuePair();
                            queuePair.receive(Unpooled.buffer(size, size)).thenRun(queuePair::abort);
                            request.accept();
                            for (int i = 0; i < count; i++) {
                                queuePair.send(Unpooled.buffer(size, size).writeZero(size));
                            }
                        })) {
            int port = ((InetSocketAddress) server.localAddress()).getPort();
            CommandRun client =
                    CommandRun.of("cmatose", "-s", "127.0.0.1", "-p", "" + port, "-C", "" + count, "-S", "" + size);

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).contains("cmatose: ");
            assertThat(client.out()).doesNotContain("complete");
        }
    }

    @Test
    void aConnectionTooManyIsTurnedAway() throws Exception {
        try (CommandRun server = CommandRun.start("cmatose", "-p", "0", "-c", "1")) {
            String port = server.awaitLine(LISTENING).group(1);
            CommandRun client = CommandRun.of("cmatose", "-s", "127.0.0.1", "-p", port, "-c", "2");

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.err()).contains("as many connections as -c says");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientWithoutPeerToPeerSetUpIsReported(boolean enhanced) throws Exception {
        try (CommandRun server = CommandRun.start("cmatose", "-p", "0");
                Endpoint endpoint = PlainEndpoint.open()) {
            int port = Integer.parseInt(server.awaitLine(LISTENING).group(1));
            MpaSettings mpa = MpaSettings.builder().enhanced(enhanced).build();
            endpoint.beginConnect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                    QueuePairSettings.builder().mpa(mpa).build(),
                    new byte[0],
                    queuePair -> {});

            assertThat(server.exitCode()).isEqualTo(1);
            assertThat(server.err())
                    .contains("did not request the peer-to-peer set-up")
                    .contains("iwarp cmatose -s");
        }
    }

    private static CommandRun start(String option, String value, String[] common, String... more) {
        String[] arguments = new String[3 + common.length + more.length];
        arguments[0] = "cmatose";
        arguments[1] = option;
        arguments[2] = value;
        System.arraycopy(common, 0, arguments, 3, common.length);
        System.arraycopy(more, 0, arguments, 3 + common.length, more.length);
        return CommandRun.start(arguments);
    }
}
