package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.RemoteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class HandshakeTest {
    private static final RemoteBuffer DIRECTORY = new RemoteBuffer(9, 0, Directory.length(64));

    private final Handshake handshake = new Handshake(Handshake.newSecret());

    @Test
    void theExecutorThatIsMeantAgrees() {
        assertThat(handshake.objection(handshake.request("12"), "12")).isNull();
    }

    @Test
    void othersObjectWithoutAWordOfThePeer() {
        byte[] request = handshake.request("12");
        Handshake other = new Handshake(Handshake.newSecret());

        assertThat(handshake.objection(request, "1")).contains("does not prove").contains("executor 1");
        assertThat(other.objection(request, "12")).contains("does not prove");
        assertThat(handshake.objection(new byte[0], "12")).contains("no executor");
        assertThat(handshake.objection(Arrays.copyOf(request, request.length - 1), "12"))
                .contains("does not prove");
        assertThat(handshake.objection(Arrays.copyOf(request, request.length + 1), "12"))
                .contains("does not prove");
    }

    @Test
    void anotherVersionIsNamedOnEitherSide() {
        byte[] request = handshake.request("12");
        request[5] = 9;
        byte[] acceptance = Handshake.acceptance(DIRECTORY, 64);
        acceptance[5] = 9;

        assertThat(handshake.objection(request, "12")).contains("version 9");
        assertThatThrownBy(() -> Handshake.directory(acceptance)).hasMessageContaining("version 9");
    }

    @Test
    void theDirectoryArrivesAsItWasSent() {
        Handshake.RemoteDirectory directory = Handshake.directory(Handshake.acceptance(DIRECTORY, 64));

        assertThat(directory.memory()).isEqualTo(DIRECTORY);
        assertThat(directory.slots()).isEqualTo(64);
    }

    @Test
    void aDirectoryThatIsNoneIsRefused() {
        assertThatThrownBy(() -> Handshake.directory(new byte[3])).hasMessageContaining("no executor");
        assertThatThrownBy(() -> Handshake.directory(Handshake.acceptance(DIRECTORY, 128)))
                .hasMessageContaining("128 slots");
        assertThatThrownBy(() -> Handshake.directory(Handshake.acceptance(DIRECTORY, -64)))
                .hasMessageContaining("-64 slots");
    }
}
