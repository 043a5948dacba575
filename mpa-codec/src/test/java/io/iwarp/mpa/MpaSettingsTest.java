package io.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.iwarp.testing.Requirement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MpaSettingsTest {

    @Test
    @Requirement("MPA-33")
    void defaultsAskForCrcAndForNoMarkers() {
        MpaSettings defaults = MpaSettings.defaults();

        assertThat(defaults.crc()).isTrue();
        assertThat(defaults.requestMarkers()).isFalse();
        assertThat(defaults.start()).isEqualTo(StartMode.REQUEST_REPLY);
        assertThat(defaults.startupTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(defaults.emss()).isZero();
        assertThat(defaults.maximumUlpdu()).isEqualTo(64768);
        assertThat(defaults.refuseEarlyFpdus()).isFalse();
    }

    @Test
    void builderMadeFromSettingsKeepsThemAll() {
        MpaSettings settings = MpaSettings.builder()
                .requestMarkers(true)
                .crc(false)
                .start(StartMode.PREAGREED)
                .startupTimeout(Duration.ofSeconds(3))
                .emss(1448)
                .maximumUlpdu(1000)
                .refuseEarlyFpdus(true)
                .build();

        assertThat(settings.toBuilder().build()).isEqualTo(settings);
        assertThat(settings).isNotEqualTo(MpaSettings.defaults());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 65536})
    void emssOutOfRangeIsRefused(int emss) {
        assertThatIllegalArgumentException()
                .isThrownBy(MpaSettings.builder().emss(emss)::build)
                .withMessageContainingAll("emss is " + emss, "1 to 65535");
    }

    @ParameterizedTest
    @ValueSource(ints = {127, 64769})
    void maximumUlpduOutOfRangeIsRefused(int maximum) {
        assertThatIllegalArgumentException()
                .isThrownBy(MpaSettings.builder().maximumUlpdu(maximum)::build)
                .withMessageContainingAll("maximumUlpdu is " + maximum, "128 to 64768");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.000999999S", "PT24H0.000000001S", "PT9999999999H"})
    void startupTimeoutOutOfRangeIsRefused(String timeout) {
        assertThatIllegalArgumentException()
                .isThrownBy(MpaSettings.builder().startupTimeout(Duration.parse(timeout))::build)
                .withMessageContaining("startupTimeout is " + Duration.parse(timeout));
    }
}
