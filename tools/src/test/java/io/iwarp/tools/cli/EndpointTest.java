package io.iwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.tools.CommandRun;
import io.iwarp.tools.PlainEndpoint;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {
    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll"})
    @EnabledOnOs(OS.LINUX)
    void anIpv4AddressIsListenedToAlone(String transport) throws Exception {
        try (CommandRun server =
                CommandRun.start("echo-server", "--bind", "0.0.0.0", "--port", "0", "--transport", transport)) {
            String address = server.address();

            assertThat(address).startsWith("0.0.0.0:");
            int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
            new Socket(InetAddress.getLoopbackAddress(), port).close();
            byte[] loopback = new byte[16];
            loopback[15] = 1;
            assertThatThrownBy(() -> new Socket(InetAddress.getByAddress(loopback), port).close())
                    .isInstanceOf(IOException.class);
        }
    }

    /** All of 127.0.0.0/8 is this machine. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aClientTriesEachAddressOfAName() throws Exception {
        try (Endpoint endpoint = PlainEndpoint.open();
                IwarpListener listener = endpoint.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        QueuePairSettings.DEFAULT,
                        request -> request.accept())) {
            InetAddress first = InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 2});

            QueuePair queuePair = endpoint.connect(
                    new InetSocketAddress(first, listener.port()), QueuePairSettings.DEFAULT, new byte[0], fresh -> {});

            assertThat(ListenOptions.addressText(queuePair.remoteAddress())).isEqualTo("127.0.0.1:" + listener.port());
        }
    }
}
