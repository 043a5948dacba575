package io.iwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

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

    private static SocketAddress address(int host, int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByName("192.0.2." + host), port);
    }
}
