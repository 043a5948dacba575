package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What shells make of the scripts; a shell that is not installed is left out. */
class CompletionScriptTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"bash", "zsh"})
    void theScriptIsAcceptedByItsShell(String shell) throws Exception {
        assumeInstalled(shell);
        assertThat(output(shell, "-n", script().toString())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "1, iwarp echo-, echo-server echo-client",
        "2, iwarp perf con, connect",
        "3, iwarp perf client --sw, --sweep",
        "2, iwarp conformance cli, client",
    })
    void bashCompletesCommandsAndOptions(int position, String line, String expected) throws Exception {
        assumeInstalled("bash");
        String completed = output(
                "bash",
                "-c",
                "source " + script() + "; COMP_WORDS=(" + line + "); COMP_CWORD=" + position
                        + "; _complete_iwarp 2>/dev/null; echo ${COMPREPLY[@]}");
        assertThat(completed.split("\\s+")).containsExactlyInAnyOrder(expected.split(" "));
    }

    private Path script() throws IOException {
        CommandRun completion = CommandRun.of("completion");
        assertThat(completion.exitCode()).isZero();
        return Files.writeString(folder.resolve("script"), completion.out());
    }

    private static void assumeInstalled(String shell) {
        boolean installed = List.of(System.getenv("PATH").split(":")).stream()
                .anyMatch(place -> Files.isExecutable(Path.of(place, shell)));
        assumeThat(installed).as(shell + " is installed").isTrue();
    }

    private static String output(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output.strip();
    }
}
