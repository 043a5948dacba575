package io.iwarp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class ReadmeTest {
    private static final Path README = Path.of("..", "README.md");
    private static final Pattern COMMAND =
            Pattern.compile("^java .*?-jar examples/target/iwarp\\.jar (.*)$", Pattern.MULTILINE);
    private static final Pattern LINK = Pattern.compile("]\\((?!https?:|#)([^)#]+)");

    @ParameterizedTest
    @MethodSource("commands")
    void theCommandsAreUnderstood(String arguments) {
        CommandLine command = Iwarp.commandLine();

        CommandLine.ParseResult parsed = command.parseArgs(arguments.split(" "));

        assertThat(parsed.hasSubcommand()).isTrue();
    }

    static Stream<String> commands() throws IOException {
        return COMMAND.matcher(Files.readString(README)).results().map(command -> command.group(1)).toList().stream();
    }

    @Test
    void theFilesItPointsToExist() throws IOException {
        assertThat(LINK.matcher(Files.readString(README)).results().map(link -> link.group(1)))
                .isNotEmpty()
                .allSatisfy(link -> assertThat(README.resolveSibling(link)).exists());
    }
}
