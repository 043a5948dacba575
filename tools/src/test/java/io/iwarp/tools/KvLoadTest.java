package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a cache begins with, and what outlives its clients. */
class KvLoadTest {
    @TempDir
    private Path folder;

    @Test
    void aTableIsLoaded() throws Exception {
        Path file = Files.writeString(
                folder.resolve("table"), "# name\tport\nssh\t22\r\n\nhttp\t\t80\nssh\t23\nnew york\tNY");
        try (KvCacheRun cache = KvCacheRun.start("--load", file.toString())) {
            assertThat(cache.out())
                    .contains("loaded 3 keys")
                    .contains("lines that replaced an earlier value: 1, lines skipped: 0");
            assertThat(cache.does("get", "ssh").out()).isEqualToIgnoringNewLines("23");
            assertThat(cache.does("get", "http").out()).isEqualToIgnoringNewLines("80");
            assertThat(cache.does("get", "new york").out()).isEqualToIgnoringNewLines("NY");
        }
    }

    @Test
    void linesOfAnyOtherFileHaveTheirNumberAsKey() throws Exception {
        Path file = Files.writeString(folder.resolve("words"), "aardvark\n\n# zebra\n");
        try (KvCacheRun cache = KvCacheRun.start("--load", file.toString())) {
            assertThat(cache.does("get", "1").out()).isEqualToIgnoringNewLines("aardvark");
            assertThat(cache.does("get", "3").out()).isEqualToIgnoringNewLines("# zebra");
            assertThat(cache.refuses("get", "2")).contains("there is no key '2'");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'a\t1\nb 2\n', line 2: there is no tab",
        "'a\t1\n\t2\n', line 2: the key is empty",
    })
    void aLineThatCannotBeUsedIsRefusedOrSkipped(String text, String complaint) throws Exception {
        Path file = Files.writeString(folder.resolve("bad"), text);

        CommandRun refused = CommandRun.of("kv-server", "--port", "0", "--http-port", "0", "--load", file.toString());
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err().lines()).singleElement().asString().contains(complaint, "--skip-bad-lines");

        try (KvCacheRun cache = KvCacheRun.start("--load", file.toString(), "--skip-bad-lines")) {
            assertThat(cache.out()).contains("loaded 1 keys", "lines skipped: 1");
        }
    }

    @Test
    void bytesThatAreNoTextAreRefused() throws Exception {
        Path file = Files.write(folder.resolve("binary"), new byte[] {'a', '\n', (byte) 0xc3, '\n'});

        CommandRun refused = CommandRun.of("kv-server", "--port", "0", "--http-port", "0", "--load", file.toString());

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("line 2: this is not UTF-8 text");
    }

    @Test
    void aSoakFindsAllThatItWrote() throws Exception {
        try (KvCacheRun cache = KvCacheRun.start()) {
            String journals = folder.resolve("journals").toString();

            assertThat(cache.does("soak", "--journals", journals, "--clients", "2", "--duration", "1")
                            .out())
                    .containsPattern("[1-9][\\d,]* reads, [1-9][\\d,]* acknowledged writes");
            assertThat(cache.does("soak", "--journals", journals, "--check").out())
                    .contains("acknowledged writes");

            Files.writeString(folder.resolve("journals/lost.journal"), "soak/lost/0/LONG 7.\nsoak/lost/0/LONG 12");
            assertThat(cache.refuses("soak", "--journals", journals, "--check"))
                    .contains("has write 0, but write 7 was acknowledged");
        }
    }
}
