package io.iwarp.conformance.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.conformance.ConformanceSuite;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KnownDeviationsTest {
    private final ConformanceSuite suite = new ConformanceSuite();

    @Test
    void theFirstLineThatNamesTheCaseAndTheRoleCounts() {
        KnownDeviations known = read("""
                # a remark
                ! seen in one release only
                server\talways\ta.1 a.2\tserver's
                both\tsometimes\ta.*\tany
                """);
        assertThat(known.find(Role.SERVER, "a.2")).hasValue(new KnownDeviations.Known("server's", false));
        assertThat(known.find(Role.SERVER, "a.3")).hasValue(new KnownDeviations.Known("any", true));
        assertThat(known.find(Role.CLIENT, "a.1")).hasValue(new KnownDeviations.Known("any", true));
        assertThat(known.find(Role.CLIENT, "b.a.1")).isEmpty();
        assertThat(known.basis()).containsExactly("seen in one release only");
    }

    @Test
    void aLineThatCannotBeReadIsToldApart() {
        assertThatThrownBy(() -> read("server\talways\ta.1\n")).hasMessageContaining("has 4 cells, and not 3");
        assertThatThrownBy(() -> read("server\tnever\ta.1\twhy\n")).hasMessageContaining("'never' is neither");
    }

    @ParameterizedTest
    @ValueSource(strings = {"siw", "irdma", "cxgb4"})
    void eachLineNamesCasesThatExistAndSaysWhy(String peer) {
        KnownDeviations known = suite.known(peer);
        for (Role role : Role.values()) {
            assertThat(known.unused(role, suite.cases(role))).as(role.text()).isEmpty();
            assertThat(suite.cases(role))
                    .as(role.text())
                    .anySatisfy(test -> assertThat(known.find(role, test.id())).isPresent());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"irdma", "cxgb4"})
    void listsThatNoPeerHasConfirmedSaySoAndNameTheirSource(String peer) {
        KnownDeviations known = suite.known(peer);
        assertThat(known.basis()).anyMatch(line -> line.contains("no card has been judged yet"));
        for (Role role : Role.values()) {
            assertThat(suite.cases(role))
                    .allSatisfy(test -> assertThat(known.find(role, test.id()))
                            .satisfiesAnyOf(
                                    none -> assertThat(none).isEmpty(),
                                    one -> assertThat(one)
                                            .hasValueSatisfying(deviation -> assertThat(deviation.explanation())
                                                    .contains("Source: drivers/infiniband/hw/"))));
        }
    }

    private static KnownDeviations read(String text) {
        return KnownDeviations.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }
}
