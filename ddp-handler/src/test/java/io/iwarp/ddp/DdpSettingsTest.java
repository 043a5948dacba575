package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DdpSettingsTest {
    @Test
    void theDefaultWindowIsOneMebibyte() {
        assertThat(DdpSettings.DEFAULT.transmitWindow()).isEqualTo(1 << 20);
    }

    @ParameterizedTest
    @ValueSource(ints = {(128 << 10) - 1, (1 << 30) + 1, 0, -1})
    void aWindowOutsideTheRangeIsRefused(int window) {
        assertThatThrownBy(() -> DdpSettings.DEFAULT.withTransmitWindow(window))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("transmitWindow of %d bytes is outside 131072..1073741824", window);
    }

    @ParameterizedTest
    @ValueSource(ints = {128 << 10, 1 << 30})
    void theEndsOfTheRangeAreAllowed(int window) {
        assertThat(DdpSettings.DEFAULT.withTransmitWindow(window).transmitWindow())
                .isEqualTo(window);
    }
}
