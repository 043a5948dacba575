package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The README and all pages: the commands that they name, and the files and headings that they point to. */
class ReadmeTest {
    private static final Path ROOT = Path.of("..");
    private static final Set<String> MEASUREMENTS = Set.of("performance.md", "experiments.md");
    private static final Pattern COMMAND =
            Pattern.compile("^(?:.*&& )?\\./iwarp ([^#&|\\n]*?) *(?:[#&|].*)?$", Pattern.MULTILINE);
    private static final Pattern JAR = Pattern.compile("^java .*-jar .*/", Pattern.MULTILINE);
    private static final Pattern LINK = Pattern.compile("]\\((?!https?:|#)([^)#]+)");
    private static final Pattern LINK_TO_HEADING = Pattern.compile("]\\(((?!https?:)[^)#]*)#([^)]+)\\)");
    /** A rate or a latency, but not the limits of a setting. */
    private static final Pattern SPEED = Pattern.compile(
            "\\d ?(?:[uµn]s(?! to )|[kMG]i?B/s|[kMG]bit/s|/s|(?:million |thousand )?\\w+ (?:a|per) second)\\b");

    private static final Pattern OUTPUT_OR_CODE = Pattern.compile("^```.*?^```", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern RESULTS =
            Pattern.compile("^## Results\\n.*?(?=^## |\\z)", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern HEADING = Pattern.compile("^#+ +(.*)$", Pattern.MULTILINE);

    @ParameterizedTest
    @MethodSource("commands")
    void theCommandsAreUnderstood(Path page, String arguments) {
        CommandLine command = Iwarp.commandLine();

        CommandLine.ParseResult parsed = command.parseArgs(arguments.split(" "));

        assertThat(parsed.hasSubcommand()).as("%s: iwarp %s", page, arguments).isTrue();
    }

    static Stream<Arguments> commands() throws IOException {
        List<Arguments> commands = new ArrayList<>();
        for (Path page : pages()) {
            for (MatchResult command :
                    COMMAND.matcher(Files.readString(page)).results().toList()) {
                commands.add(Arguments.of(page, command.group(1)));
            }
        }
        return commands.stream();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void theFilesItPointsToExist(Path page) throws IOException {
        assertThat(LINK.matcher(Files.readString(page)).results().map(link -> link.group(1)))
                .allSatisfy(link -> assertThat(page.resolveSibling(link)).exists());
    }

    @ParameterizedTest
    @MethodSource("pages")
    void theHeadingsItPointsToExist(Path page) throws IOException {
        for (MatchResult link :
                LINK_TO_HEADING.matcher(Files.readString(page)).results().toList()) {
            Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
            assertThat(anchors(target)).as("headings of %s", target).contains(link.group(2));
        }
    }

    /** Returns the anchors that GitHub makes of a page's headings. */
    private static List<String> anchors(Path page) throws IOException {
        return HEADING.matcher(Files.readString(page))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void theCommandIsStartedByItsLauncher(Path page) throws IOException {
        assertThat(JAR.matcher(Files.readString(page)).results().map(MatchResult::group))
                .isEmpty();
    }

    /** Elsewhere they would contradict the results, which change with each measurement. */
    @ParameterizedTest
    @MethodSource("pages")
    void onlyPagesOfMeasurementsHaveFiguresOfSpeed(Path page) throws IOException {
        if (MEASUREMENTS.contains(page.getFileName().toString())) {
            return;
        }
        String text = RESULTS.matcher(
                        OUTPUT_OR_CODE.matcher(Files.readString(page)).replaceAll(""))
                .replaceAll("");
        assertThat(SPEED.matcher(text).results().map(MatchResult::group)).isEmpty();
    }

    static List<Path> pages() throws IOException {
        try (Stream<Path> root = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(root, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }
}
