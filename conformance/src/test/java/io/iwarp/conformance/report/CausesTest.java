package io.iwarp.conformance.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.conformance.judge.Level;
import io.iwarp.conformance.judge.Result.Status;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CausesTest {
    @Test
    void theMostFrequentCauseStandsFirst() {
        assertThat(Causes.lines(report(
                        failed("mpa.a", "3 bytes, wrong", "4 bytes"),
                        failed("ddp.a", "the end of the connection (FIN)", "a Terminate with 1/2/01"),
                        failed("rdmap.a", "the end of the connection (FIN)", "a Terminate with 0/2/06"),
                        failed("rule.a", "1", "0"))))
                .containsExactly(
                        "messages of the peer break a rule: 1 case, rule.a: the title of rule.a",
                        "the peer never sends a Terminate: it only ends the connection: 2 cases, as ddp.a"
                                + " (ddp.a, rdmap.a)",
                        "the peer does otherwise: 3 bytes instead of 4 bytes: 1 case, mpa.a: the title of mpa.a");
    }

    @Test
    void aPeerThatSendsSomeTerminatesIsNotSaidToSendNone() {
        Report.Outcome shown = new Report.Outcome(
                "ddp.b",
                "",
                Level.MUST,
                List.of(),
                List.of(),
                Status.FAILED,
                "a Terminate with 1/2/02",
                "a Terminate with 1/2/01",
                "",
                false,
                List.of("< Terminate, QN 2"),
                0);
        assertThat(Causes.lines(report(shown, failed("ddp.a", "nothing", "a Terminate with 1/2/01"))))
                .contains("the peer does not react to what it has to refuse: 1 case, ddp.a");
    }

    @Test
    void swappedLayerAndTypeAreOneCause() {
        String seen = "a Terminate with 2/1/01, with layer and type swapped 1/2/01, which is allowed";
        assertThat(Causes.lines(report(failed("ddp.a", seen, "a Terminate with 1/2/01"))))
                .containsExactly("the peer's Terminates have layer and error type swapped: 1 case, ddp.a");
    }

    @Test
    void thereAreAtMostNineLines() {
        assertThat(Causes.lines(report(IntStream.range(0, 20)
                        .mapToObj(i -> failed("mpa." + i, "kind " + i, "another"))
                        .toArray(Report.Outcome[]::new))))
                .hasSize(9);
    }

    private static Report report(Report.Outcome... outcomes) {
        return new Report("a", "server", "", "", List.of(), List.of(outcomes));
    }

    private static Report.Outcome failed(String id, String seen, String allowed) {
        return new Report.Outcome(
                id,
                (id.startsWith("rule.") ? "in all cases " : "") + "the title of " + id,
                Level.MUST,
                List.of(),
                List.of(),
                Status.FAILED,
                seen,
                allowed,
                "",
                false,
                List.of(),
                0);
    }
}
