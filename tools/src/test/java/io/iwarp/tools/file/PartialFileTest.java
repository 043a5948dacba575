package io.iwarp.tools.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.tools.CommandRun;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that grow under a temporary name, and those that no process writes any more. */
class PartialFileTest {
    @TempDir
    private Path folder;

    private Path abandoned() throws Exception {
        return Files.writeString(folder.resolve(".iwarp-" + UUID.randomUUID() + ".part"), "half");
    }

    @Test
    void anAbandonedFileIsDeleted() throws Exception {
        Path file = abandoned();

        assertThat(PartialFile.deleteAbandoned(folder)).isEqualTo(1);
        assertThat(file).doesNotExist();
        assertThat(PartialFile.deleteAbandoned(folder)).isZero();
    }

    @Test
    void aFileThatIsBeingWrittenIsLeftAloneUntilItHasItsName() throws Exception {
        try (PartialFile growing = PartialFile.create(folder)) {
            growing.append(ByteBuffer.wrap(new byte[10]));
            assertThat(PartialFile.deleteAbandoned(folder)).isZero();
            growing.finish();
            assertThat(PartialFile.deleteAbandoned(folder)).isZero();

            assertThat(growing.keepAs(folder.resolve("whole"))).hasSize(10);
        }
        assertThat(folder.resolve("whole")).hasSize(10);
    }

    @Test
    void aFileOfAnotherProcessIsLeftAlone() throws Exception {
        Path file = abandoned();
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Locker.class.getName(),
                        file.toString())
                .start();
        try {
            assertThat(other.getInputStream().read()).isEqualTo('l');
            assertThat(PartialFile.deleteAbandoned(folder)).isZero();
            assertThat(file).exists();
        } finally {
            other.destroyForcibly().waitFor();
        }
        assertThat(PartialFile.deleteAbandoned(folder)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {".iwarp-mine.part", ".iwarp-.part", "iwarp.part", "notes.part", ".iwarp-%s.part.bak"})
    void aFileWithAnotherNameIsLeftAlone(String name) throws Exception {
        Path file = Files.writeString(folder.resolve(String.format(name, UUID.randomUUID())), "mine");

        assertThat(PartialFile.deleteAbandoned(folder)).isZero();
        assertThat(file).exists();
    }

    @Test
    void aLinkOrDirectoryIsLeftAlone() throws Exception {
        Path target = Files.writeString(folder.resolve("target"), "mine");
        Path link = Files.createSymbolicLink(folder.resolve(".iwarp-" + UUID.randomUUID() + ".part"), target);
        Path directory = Files.createDirectory(folder.resolve(".iwarp-" + UUID.randomUUID() + ".part"));

        assertThat(PartialFile.deleteAbandoned(folder)).isZero();
        assertThat(target).hasContent("mine");
        assertThat(link).isSymbolicLink();
        assertThat(directory).isDirectory();
    }

    @Test
    void aServerDeletesWhatAKilledOneLeft() throws Exception {
        Path file = abandoned();
        try (CommandRun server = CommandRun.start("file", "serve", "--port", "0", "--directory", folder.toString())) {
            server.address();

            assertThat(server.out()).contains("deleted what an earlier server left when it was killed: 1 partial file");
            assertThat(file).doesNotExist();
        }
    }
}
