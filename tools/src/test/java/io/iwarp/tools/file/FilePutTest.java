package io.iwarp.tools.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.EndedBy;
import io.iwarp.tools.Child;
import io.iwarp.tools.CommandRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The two commands as a user runs them. */
class FilePutTest {
    @TempDir
    private Path temporary;

    private Path inbox;

    @BeforeEach
    void createDirectories() throws IOException {
        inbox = Files.createDirectory(temporary.resolve("inbox"));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 64K, 512M",
        "1, 64K, 512M",
        "65536, 64K, 512M",
        "65537, 64K, 512M",
        "131072, 64K, 512M",
        "1048579, 64K, 512M",
        "1048579, 8M, 512M",
        "1048579, 64K, 10007",
        "3000, 4K, 1"
    })
    void aFileOfAnySizeArrives(int size, String buffer, String piece) throws Exception {
        Path file = file("some file.bin", size);
        String hash = sha256(file);
        try (CommandRun server = server("--buffer", buffer, "--once")) {
            CommandRun client = CommandRun.of("file", "put", server.address(), file.toString(), "--piece", piece);

            assertThat(client.err()).isEmpty();
            assertThat(client.exitCode()).isZero();
            assertThat(client.out()).contains("SHA-256 " + hash);
            assertThat(server.exitCode()).isZero();
            assertThat(server.out()).contains("SHA-256 " + hash).doesNotContain("\\u");
        }
        assertThat(inbox.resolve("some file.bin")).hasSameBinaryContentAs(file);
        assertThat(names(inbox)).containsExactly("some file.bin");
    }

    @ParameterizedTest
    @CsvSource({"--markers, --no-crc", "--no-crc, --markers", "--no-crc, --no-crc"})
    void sidesMayUseDifferentOptions(String serverOption, String clientOption) throws Exception {
        Path file = file("f", 200_000);
        try (CommandRun server = server(serverOption)) {
            CommandRun client = CommandRun.of("file", "put", server.address(), file.toString(), clientOption);

            assertThat(client.exitCode()).isZero();
        }
        assertThat(inbox.resolve("f")).hasSameBinaryContentAs(file);
    }

    @Test
    void progressIsDrawnOnOneLineIfWanted() throws Exception {
        try (CommandRun server = server()) {
            CommandRun client = CommandRun.of(
                    "file", "put", server.address(), file("f", 5 << 20).toString(), "--progress");

            assertThat(client.exitCode()).isZero();
            assertThat(client.err()).contains("\rf   0% [").contains("100% [==").contains("5/5 MB");
            assertThat(client.err().chars().filter(c -> c == '\n')).hasSize(1);
        }
    }

    @Test
    void severalClientsWriteAtOnce() throws Exception {
        try (CommandRun server = server("--buffer", "16K")) {
            String address = server.address();
            List<CommandRun> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(CommandRun.start(
                        "file", "put", address, file("f" + i, 500_000 + i).toString()));
            }
            for (CommandRun client : clients) {
                assertThat(client.exitCode()).isZero();
            }
        }
        for (int i = 0; i < 4; i++) {
            assertThat(inbox.resolve("f" + i)).hasSameBinaryContentAs(temporary.resolve("f" + i));
        }
    }

    @Test
    void aFileThatExistsIsKeptUnlessTheServerMayReplaceIt() throws Exception {
        Path file = file("f", 10);
        Files.writeString(inbox.resolve("f"), "precious");
        try (CommandRun server = server()) {
            CommandRun client = CommandRun.of("file", "put", server.address(), file.toString());

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).contains("has f already", "--force");
        }
        assertThat(inbox.resolve("f")).hasContent("precious");
        try (CommandRun server = server("--force")) {
            assertThat(CommandRun.of("file", "put", server.address(), file.toString())
                            .exitCode())
                    .isZero();
        }
        assertThat(inbox.resolve("f")).hasSameBinaryContentAs(file);
    }

    @Test
    void theServerStoresItUnderTheNameThatIsGiven() throws Exception {
        Path file = file("f", 10);
        try (CommandRun server = server()) {
            CommandRun client = CommandRun.of("file", "put", server.address(), file.toString(), "g");

            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(client.out()).contains("stored g: 10 bytes");
        }
        assertThat(inbox.resolve("g")).hasSameBinaryContentAs(file);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFileThatShowsNoSizeIsReadToItsEnd() throws Exception {
        try (CommandRun server = server("--buffer", "4K")) {
            CommandRun client = CommandRun.of("file", "put", server.address(), "/proc/version");

            assertThat(client.exitCode()).as(client.err()).isZero();
        }
        assertThat(inbox.resolve("version")).hasContent(Files.readString(Path.of("/proc/version")));
    }

    @Test
    void standardInputIsReadToItsEnd() throws Exception {
        Path file = file("f", 300_000);
        try (CommandRun server = server("--buffer", "64K")) {
            Process client = Child.command("file", "put", server.address(), "-", "g")
                    .redirectInput(file.toFile())
                    .start();

            assertThat(client.waitFor()).isZero();
        }
        assertThat(inbox.resolve("g")).hasSameBinaryContentAs(file);
        assertThat(CommandRun.of("file", "put", "127.0.0.1:1", "-").err()).contains("needs the NAME");
    }

    @ParameterizedTest
    @ValueSource(strings = {"longer", "shorter", "same time", "another file"})
    void aFileThatChangesWhileItIsReadIsNotStored(String change) throws Exception {
        Path file = file("f", 100);
        FileTime time = Files.getLastModifiedTime(file);
        try (SourceFile source = SourceFile.ofClient(file)) {
            if (change.equals("another file")) {
                Files.delete(file);
            }
            Files.write(file, new byte[change.equals("longer") ? 101 : change.equals("shorter") ? 99 : 100]);
            Files.setLastModifiedTime(
                    file,
                    change.equals("same time") ? FileTime.from(time.toInstant().plusSeconds(1)) : time);

            assertThatThrownBy(source::requireUnchanged).hasMessageContaining("f changed while it was read");
        }
    }

    @Test
    void aFileIsComparedAfterItWasRead() throws Exception {
        Path file = file("f", 10_000);
        try (LostFileServer server = LostFileServer.start(3, () -> setModified(file))) {
            CommandRun client = CommandRun.of("file", "put", server.address(), file.toString());

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).contains("f changed while it was read");
        }
    }

    private static void setModified(Path file) {
        try {
            Files.setLastModifiedTime(file, FileTime.fromMillis(0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aServerForOneClientEndsWithItsOutcome() throws Exception {
        Files.createDirectory(inbox.resolve("f"));
        try (CommandRun server = server("--once")) {
            CommandRun client =
                    CommandRun.of("file", "put", server.address(), file("f", 10).toString());

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(server.exitCode()).isEqualTo(1);
            assertThat(server.out()).contains("nothing was kept");
        }
    }

    @Test
    void aClientTooManyIsTurnedAway() throws Exception {
        try (CommandRun server = server("--max-clients", "1");
                RawFileClient first = RawFileClient.connect(server.address())) {
            CommandRun second =
                    CommandRun.of("file", "put", first.address(), file("f", 10).toString());

            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.error()).contains("try again later");
        }
    }

    /** A peer that grants memory and is gone, as a server that is killed. */
    @ParameterizedTest
    @CsvSource({
        "1, 'nothing was stored', '4,096 of 10,000 bytes were sent'",
        "2, 'nothing was stored', '8,192 of 10,000 bytes were sent'",
        "3, 'the server did not confirm that it stored f', '10,000 of 10,000 bytes were sent'"
    })
    void aKilledServerIsReportedWithWhatWasSent(int pieces, String outcome, String progress) throws Exception {
        try (LostFileServer server = LostFileServer.start(pieces)) {
            CommandRun client = CommandRun.of(
                    "file", "put", server.address(), file("f", 10_000).toString());

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).contains("the connection to the server was lost: ", progress, outcome);
        }
    }

    @Test
    void aDirectoryThatIsNotThereIsReported() {
        CommandRun server = CommandRun.of("file", "serve", "--port", "0", "--directory", "no/such/place");

        assertThat(server.exitCode()).isEqualTo(1);
        assertThat(server.error()).contains("create it first");
    }

    @Test
    void aFileThatIsNotThereIsReported() {
        CommandRun client = CommandRun.of("file", "put", "127.0.0.1:1", "no/such/file");

        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.error()).contains("no/such/file", "check the path");
    }

    @Test
    void aStoppedServerRefusesItsClient() throws Exception {
        CommandRun server = server();
        try (RawFileClient client = RawFileClient.connect(server.address())) {
            client.says(new FileMessage.Offer(1000, "f"));
            assertThat(client.hears()).isInstanceOf(FileMessage.Grant.class);

            assertThat(server.stop()).isZero();

            assertThat(client.hears()).isEqualTo(new FileMessage.Refused("the server is being stopped"));
            assertThat(client.hearsTheEnd().endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        }
        assertThat(server.awaitLine(Pattern.compile(".* disconnected, nothing was kept.*")))
                .isNotNull();
        assertThat(names(inbox)).isEmpty();
    }

    private CommandRun server(String... options) {
        List<String> arguments =
                new ArrayList<>(List.of("file", "serve", "--port", "0", "--directory", inbox.toString()));
        arguments.addAll(List.of(options));
        return CommandRun.start(arguments.toArray(String[]::new));
    }

    private Path file(String name, int size) throws IOException {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return Files.write(temporary.resolve(name), bytes);
    }

    static List<String> names(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha256(Path file) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }
}
