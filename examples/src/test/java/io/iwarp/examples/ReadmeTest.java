package io.iwarp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
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
    private static final Path EXAMPLE = Path.of("src", "test", "java", "io", "iwarp", "examples", "ReadmeExample.java");
    private static final String BEGIN = "// [README]\n";
    private static final Pattern CODE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern COMMAND =
            Pattern.compile("^java .*?-jar examples/target/iwarp\\.jar (.*)$", Pattern.MULTILINE);
    private static final Pattern LINK = Pattern.compile("]\\((?!https?:|#)([^)#]+)");

    @Test
    void theCodeIsThatOfTheExample() throws IOException {
        String source = Files.readString(EXAMPLE);

        assertThat(CODE.matcher(Files.readString(README)).results().map(code -> code.group(1)))
                .containsExactly(source.substring(source.indexOf(BEGIN) + BEGIN.length()));
    }

    @Test
    void theExampleRuns() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            ReadmeExample.main(new String[0]);
        } finally {
            System.setOut(before);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("client: read back: written by RDMA", "server: written by RDMA");
    }

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
