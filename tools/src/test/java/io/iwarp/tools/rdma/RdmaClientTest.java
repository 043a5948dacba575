package io.iwarp.tools.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.tools.CommandRun;
import org.junit.jupiter.api.Test;

class RdmaClientTest {
    @Test
    void bothEndsExchangeAMessageAndEnd() throws Exception {
        try (CommandRun server = CommandRun.start("rdma-server", "--port", "0")) {
            CommandRun client = CommandRun.of("rdma-client", server.address());

            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(client.out().lines()).containsExactly("rdma_client: start", "rdma_client: end 0");
            assertThat(server.exitCode()).as(server.err()).isZero();
            assertThat(server.out()).startsWith("rdma_server: start").contains("rdma_server: end 0");
        }
    }

    @Test
    void aClientThatIsAnotherProgramFailsTheServer() throws Exception {
        try (CommandRun server = CommandRun.start("rdma-server", "--port", "0")) {
            CommandRun client = CommandRun.of("echo-client", server.address());

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(server.exitCode()).isEqualTo(1);
        }
    }
}
