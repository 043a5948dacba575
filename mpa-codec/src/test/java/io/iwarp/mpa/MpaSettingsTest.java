package io.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.testing.Requirement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MpaSettingsTest {

    @Test
    @Requirement("MPA-33")
    void defaultsAskForCrcAndForNoMarkers() {
        MpaSettings defaults = MpaSettings.DEFAULT;

        assertThat(defaults.crc()).isTrue();
        assertThat(defaults.requestMarkers()).isFalse();
        assertThat(defaults.start()).isEqualTo(StartMode.REQUEST_REPLY);
        assertThat(defaults.startupTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(defaults.emss()).isZero();
        assertThat(defaults.mulpdu()).isEqualTo(64768);
        assertThat(defaults.refuseEarlyFpdus()).isFalse();
        assertThat(defaults.revision()).isEqualTo(2);
        assertThat(defaults.enhanced()).isFalse();
        assertThat(defaults.ird()).isEqualTo(128);
        assertThat(defaults.ord()).isEqualTo(128);
        assertThat(defaults.negotiateDepths()).isTrue();
        assertThat(defaults.peerToPeer()).isFalse();
        assertThat(defaults.readyToReceive()).containsExactlyInAnyOrder(ReadyToReceive.values());
    }

    @Test
    void builderMadeFromSettingsKeepsThemAll() {
        MpaSettings settings = MpaSettings.builder()
                .requestMarkers(true)
                .crc(false)
                .start(StartMode.PREAGREED)
                .startupTimeout(Duration.ofSeconds(3))
                .emss(1448)
                .mulpdu(1000)
                .refuseEarlyFpdus(true)
                .revision(1)
                .ird(3)
                .ord(4)
                .negotiateDepths(false)
                .readyToReceive(Set.of(ReadyToReceive.READ))
                .build();
        MpaSettings enhanced = MpaSettings.builder().enhanced(true).build();
        MpaSettings peerToPeer = MpaSettings.builder().peerToPeer(true).build();

        for (MpaSettings each : new MpaSettings[] {settings, enhanced, peerToPeer}) {
            assertThat(each.toBuilder().build()).isEqualTo(each);
            assertThat(each).isNotEqualTo(MpaSettings.DEFAULT);
        }
    }

    @Test
    void thePeerToPeerModelIsPartOfTheEnhancedSetup() {
        MpaSettings settings =
                MpaSettings.builder().peerToPeer(true).ird(3).emss(1448).build();

        assertThat(settings.enhanced()).isTrue();
        assertThat(settings.withoutEnhancedSetup())
                .isEqualTo(MpaSettings.builder().ird(3).emss(1448).build());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 16383, 65536})
    @Requirement("SETUP-27")
    void depthsOutOfRangeAreRefused(int depth) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MpaSettings.builder().ird(depth))
                .withMessageContainingAll("ird: " + depth, "0 to 16,382");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MpaSettings.builder().ord(depth))
                .withMessageContainingAll("ord: " + depth, "0 to 16,382");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, -1})
    void revisionOutOfRangeIsRefused(int revision) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MpaSettings.builder().revision(revision))
                .withMessageContainingAll("revision: " + revision, "1 to 2");
    }

    @Test
    @Requirement("SETUP-1")
    void enhancedSetupNeedsRevisionTwoAndFrames() {
        assertThatIllegalArgumentException()
                .isThrownBy(MpaSettings.builder().enhanced(true).revision(1)::build)
                .withMessageContaining("need revision 2");
        assertThatIllegalArgumentException()
                .isThrownBy(MpaSettings.builder().peerToPeer(true).start(StartMode.PREAGREED)::build)
                .withMessageContaining("REQUEST_REPLY");
    }

    @Test
    @Requirement("SETUP-17")
    void atLeastOneRtrKindHasToBePossible() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MpaSettings.builder().readyToReceive(Set.of()))
                .withMessageContaining("readyToReceive: [] (expected: at least one kind)");
    }

    @Test
    void changingTheSetOutsideChangesNoSettings() {
        Set<ReadyToReceive> kinds = EnumSet.of(ReadyToReceive.READ);
        MpaSettings settings = MpaSettings.builder().readyToReceive(kinds).build();
        kinds.add(ReadyToReceive.SEND);

        assertThat(settings.readyToReceive()).containsExactly(ReadyToReceive.READ);
        assertThatThrownBy(() -> settings.readyToReceive().add(ReadyToReceive.SEND))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 65536})
    void emssOutOfRangeIsRefused(int emss) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MpaSettings.builder().emss(emss))
                .withMessageContainingAll("emss: " + emss, "0 to 65,535");
    }

    @ParameterizedTest
    @ValueSource(ints = {127, 64769})
    void mulpduOutOfRangeIsRefused(int maximum) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MpaSettings.builder().mulpdu(maximum))
                .withMessageContainingAll("mulpdu: " + maximum, "128 to 64,768");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.000999999S", "PT24H0.000000001S", "PT9999999999H"})
    void startupTimeoutOutOfRangeIsRefused(String timeout) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MpaSettings.builder().startupTimeout(Duration.parse(timeout)))
                .withMessageContaining("startupTimeout: " + Duration.parse(timeout));
    }
}
