package io.iwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ConnectionRejectedException;
import io.iwarp.tools.CommandRun;
import io.iwarp.tools.PlainEndpoint;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.util.internal.PlatformDependent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientLimitsTest {
    private final ClientLimits limits = new ClientLimits(4, 20);

    @Test
    void oneAddressGetsHalfOfTheMemory() throws Exception {
        assertThat(limits.take(address(1, 1000), 6)).isEmpty();
        assertThat(limits.take(address(1, 1001), 5)).contains("5 bytes", "limit of 20 bytes", "--max-memory");
        assertThat(limits.take(address(1, 1001), 4)).isEmpty();
        assertThat(limits.take(address(2, 1000), Long.MAX_VALUE)).contains("--max-memory");
        assertThat(limits.take(address(2, 1000), 10)).isEmpty();
        assertThat(limits.take(address(3, 1000), 1)).contains("--max-memory");

        limits.giveBack(address(2, 1000), 10);
        assertThat(limits.take(address(3, 1000), 10)).isEmpty();
    }

    @Test
    void oneAddressGetsHalfOfThePlaces() throws Exception {
        assertThat(limits.take(address(1, 1000), 0)).isEmpty();
        assertThat(limits.take(address(1, 1001), 0)).isEmpty();
        assertThat(limits.take(address(1, 1002), 0)).contains("4 clients, or 2 of one address", "--max-clients");
        assertThat(limits.take(address(2, 1000), 0)).isEmpty();
        assertThat(limits.take(address(3, 1000), 0)).isEmpty();
        assertThat(limits.take(address(4, 1000), 0)).contains("--max-clients");

        limits.giveBack(address(1, 1000), 0);
        assertThat(limits.take(address(4, 1000), 0)).isEmpty();
    }

    @Test
    void withoutOptionsHalfOfTheDirectMemoryIsLeft() throws Exception {
        ClientLimits unlimited = new LimitOptions().limits();
        long quarter = PlatformDependent.maxDirectMemory() / 4;

        assertThat(unlimited.take(address(1, 1000), quarter + 1)).contains("--max-memory");
        assertThat(unlimited.take(address(1, 1000), quarter)).isEmpty();
        assertThat(unlimited.take(address(2, 1000), quarter)).isEmpty();
        assertThat(unlimited.take(address(3, 1000), quarter)).contains("--max-memory");
    }

    @ParameterizedTest
    @CsvSource({
        "echo-server --port 0, iwarp echo 1",
        "counter --listen --port 0, iwarp counter 1",
        "perf server --port 0, iwarp perf connect 2",
        "file serve --port 0 --directory ., iwarp write 1",
        "rping -s -P -p 0, ''"
    })
    void eachServerHasALimit(String line, String greeting) throws Exception {
        try (CommandRun server = CommandRun.start((line + " --max-clients 1").split(" ", -1));
                Endpoint endpoint = PlainEndpoint.open()) {
            InetSocketAddress address =
                    new PeerAddress.Converter().convert(server.address()).resolve();
            byte[] request = greeting.getBytes(StandardCharsets.US_ASCII);
            endpoint.connect(address, QueuePairSettings.DEFAULT, request, first -> {});

            assertThatThrownBy(() -> endpoint.connect(address, QueuePairSettings.DEFAULT, request, second -> {}))
                    .isInstanceOfSatisfying(
                            ConnectionRejectedException.class,
                            rejected -> assertThat(new String(rejected.privateData(), StandardCharsets.UTF_8))
                                    .contains("limit of 1 clients", "--max-clients"));
        }
    }

    private static SocketAddress address(int host, int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByName("192.0.2." + host), port);
    }
}
