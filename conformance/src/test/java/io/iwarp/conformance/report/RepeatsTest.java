package io.iwarp.conformance.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RepeatsTest {
    @Test
    void runsThatAgreeNeedNoExplanation() {
        List<Report> runs = List.of(report("a", one("PASSED", false)), report("a", one("PASSED", false)));
        assertThat(Repeats.different(runs)).isEmpty();
        assertThat(Repeats.unexplained(runs)).isEmpty();
    }

    @Test
    void aCaseThatEndsDifferentlyIsToldUnlessItIsKnownToDependOnTheMoment() {
        List<Report> known = List.of(report("a", one("PASSED", false)), report("a", one("KNOWN", true)));
        assertThat(Repeats.different(known)).containsExactly("case");
        assertThat(Repeats.unexplained(known)).isEmpty();
        List<Report> unknown = List.of(report("a", one("PASSED", false)), report("a", one("KNOWN", false)));
        assertThat(Repeats.unexplained(unknown))
                .singleElement()
                .asString()
                .startsWith("a: case is not the same in each run");
    }

    @Test
    void peersWithDifferentTitlesAreNotHeldAgainstEachOther() {
        List<Report> peers = List.of(report("a", one("PASSED", false)), report("b", one("FAILED", false)));
        assertThat(Repeats.unexplained(peers)).isEmpty();
    }

    private static Report report(String title, Report.Outcome outcome) {
        return new Report(title, "server", "siw", "", List.of(outcome));
    }

    private static Report.Outcome one(String status, boolean sometimes) {
        return new Report.Outcome(
                "case", "", "MUST", List.of(), List.of(), status, "", "", "", sometimes, List.of(), 0);
    }
}
