package io.iwarp.requirements;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestReportsTest {
    private static final String REPORT = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuite name="a.BTest" tests="6">
              <properties><property name="skipped" value="1"/></properties>
              <testcase name="passes" classname="a.BTest" time="0"/>
              <testcase name="isOff" classname="a.BTest" time="0"><skipped message="@Disabled"/></testcase>
              <testcase name="fails" classname="a.BTest" time="0"><failure type="A">at a.B</failure></testcase>
              <testcase name="breaks" classname="a.BTest" time="0"><error type="A">at a.B</error></testcase>
              <testcase name="onSome(Transport)[1]" classname="a.BTest" time="0"><skipped message="epoll"/></testcase>
              <testcase name="onSome(Transport)[2]" classname="a.BTest" time="0"><system-out>x</system-out></testcase>
              <testcase name="failsWithSome(int)[1]" classname="a.BTest" time="0"/>
              <testcase name="failsWithSome(int)[2]" classname="a.BTest" time="0"><failure type="A"/></testcase>
              <testcase name="inside" classname="a.BTest$Inner" time="0"/>
            </testsuite>
            """;

    private static final String ALL_OFF = """
            <testsuite name="a.CTest"><testcase name="" classname="a.CTest"><skipped/></testcase></testsuite>
            """;

    private final TestReports reports = new TestReports();

    private void read(String report) throws IOException {
        reports.read(new ByteArrayInputStream(report.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void onlyWhatRanAndPassedIsAProof() throws IOException {
        read(REPORT);
        read(ALL_OFF);
        assertThat(reports.passed("a.BTest", "passes")).isTrue();
        assertThat(reports.passed("a.BTest", "isOff")).isFalse();
        assertThat(reports.passed("a.BTest", "fails")).isFalse();
        assertThat(reports.passed("a.BTest", "breaks")).isFalse();
        assertThat(reports.passed("a.BTest", "onSome")).isTrue();
        assertThat(reports.passed("a.BTest", "failsWithSome")).isFalse();
        assertThat(reports.passed("a.BTest$Inner", "inside")).isTrue();
        assertThat(reports.passed("a.BTest", "neverHeardOf")).isFalse();
        assertThat(reports.passed("a.DTest", "passes")).isFalse();
    }

    @Test
    void aClassIsAProofIfAnythingInItPassed() throws IOException {
        read(REPORT);
        read(ALL_OFF);
        assertThat(reports.passed("a.BTest", "")).isTrue();
        assertThat(reports.passed("a.CTest", "")).isFalse();
        assertThat(reports.tells("a.CTest")).isTrue();
        assertThat(reports.tells("a.DTest")).isFalse();
    }

    @Test
    void aReportIsWorthNothingOnceTheClassWasCompiledAgainOrIsGone(@TempDir Path module) throws IOException {
        Path report = module.resolve("target/surefire-reports/TEST-a.BTest.xml");
        Path compiled = module.resolve("target/test-classes/a/BTest.class");
        Files.createDirectories(report.getParent());
        Files.createDirectories(compiled.getParent());
        Files.writeString(report, REPORT);
        reports.readModule(module);
        assertThat(reports.tells("a.BTest")).as("no class").isFalse();

        Files.createFile(compiled);
        FileTime written = Files.getLastModifiedTime(report);
        Files.setLastModifiedTime(compiled, FileTime.fromMillis(written.toMillis() + 1000));
        reports.readModule(module);
        assertThat(reports.tells("a.BTest")).as("compiled after the report").isFalse();

        Files.setLastModifiedTime(compiled, FileTime.fromMillis(written.toMillis() - 1000));
        reports.readModule(module);
        assertThat(reports.tells("a.BTest")).isTrue();
    }

    @Test
    void aModuleWithoutReportsProvesNothing(@TempDir Path module) throws IOException {
        reports.readModule(module);
        assertThat(reports.tells("a.BTest")).isFalse();
    }
}
