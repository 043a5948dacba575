package io.iwarp.conformance.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.conformance.judge.Level;
import io.iwarp.conformance.judge.Result.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;

/** Each format of a report: what it shows of hostile texts, of partial runs, and what it takes for a report. */
class ReportFormatTest {
    private static final String HOSTILE = "\u001b[2J\u0000\u202e\ud800\uffff<script>\"&";
    private static final String HARMLESS = "\\u001b[2J\\u0000\\u202e\\ud800\\uffff<script>\"&";

    @TempDir
    private Path folder;

    @Test
    void textsOfUserAndPeerAreEscapedInEachFormat() throws Exception {
        Report.Outcome one = new Report.Outcome(
                HOSTILE,
                HOSTILE,
                Level.MUST,
                List.of(HOSTILE),
                List.of(HOSTILE),
                Status.FAILED,
                HOSTILE,
                HOSTILE,
                HOSTILE,
                false,
                List.of(HOSTILE),
                0);
        Report report = new Report(HOSTILE, HOSTILE, HOSTILE, HOSTILE, List.of(HOSTILE), List.of(one));
        Path file = folder.resolve("report");
        for (Writer writer :
                List.<Writer>of(Html::write, (any, path) -> Comparison.write(List.of(report, report), path))) {
            writer.write(report, file);
            assertThat(Files.readString(file))
                    .doesNotContain("<script>", "\u001b", "\u0000", "\u202e")
                    .contains("\\u001b[2J\\u0000\\u202e\\ud800\\uffff&lt;script&gt;&quot;&amp;");
        }
        JUnit.write(report, file);
        Element suite = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(file.toFile())
                .getDocumentElement();
        assertThat(suite.getAttribute("name")).isEqualTo("conformance of " + HARMLESS);
        Json.write(report, file);
        assertThat(Json.read(file)).isEqualTo(report);
        assertThat(report.title()).isEqualTo(HARMLESS);
    }

    private interface Writer {
        void write(Report report, Path file) throws IOException;
    }

    @Test
    void aPartialReportSaysSoInEachFormat() throws Exception {
        Report report = new Report("peer", "server", "", "", List.of("ddp.b", "ddp.c"), List.of());
        Path file = folder.resolve("report");
        String sentence = "This report is partial: 2 of 2 cases did not run: ddp.b, ddp.c";
        Html.write(report, file);
        assertThat(file).content().contains(sentence);
        JUnit.write(report, file);
        assertThat(file).content().contains("tests=\"1\"", "errors=\"1\"", "<error message=\"" + sentence);
        Json.write(report, file);
        assertThat(Json.read(file)).isEqualTo(report);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"x\":1}|it has no field title",
                "[]|it has no object",
                "''|it has no object",
                "{\"title\":{}}|its field title is an object",
                "{\"title\":\"a\"|Unexpected end-of-input",
                "{\"title\":\"a\",\"role\":\"\",\"peer\":\"\",\"options\":\"\",\"missing\":[]}|it has no field cases",
            })
    void aFileThatIsNoReportIsRefused(String content, String reason) throws Exception {
        Path file = Files.writeString(folder.resolve("other.json"), content);
        assertThatThrownBy(() -> Json.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("other.json is no report of the suite: " + reason);
    }

    @Test
    void aStatusThatTheSuiteDoesNotWriteIsRefused() throws Exception {
        Report.Outcome one = new Report.Outcome(
                "id", "", Level.MUST, List.of(), List.of(), Status.FAILED, "", "", "", false, List.of(), 0);
        Path file = folder.resolve("report.json");
        Json.write(new Report("a", "", "", "", List.of(), List.of(one)), file);
        Files.writeString(file, Files.readString(file).replace("FAILED", "<script>"));
        assertThatThrownBy(() -> Json.read(file)).hasMessageContaining("its field status is <script>");
    }

    @Test
    void aFileInAnotherEncodingIsRefused() throws Exception {
        Path file = Files.write(
                folder.resolve("latin.json"), "{\"title\":\"\u00fc\"}".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> Json.read(file)).hasMessageContaining("it is not UTF-8");
    }
}
