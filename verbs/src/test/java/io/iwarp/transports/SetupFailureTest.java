package io.iwarp.transports;

import static io.iwarp.transports.Server.await;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.iwarp.Role;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.metrics.IwarpMetrics;
import io.iwarp.metrics.SetupFailure;
import io.iwarp.metrics.SetupOutcome;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.LogCapture;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an operator sees of a set-up that fails before the application is asked anything. */
class SetupFailureTest {
    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp", Level.DEBUG);

    private final IwarpMetrics metrics = IwarpMetrics.create(IwarpDevice.create());

    /** A peer that does not get so far, and what the failure says. */
    enum Stranger {
        PLAIN_AT_A_TLS_PORT(Security.TLS_1_3, SetupFailure.TLS, "sent no TLS record"),
        GARBAGE(Security.NONE, SetupFailure.MALFORMED, "MPA Request Frame"),
        SILENT(Security.NONE, SetupFailure.TIMED_OUT, "not done within startupTimeout (PT0.2S)"),
        SILENT_AT_A_TLS_PORT(Security.TLS_1_3, SetupFailure.TIMED_OUT, "not done within startupTimeout (PT0.2S)"),
        GONE(Security.NONE, SetupFailure.PEER_CLOSED, "closed");

        private final Security security;
        private final SetupFailure failure;
        private final String message;

        Stranger(Security security, SetupFailure failure, String message) {
            this.security = security;
            this.failure = failure;
            this.message = message;
        }

        private void talk(Socket socket) throws IOException {
            switch (this) {
                case PLAIN_AT_A_TLS_PORT, GARBAGE ->
                    socket.getOutputStream()
                            .write("GET / HTTP/1.1\r\nHost: example\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                case GONE -> socket.close();
                case SILENT, SILENT_AT_A_TLS_PORT -> {
                    // Says nothing, and waits.
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSetUpThatFailsShowsInTheMetricsAndTheLog(Stranger stranger) throws Exception {
        QueuePairSettings settings = QueuePairSettings.builder()
                .metrics(metrics)
                .mpa(MpaSettings.builder()
                        .startupTimeout(
                                stranger.failure == SetupFailure.TIMED_OUT
                                        ? Duration.ofMillis(200)
                                        : Duration.ofHours(1))
                        .build())
                .build();
        Server server = new Server(Transport.NIO, settings, stranger.security.responder(), ConnectionRequest::accept);
        InetSocketAddress address = (InetSocketAddress) server.address();
        int port;
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            port = socket.getLocalPort();
            stranger.talk(socket);
            await(server.nextEnd());
        }
        server.close();

        for (SetupFailure failure : SetupFailure.values()) {
            assertThat(metrics.setupFailures(Role.RESPONDER, failure))
                    .as("%s", failure)
                    .isEqualTo(failure == stranger.failure ? 1 : 0);
        }
        SetupOutcome outcome =
                stranger.failure == SetupFailure.TIMED_OUT ? SetupOutcome.TIMED_OUT : SetupOutcome.FAILED;
        assertThat(metrics.setups(Role.RESPONDER, outcome)).isOne();
        assertThat(log.events())
                .filteredOn(line -> line.getFormattedMessage().contains("set-up failed: "))
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.getLevel()).isEqualTo(Level.DEBUG);
                    assertThat(line.getFormattedMessage())
                            .startsWith("[id: 0x")
                            .contains(":" + port + "]", stranger.message);
                });
    }
}
