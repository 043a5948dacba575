package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.tools.cli.ErrorLines;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Where results go: what cannot be written is known before the measurement, and makes the command fail. */
class OutputTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"help", "--version", "demo --size 1K", "completion"})
    void aCommandFailsWhoseOutputCannotBeWritten(String line) {
        StringWriter err = new StringWriter();
        CommandLine command = Iwarp.commandLine();
        command.setOut(new PrintWriter(new FullDisk(), true));
        command.setErr(new PrintWriter(err, true));

        int exitCode = Iwarp.execute(command, line.split(" ", -1));

        assertThat(exitCode).isEqualTo(1);
        assertThat(err.toString().lines())
                .containsExactly("iwarp: stdout cannot be written: the output is not complete");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aProcessFailsWhoseStdoutIsFull() throws Exception {
        Process process = Child.command(List.of(), "help")
                .redirectOutput(Path.of("/dev/full").toFile())
                .start();

        assertThat(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("iwarp: stdout cannot be written");
        assertThat(process.waitFor()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"perf client, --report", "perf client, --json", "perf connect, --json"})
    void anUnwritableFileIsReportedBeforeTheMeasurement(String command, String option) {
        Path file = folder.resolve("none").resolve("file");
        // Nothing listens at this address, so a measurement would fail for another reason.
        List<String> words = List.of((command + " 127.0.0.1:1 " + option + " " + file).split(" ", -1));

        CommandRun run = CommandRun.of(words.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.error())
                .isEqualTo("iwarp " + command + ": " + option + " " + file
                        + " is in no existing directory: create it first");
    }

    @Test
    void aFailedMeasurementLeavesFilesAsTheyWere() throws IOException {
        Path old = Files.writeString(folder.resolve("old.html"), "old");
        Path fresh = folder.resolve("fresh.json");

        CommandRun run =
                CommandRun.of("perf", "client", "127.0.0.1:1", "--report", old.toString(), "--json", fresh.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(old).hasContent("old");
        assertThat(fresh).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"perf client, true", "conformance compare, false"})
    void aFaultOfTheProgramNamesTheOptionThatShowsWhere(String name, boolean has) {
        StringWriter err = new StringWriter();
        CommandLine command = Iwarp.commandLine();
        for (String word : name.split(" ", -1)) {
            command = command.getSubcommands().get(word);
        }
        command.setErr(new PrintWriter(err, true));

        ErrorLines.onFailure(new IllegalStateException("no"), command, command.getParseResult());

        assertThat(err.toString()).contains("this is a fault of the program");
        assertThat(err.toString().contains("--verbose")).isEqualTo(has);
    }

    @ParameterizedTest
    @CsvSource({"perf client 127.0.0.1:1 -v, true", "rping -c -p 1 --verbose, true", "rping -c -p 1 -v, false"})
    void whereACommandFailedIsLoggedOnRequest(String line, boolean logged) throws Exception {
        Process process =
                Child.command(line.split(" ")).redirectErrorStream(true).start();

        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(printed).contains("Connection refused");
        assertThat(printed.contains("\tat ")).as(printed).isEqualTo(logged);
    }

    @Test
    void aPathThatTheLocaleCannotHaveIsNamed() {
        CommandRun run = CommandRun.of("file", "put", "127.0.0.1:1", "a\0b");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("'a\\u0000b' cannot be a path in the encoding of this locale");
    }

    /** Takes nothing. */
    private static final class FullDisk extends Writer {
        @Override
        public void write(char[] buffer, int offset, int length) throws IOException {
            throw new IOException("no space left");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
