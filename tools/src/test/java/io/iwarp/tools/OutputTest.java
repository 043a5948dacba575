package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

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
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.iwarp.tools.Iwarp",
                        "help")
                .redirectOutput(Path.of("/dev/full").toFile())
                .start();

        assertThat(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("iwarp: stdout cannot be written");
        assertThat(process.waitFor()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"perf client, --report", "perf client, --json", "perf connect, --json"})
    void aFileThatCannotBeWrittenIsToldBeforeTheMeasurement(String command, String option) {
        Path file = folder.resolve("none").resolve("file");
        // Nobody listens at this address, so a measurement would fail for another reason.
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
