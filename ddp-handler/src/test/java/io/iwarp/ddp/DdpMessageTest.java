package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DdpMessageTest {
    @ParameterizedTest
    @ValueSource(ints = {-1, 4, 0x7FFF_FFFF})
    void thereAreFourQueues(int queue) {
        assertThatThrownBy(() -> new DdpMessage().untagged(0x43, 0, queue))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is outside 0..3");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 256})
    void theControlByteIsAnByte(int control) {
        assertThatThrownBy(() -> new DdpMessage().untagged(control, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DdpMessage().tagged(control, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aMessageOnItsWayKeepsItsAddress() {
        DdpMessage message = new DdpMessage().untagged(0x43, 0, 0);
        message.submit(null);

        assertThatThrownBy(() -> message.tagged(0x40, 1, 2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("wait for onSent");
        message.complete();
        assertThat(message.tagged(0x40, 1, 2).tagged()).isTrue();
    }

    @Test
    void anotherUseOfAMessageIsNotFinal() {
        DdpMessage message = new DdpMessage().untagged(0x47, 0, 2).terminal(true);
        assertThat(message.terminal()).isTrue();

        assertThat(message.untagged(0x43, 0, 0).terminal()).isFalse();
    }

    @Test
    void textOmitsThePayload() {
        assertThat(DdpChannel.message("secret"))
                .hasToString("DdpMessage[QN 0, RsvdULP rest 0x0, control 0x43, 6 bytes]");
        assertThat(DdpChannel.terminate())
                .hasToString("DdpMessage[QN 2, RsvdULP rest 0x0, control 0x47, 1 bytes, terminal]");
        assertThat(new DdpMessage().tagged(0x40, 0xCAFE, -1))
                .hasToString("DdpMessage[STag 0x0000cafe, TO 0xffffffffffffffff, control 0x40, 0 bytes]");
    }
}
