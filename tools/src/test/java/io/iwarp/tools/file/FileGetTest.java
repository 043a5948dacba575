package io.iwarp.tools.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.tools.Child;
import io.iwarp.tools.CommandRun;
import io.iwarp.tools.PlainEndpoint;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading from the file server, as a user does it, and as a client that lies, meddles or dies. */
class FileGetTest {
    private static final int SLOT = 4096;

    @TempDir
    private Path temporary;

    private Path offered;
    private Path copies;

    @BeforeEach
    void createDirectories() throws IOException {
        offered = Files.createDirectory(temporary.resolve("offered"));
        copies = Files.createDirectory(temporary.resolve("copies"));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 64K, 1M, 4",
        "1, 64K, 1M, 4",
        "65536, 64K, 64K, 1",
        "65537, 64K, 1M, 4",
        "131072, 64K, 10007, 3",
        "1048579, 64K, 4K, 16",
        "1048579, 8M, 1M, 4",
        "1048579, 8M, 100K, 64",
        "3000, 4K, 1, 64"
    })
    void aFileOfAnySizeArrives(int size, String buffer, String chunk, int reads) throws Exception {
        Path file = file("some file.bin", size);
        try (CommandRun server = server("--buffer", buffer, "--once")) {
            CommandRun client = read(server.address(), "some file.bin", "--chunk", chunk, "--reads", "" + reads);

            assertThat(client.err()).isEmpty();
            assertThat(client.exitCode()).isZero();
            assertThat(server.exitCode()).isZero();
            String hash = client.out().lines().reduce("", (first, last) -> last).substring(0, "SHA-256 ".length() + 64);
            assertThat(server.out()).contains("fetched some file.bin").contains(hash);
        }
        assertThat(copies.resolve("some file.bin")).hasSameBinaryContentAs(file);
        assertThat(FilePutTest.names(copies)).containsExactly("some file.bin");
    }

    @ParameterizedTest
    @CsvSource({"--markers, --no-crc", "--no-crc, --markers", "--no-crc, --no-crc"})
    void sidesMayUseDifferentOptions(String serverOption, String clientOption) throws Exception {
        Path file = file("f", 200_000);
        try (CommandRun server = server(serverOption)) {
            assertThat(read(server.address(), "f", clientOption).exitCode()).isZero();
        }
        assertThat(copies.resolve("f")).hasSameBinaryContentAs(file);
    }

    @Test
    void progressIsDrawnOnOneLineIfWanted() throws Exception {
        file("f", 5 << 20);
        try (CommandRun server = server()) {
            CommandRun client = read(server.address(), "f", "--progress");

            assertThat(client.exitCode()).isZero();
            assertThat(client.err()).contains("\rf   0% [").contains("100% [==").contains("5/5 MB");
            assertThat(client.err().chars().filter(c -> c == '\n')).hasSize(1);
        }
    }

    @Test
    void severalClientsReadWhileOthersWrite() throws Exception {
        Path file = file("f", 500_000);
        Path written = Files.copy(file, temporary.resolve("g"));
        try (CommandRun server = server("--buffer", "16K")) {
            String address = server.address();
            List<CommandRun> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                clients.add(CommandRun.start(
                        "file", "get", address, "f", copies.resolve("f" + i).toString()));
            }
            clients.add(CommandRun.start("file", "put", address, written.toString()));
            for (CommandRun client : clients) {
                assertThat(client.exitCode()).isZero();
            }
        }
        for (int i = 0; i < 3; i++) {
            assertThat(copies.resolve("f" + i)).hasSameBinaryContentAs(file);
        }
        assertThat(offered.resolve("g")).hasSameBinaryContentAs(file);
    }

    @Test
    void aFileThatExistsIsKeptUnlessItMayBeReplaced() throws Exception {
        Path file = file("f", 10);
        Files.writeString(copies.resolve("f"), "precious");
        try (CommandRun server = server()) {
            String address = server.address();
            assertOneLine(read(address, "f"), "exists already", "--force");
            assertThat(copies.resolve("f")).hasContent("precious");

            assertThat(read(address, "f", "--force").exitCode()).isZero();
        }
        assertThat(copies.resolve("f")).hasSameBinaryContentAs(file);
    }

    @Test
    void aLinkIsFollowed() throws Exception {
        Path file = file("f", 10);
        Path target = Files.writeString(temporary.resolve("target"), "old");
        Path link = Files.createSymbolicLink(copies.resolve("f"), target);
        try (CommandRun server = server()) {
            assertThat(read(server.address(), "f", "--force").exitCode()).isZero();
        }
        assertThat(link).isSymbolicLink();
        assertThat(target).isRegularFile().hasSameBinaryContentAs(file);
        assertThat(FilePutTest.names(copies)).containsExactly("f");
    }

    @Test
    void aLinkToNothingIsRefused() throws Exception {
        Files.createSymbolicLink(copies.resolve("f"), copies.resolve("nothing"));

        assertOneLine(read("127.0.0.1:1", "f", "--force"), "is a link to a file that does not exist");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aPipeIsWrittenTo() throws Exception {
        Path file = file("f", 100_000);
        Path pipe = copies.resolve("f");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        CompletableFuture<byte[]> read = CompletableFuture.supplyAsync(() -> {
            try {
                return Files.readAllBytes(pipe);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try (CommandRun server = server()) {
            CommandRun client = read(server.address(), "f", "--force");

            assertThat(client.exitCode()).as(client.err()).isZero();
        }
        assertThat(Files.isRegularFile(pipe)).isFalse();
        assertThat(read.get(60, TimeUnit.SECONDS)).isEqualTo(Files.readAllBytes(file));
    }

    @Test
    void standardOutputHasTheFileAndNothingElse() throws Exception {
        Path file = file("f", 100_000);
        Path copy = copies.resolve("copy");
        try (CommandRun server = server()) {
            Process client = Child.command("file", "get", server.address(), "f", "-")
                    .redirectOutput(copy.toFile())
                    .start();

            assertThat(client.waitFor()).isZero();
        }
        assertThat(copy).hasSameBinaryContentAs(file);
    }

    @Test
    void theListHasEachFileThatIsOffered() throws Exception {
        file("b", 1_000_000);
        file("a file", 0);
        file(".hidden", 1);
        Files.createDirectory(offered.resolve("c"));
        try (CommandRun server = server()) {
            CommandRun list = CommandRun.of("file", "list", server.address());

            assertThat(list.exitCode()).as(list.err()).isZero();
            assertThat(list.out().lines().map(String::strip)).containsExactly("0  a file", "1,000,000  b");
        }
    }

    @Test
    void aClientThatIsKilledLeavesNoPartialFile() throws Exception {
        file("f", 64 << 20);
        try (CommandRun server = server("--buffer", "4K");
                WatchService watch = copies.getFileSystem().newWatchService()) {
            copies.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
            Process client = Child.command(
                            "file",
                            "get",
                            server.address(),
                            "f",
                            copies.resolve("f").toString(),
                            "--chunk",
                            "64",
                            "--reads",
                            "1")
                    .start();
            assertThat(watch.poll(60, TimeUnit.SECONDS)).isNotNull();

            client.destroy();

            assertThat(client.waitFor()).isNotZero();
        }
        assertThat(FilePutTest.names(copies)).isEmpty();
    }

    @Test
    void aSizeThatCannotBeIsRefused() throws Exception {
        try (Endpoint endpoint = PlainEndpoint.open();
                IwarpListener lying = endpoint.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        QueuePairSettings.builder().build(),
                        request -> {
                            QueuePair queuePair = request.queuePair();
                            queuePair
                                    .receive(Unpooled.buffer(100))
                                    .thenRun(() -> queuePair.send(new FileMessage.Found(-5).encode()));
                            request.accept(FileServe.PROTOCOL.request());
                        })) {
            assertOneLine(read("127.0.0.1:" + lying.port(), "f"), "announced a file of -5 bytes");
        }
        assertThat(FilePutTest.names(copies)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "g, has no file g: check the name",
        "../f, not a name for a file",
        ".., not a name for a file",
        "/etc/passwd, not a name for a file",
        ".hidden, not a name for a file",
        "directory, is not an ordinary file",
        "link, is not an ordinary file"
    })
    void whatIsNotOfferedIsRefused(String name, String complaint) throws Exception {
        file("f", 10);
        Files.createDirectory(offered.resolve("directory"));
        Files.createSymbolicLink(offered.resolve("link"), file("target", 5));
        Files.writeString(offered.resolve(".hidden"), "secret");
        try (CommandRun server = server("--once")) {
            CommandRun client = CommandRun.of(
                    "file", "get", server.address(), name, copies.resolve("f").toString());

            assertOneLine(client, "the server refused", complaint);
            assertThat(server.exitCode()).isEqualTo(1);
        }
        assertThat(FilePutTest.names(copies)).isEmpty();
    }

    @Test
    void aTargetThatCannotBeIsReported() {
        assertOneLine(CommandRun.of("file", "get", "127.0.0.1:1", "f", copies + "/no/f"), "create it first");
        assertOneLine(CommandRun.of("file", "get", "127.0.0.1:1", "f", copies.toString()), "is a directory");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--chunk=0", "--chunk=257M", "--reads=0", "--reads=65"})
    void refusesWhatItCannotDo(String option) {
        CommandRun client = CommandRun.of("file", "get", "127.0.0.1:1", "f", "f", option);

        assertThat(client.exitCode()).isEqualTo(2);
        assertThat(client.err()).contains("'iwarp file get --help'");
    }

    @Test
    void aFileThatChangesWhileItIsReadIsRefusedAndNotKept() throws Exception {
        Path file = file("f", 3 * SLOT);
        try (CommandRun server = server("--buffer", "4K");
                RawFileClient client = RawFileClient.connect(server.address())) {
            client.says(new FileMessage.Fetch("f"));
            assertThat(client.hears()).isEqualTo(new FileMessage.Found(3 * SLOT));
            FileMessage.Served first = (FileMessage.Served) client.hears();
            FileMessage.Served second = (FileMessage.Served) client.hears();
            Files.setLastModifiedTime(file, FileTime.fromMillis(0));
            client.givesBack(first.memory(), new FileMessage.Taken(0));
            FileMessage.Served third = (FileMessage.Served) client.hears();
            client.givesBack(second.memory(), new FileMessage.Taken(1));
            client.givesBack(third.memory(), new FileMessage.Taken(2));

            assertThat(client.hears())
                    .isInstanceOfSatisfying(
                            FileMessage.Refused.class,
                            refused -> assertThat(refused.reason()).contains("f changed while it was read"));
        }
    }

    @Test
    void aFileThatBecomesShorterIsRefused() throws Exception {
        Path file = file("f", 3 * SLOT);
        try (CommandRun server = server("--buffer", "4K");
                RawFileClient client = RawFileClient.connect(server.address())) {
            client.says(new FileMessage.Fetch("f"));
            assertThat(client.hears()).isInstanceOf(FileMessage.Found.class);
            FileMessage.Served first = (FileMessage.Served) client.hears();
            assertThat(client.hears()).isInstanceOf(FileMessage.Served.class);
            Files.write(file, new byte[10]);
            client.givesBack(first.memory(), new FileMessage.Taken(0));

            assertThat(client.hears()).isInstanceOf(FileMessage.Refused.class);
            client.hearsTheEnd();
        }
    }

    @Test
    void aPieceCanOnlyBeReadUntilItWasGivenBack() throws Exception {
        Path file = file("f", 3 * SLOT);
        try (CommandRun server = server("--buffer", "4K");
                RawFileClient client = RawFileClient.connect(server.address())) {
            client.says(new FileMessage.Fetch("f"));
            assertThat(client.hears()).isInstanceOf(FileMessage.Found.class);
            FileMessage.Served first = (FileMessage.Served) client.hears();
            assertThat(client.reads(first.memory())).isEqualTo(firstBytes(file));
            client.givesBack(first.memory(), new FileMessage.Taken(0));

            assertThatThrownBy(() -> client.reads(first.memory()))
                    .isInstanceOfSatisfying(
                            ConnectionClosedException.class,
                            e -> assertThat(e.reason().error()).isEqualTo(ProtocolError.RDMAP_INVALID_STAG));
        }
    }

    @Test
    void aPieceCannotBeWrittenNorReadByAnother() throws Exception {
        file("f", SLOT);
        try (CommandRun server = server();
                RawFileClient victim = RawFileClient.connect(server.address());
                RawFileClient reader = RawFileClient.connect(victim.address())) {
            victim.says(new FileMessage.Fetch("f"));
            assertThat(victim.hears()).isInstanceOf(FileMessage.Found.class);
            FileMessage.Served served = (FileMessage.Served) victim.hears();

            assertThatThrownBy(() -> reader.reads(served.memory()))
                    .isInstanceOfSatisfying(
                            ConnectionClosedException.class,
                            e -> assertThat(e.reason().error()).isEqualTo(ProtocolError.RDMAP_STAG_NOT_ASSOCIATED));
            victim.writes(new byte[1], served.memory());
            assertThat(victim.hearsTheEnd().endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClientThatKeepsAPieceOrTakesAnotherIsRefused(boolean kept) throws Exception {
        file("f", 3 * SLOT);
        try (CommandRun server = server("--buffer", "4K");
                RawFileClient client = RawFileClient.connect(server.address())) {
            client.says(new FileMessage.Fetch("f"));
            assertThat(client.hears()).isInstanceOf(FileMessage.Found.class);
            FileMessage.Served first = (FileMessage.Served) client.hears();
            assertThat(client.hears()).isInstanceOf(FileMessage.Served.class);
            if (kept) {
                client.says(new FileMessage.Taken(0));
            } else {
                client.givesBack(first.memory(), new FileMessage.Taken(1));
            }

            assertThat(client.hears())
                    .isInstanceOfSatisfying(
                            FileMessage.Refused.class,
                            refused -> assertThat(refused.reason()).contains("expected was piece 0"));
        }
    }

    @Test
    void aClientThatDiesIsForgottenAndTheNextIsServed() throws Exception {
        Path file = file("f", 3 * SLOT);
        try (CommandRun server = server("--buffer", "4K", "--max-clients", "1")) {
            RawFileClient killed = RawFileClient.connect(server.address());
            killed.says(new FileMessage.Fetch("f"));
            assertThat(killed.hears()).isInstanceOf(FileMessage.Found.class);
            killed.dies();
            server.awaitLine(Pattern.compile(".* failed, it has not all of the file: .*lost.*"));

            assertThat(readPatiently(killed.address()).exitCode()).isZero();
            killed.close();
        }
        assertThat(copies.resolve("f")).hasSameBinaryContentAs(file);
    }

    /** The server prints the line before it has room for the next client. */
    private CommandRun readPatiently(String address) {
        CommandRun client = read(address, "f");
        while (client.exitCode() != 0 && client.err().contains("try again later")) {
            client = read(address, "f");
        }
        return client;
    }

    /** With small pieces it waits for the client when it is stopped, with large ones it reads its file. */
    @ParameterizedTest
    @ValueSource(strings = {"4K", "16M"})
    void aServerThatIsStoppedInTheMiddleLeavesNoFile(String buffer) throws Exception {
        file("f", 64 << 20);
        CommandRun server = server("--buffer", buffer);
        CommandRun client = readSlowly(server.address());

        assertThat(server.stop()).isZero();

        assertOneLine(client, "the server refused f: the server is being stopped");
        assertThat(FilePutTest.names(copies)).isEmpty();
    }

    @Test
    void aServerThatDiesInTheMiddleLeavesNoFile() throws Exception {
        file("f", 64 << 20);
        try (CommandRun server = server("--buffer", "4K");
                Relay relay = Relay.to(server.address())) {
            CommandRun client = readSlowly(relay.address());

            relay.cut();

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).matches(".*(lost|closed).*");
            server.awaitLine(Pattern.compile(".* failed, it has not all of the file: .*"));
        }
        assertThat(FilePutTest.names(copies)).isEmpty();
    }

    /** Returns a client that reads f in many small steps, and has begun to do so. */
    private CommandRun readSlowly(String address) throws Exception {
        try (WatchService watch = copies.getFileSystem().newWatchService()) {
            copies.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
            CommandRun client = CommandRun.start(
                    "file", "get", address, "f", copies.resolve("f").toString(), "--chunk", "64", "--reads", "1");
            assertThat(watch.poll(60, TimeUnit.SECONDS))
                    .as("the file has begun")
                    .isNotNull();
            return client;
        }
    }

    private CommandRun read(String address, String name, String... options) {
        List<String> arguments = new ArrayList<>(
                List.of("file", "get", address, name, copies.resolve(name).toString()));
        arguments.addAll(List.of(options));
        return CommandRun.of(arguments.toArray(String[]::new));
    }

    private CommandRun server(String... options) {
        List<String> arguments =
                new ArrayList<>(List.of("file", "serve", "--port", "0", "--directory", offered.toString()));
        arguments.addAll(List.of(options));
        return CommandRun.start(arguments.toArray(String[]::new));
    }

    private Path file(String name, int size) throws IOException {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return Files.write(offered.resolve(name), bytes);
    }

    private static byte[] firstBytes(Path file) throws IOException {
        return Arrays.copyOf(Files.readAllBytes(file), SLOT);
    }

    private static void assertOneLine(CommandRun run, String... parts) {
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.error()).contains(parts);
    }
}
