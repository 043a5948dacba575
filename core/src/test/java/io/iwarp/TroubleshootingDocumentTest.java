package io.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/troubleshooting.md} has each error number, by its constant, and says what to do about it. */
class TroubleshootingDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "troubleshooting.md");
    private static final Pattern ROW = Pattern.compile(
            "^\\| (0x\\S+) \\| `(\\w+)` \\| ([^|]{10,}) \\| ([^|]{5,}) \\| ([^|]{5,}) \\|$", Pattern.MULTILINE);

    @Test
    void everyErrorStandsThereOnceInTheOrderOfTheNumbers() throws Exception {
        List<String> documented = ROW.matcher(Files.readString(DOCUMENT))
                .results()
                .map(row -> row.group(1) + " " + row.group(2))
                .toList();

        assertThat(documented)
                .containsExactlyElementsOf(Arrays.stream(ProtocolError.values())
                        .map(error -> error.numbers() + " " + error.name())
                        .toList());
    }
}
