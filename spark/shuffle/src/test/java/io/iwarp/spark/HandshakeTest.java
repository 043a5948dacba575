package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.RemoteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class HandshakeTest {
    private static final RemoteBuffer DIRECTORY = new RemoteBuffer(9, 0, Directory.length(64));

    @Test
    void theExecutorThatIsMeantAgrees() {
        assertThat(Handshake.objection(Handshake.request("app", "12"), "app", "12"))
                .isNull();
    }

    @Test
    void othersObject() {
        byte[] request = Handshake.request("app", "12");

        assertThat(Handshake.objection(request, "app", "1")).contains("this is executor 1, not 12");
        assertThat(Handshake.objection(request, "other", "12")).contains("belongs to application other, not to app");
        assertThat(Handshake.objection(new byte[0], "app", "12")).contains("no executor");
        assertThat(Handshake.objection(Arrays.copyOf(request, request.length - 1), "app", "12"))
                .contains("incomplete");
    }

    @Test
    void anotherVersionIsNamedOnEitherSide() {
        byte[] request = Handshake.request("app", "12");
        request[5] = 9;
        byte[] acceptance = Handshake.acceptance(DIRECTORY, 64);
        acceptance[5] = 9;

        assertThat(Handshake.objection(request, "app", "12")).contains("version 9");
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
