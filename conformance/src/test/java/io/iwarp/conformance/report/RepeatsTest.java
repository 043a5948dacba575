package io.iwarp.conformance.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.conformance.judge.Level;
import io.iwarp.conformance.judge.Result.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

class RepeatsTest {
    private static final Report PASSED = report("a", one("case", Status.PASSED, false));

    @Test
    void equalRunsHaveNoDifference() {
        assertThat(Repeats.differences(List.of(PASSED, PASSED))).isEmpty();
        assertThat(Repeats.comparable(List.of(PASSED, PASSED))).isOne();
    }

    @Test
    void aCaseMayDifferOnlyIfItIsKnownToDependOnTheMoment() {
        assertThat(Repeats.differences(List.of(PASSED, report("a", one("case", Status.KNOWN, true)))))
                .isEmpty();
        assertThat(Repeats.differences(List.of(PASSED, report("a", one("case", Status.KNOWN, false)))))
                .containsExactly("a: case is not the same in each run: passed, failed as known; no known deviation"
                        + " explains this");
    }

    @Test
    void aCaseThatIsMissingInOneRunIsADifference() {
        Report more = report("a", one("case", Status.PASSED, false), one("other", Status.PASSED, false));
        assertThat(Repeats.differences(List.of(more, PASSED))).containsExactly("a: other is in 1 of 2 reports");
    }

    @Test
    void aPartialRunIsADifference() {
        Report partial = new Report("a", "server", "", "", List.of("late"), PASSED.outcomes());
        assertThat(Repeats.differences(List.of(partial, partial)))
                .hasSize(2)
                .allMatch(line -> line.startsWith("a: This report is partial: 1 of 2 cases did not run: late"));
    }

    @Test
    void nothingCanBeComparedWithoutCasesOrACommonTitle() {
        assertThat(Repeats.comparable(List.of(PASSED, report("b", one("case", Status.FAILED, false)))))
                .isZero();
        assertThat(Repeats.comparable(List.of(report("a"), report("a")))).isZero();
    }

    private static Report report(String title, Report.Outcome... outcomes) {
        return new Report(title, "server", "siw", "", List.of(), List.of(outcomes));
    }

    private static Report.Outcome one(String id, Status status, boolean sometimes) {
        return new Report.Outcome(
                id, "", Level.MUST, List.of(), List.of(), status, "", "", "", sometimes, List.of(), 0);
    }
}
