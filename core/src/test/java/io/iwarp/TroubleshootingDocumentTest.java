package io.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/troubleshooting.md} says for each error of {@link ProtocolError} what to do, and names no other. */
class TroubleshootingDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "troubleshooting.md");
    private static final Pattern ROW = Pattern.compile("^\\| 0x\\S+ `.*$", Pattern.MULTILINE);

    private static String row(ProtocolError error) {
        String[] parts = error.explanation().split("; ", -1);
        assertThat(parts).as("what happened, and what to do").hasSize(2);
        return "| " + error.numbers() + " `" + error.name() + "` | " + parts[1] + " |";
    }

    @Test
    void everyErrorStandsThereWithItsRemedy() throws Exception {
        List<String> rows = Arrays.stream(ProtocolError.values())
                .map(TroubleshootingDocumentTest::row)
                .toList();

        assertThat(ROW.matcher(Files.readString(DOCUMENT)).results().map(MatchResult::group))
                .as("rows of errors, which ought to be:%n%s", String.join("\n", rows))
                .containsExactlyElementsOf(rows);
    }
}
