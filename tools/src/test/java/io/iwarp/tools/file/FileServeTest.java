package io.iwarp.tools.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Requirement;
import io.iwarp.tools.CommandRun;
import io.iwarp.tools.cli.PlainText;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the file server answers to clients that lie, meddle or die. */
class FileServeTest {
    private static final int SLOT = 4096;
    private static final String NO_HASH = "00".repeat(FileMessage.HASH_LENGTH);

    @TempDir
    private Path inbox;

    @TempDir
    private Path outbox;

    private CommandRun server;
    private String address;

    @BeforeEach
    void start() throws InterruptedException {
        server = CommandRun.start("file", "serve", "--port", "0", "--buffer", "4K", "--directory", inbox.toString());
        address = server.address();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../f",
                "..",
                ".",
                "",
                "a/b",
                "/etc/f",
                "a\\b",
                "C:f",
                ".hidden",
                "a\u0000b",
                "a\nb",
                "a\u202eb",
                "a\u200bb",
                "a\u2028b"
            })
    void aNameThatIsNotPlainIsRefused(String name) throws Exception {
        assertThat(answerTo(new FileMessage.Offer(1, name)))
                .isInstanceOfSatisfying(
                        FileMessage.Refused.class,
                        refused -> assertThat(refused.reason())
                                .contains("'" + PlainText.of(name) + "' is not a name for a file"));
    }

    @Test
    void aNameThatIsTooLongIsRefused() throws Exception {
        assertThat(answerTo(new FileMessage.Offer(1, "\u00e4".repeat(128)))).isInstanceOf(FileMessage.Refused.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {-2, Long.MIN_VALUE, Long.MAX_VALUE})
    void aSizeThatCannotBeIsRefused(long size) throws Exception {
        assertThat(answerTo(new FileMessage.Offer(size, "f"))).isInstanceOf(FileMessage.Refused.class);
    }

    @Test
    void whatComesBeforeTheOfferIsRefused() throws Exception {
        assertThat(answerTo(new FileMessage.Piece(0, 1))).isInstanceOf(FileMessage.Refused.class);
    }

    @ParameterizedTest
    @ValueSource(bytes = {0, 12, -1, 1})
    void garbageIsRefused(byte kind) throws Exception {
        try (RawFileClient client = RawFileClient.connect(address)) {
            client.says(kind, (byte) 1);

            assertThat(client.hears())
                    .isInstanceOfSatisfying(
                            FileMessage.Refused.class,
                            refused -> assertThat(refused.reason()).contains("does not keep to the protocol"));
        }
    }

    @Test
    void anEmptyMessageIsRefused() throws Exception {
        try (RawFileClient client = RawFileClient.connect(address)) {
            client.says();

            assertThat(client.hears()).isInstanceOf(FileMessage.Refused.class);
        }
    }

    @Test
    void piecesThatCannotBeAreRefused() throws Exception {
        assertRefusedAfterGrant(new FileMessage.Piece(0, SLOT + 1));
        assertRefusedAfterGrant(new FileMessage.Piece(0, 0));
        assertRefusedAfterGrant(new FileMessage.Piece(0, -1));
        assertRefusedAfterGrant(new FileMessage.Piece(1, 10));
        assertRefusedAfterGrant(new FileMessage.Done(NO_HASH));
        assertRefusedAfterGrant(new FileMessage.Offer(1, "g"));
    }

    @Test
    void moreBytesThanOfferedAreRefused() throws Exception {
        try (RawFileClient client = RawFileClient.connect(address)) {
            client.says(new FileMessage.Offer(10, "f"));
            assertThat(client.hears()).isInstanceOf(FileMessage.Grant.class);
            client.says(new FileMessage.Piece(0, 9));
            assertThat(client.hears()).isEqualTo(new FileMessage.Credit(0));
            client.says(new FileMessage.Piece(1, 2));

            assertThat(client.hears()).isInstanceOf(FileMessage.Refused.class);
        }
        assertNothingWasKept();
    }

    @Test
    void aFileWithAnotherHashIsNotKept() throws Exception {
        try (RawFileClient client = RawFileClient.connect(address)) {
            client.says(new FileMessage.Offer(3, "f"));
            FileMessage.Grant grant = (FileMessage.Grant) client.hears();
            client.writes(new byte[] {1, 2, 3}, grant.memory());
            client.says(new FileMessage.Piece(0, 3));
            assertThat(client.hears()).isEqualTo(new FileMessage.Credit(0));
            client.says(new FileMessage.Done(NO_HASH));

            assertThat(client.hears())
                    .isInstanceOfSatisfying(
                            FileMessage.Refused.class,
                            refused -> assertThat(refused.reason()).contains("SHA-256"));
        }
        assertNothingWasKept();
    }

    @Test
    void aLostClientLeavesNoFileAndTheNextIsServed() throws Exception {
        RawFileClient killed = RawFileClient.connect(address);
        killed.says(new FileMessage.Offer(3L * SLOT, "f"));
        FileMessage.Grant grant = (FileMessage.Grant) killed.hears();
        killed.writes(new byte[SLOT], grant.memory().slice(0, SLOT));
        killed.says(new FileMessage.Piece(0, SLOT));
        assertThat(killed.hears()).isEqualTo(new FileMessage.Credit(0));
        assertThat(FilePutTest.names(inbox)).singleElement().asString().startsWith(PartialFile.PREFIX);

        killed.dies();
        server.awaitLine(Pattern.compile(".* nothing was kept: .*lost.*"));
        killed.close();
        assertThat(FilePutTest.names(inbox)).isEmpty();

        Path file = Path.of(System.getProperty("java.home"), "release");
        CommandRun next = CommandRun.of("file", "put", address, file.toString());
        assertThat(next.exitCode()).isZero();
        assertThat(inbox.resolve("release")).hasSameBinaryContentAs(file);
    }

    @Test
    void oneNameIsWrittenByOneClientAtATime() throws Exception {
        try (RawFileClient first = RawFileClient.connect(address)) {
            first.says(new FileMessage.Offer(1, "f"));
            assertThat(first.hears()).isInstanceOf(FileMessage.Grant.class);

            assertThat(answerTo(new FileMessage.Offer(1, "f")))
                    .isInstanceOfSatisfying(
                            FileMessage.Refused.class,
                            refused -> assertThat(refused.reason()).contains("another client"));
        }
    }

    @Test
    @Requirement({"SEC-20", "SEC-22"})
    void aClientCannotWriteIntoTheMemoryOfAnother() throws Exception {
        try (RawFileClient victim = RawFileClient.connect(address);
                RawFileClient attacker = RawFileClient.connect(address)) {
            victim.says(new FileMessage.Offer(1, "f"));
            FileMessage.Grant grant = (FileMessage.Grant) victim.hears();

            attacker.writes(new byte[] {1}, grant.memory());

            CloseReason reason = attacker.hearsTheEnd();
            assertThat(reason.endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
            assertThat(reason.error())
                    .isIn(ProtocolError.DDP_TAGGED_STAG_NOT_ASSOCIATED, ProtocolError.RDMAP_STAG_NOT_ASSOCIATED);
            victim.says(new FileMessage.Piece(0, 1));
            assertThat(victim.hears()).isEqualTo(new FileMessage.Credit(0));
        }
    }

    @Test
    @Requirement("SEC-20")
    void clientsAtTheSameTimeWriteIntoMemoryOfTheirOwn() throws Exception {
        try (RawFileClient first = RawFileClient.connect(address);
                RawFileClient second = RawFileClient.connect(address)) {
            List<RawFileClient> clients = List.of(first, second);
            for (byte i = 0; i < clients.size(); i++) {
                RawFileClient client = clients.get(i);
                client.says(new FileMessage.Offer(2, "f" + i));
                FileMessage.Grant grant = (FileMessage.Grant) client.hears();
                client.writes(new byte[] {i}, grant.memory().slice(0, 1));
                client.writes(new byte[] {i}, grant.memory().slice(grant.slotLength(), 1));
                client.says(new FileMessage.Piece(0, 1));
                assertThat(client.hears()).as("both bytes are in place").isEqualTo(new FileMessage.Credit(0));
            }
            for (byte i = 0; i < clients.size(); i++) {
                RawFileClient client = clients.get(i);
                client.says(new FileMessage.Piece(1, 1));
                assertThat(client.hears()).isEqualTo(new FileMessage.Credit(1));
                client.says(new FileMessage.Done(sha256(i, i)));
                assertThat(client.hears()).isEqualTo(new FileMessage.Stored(sha256(i, i)));
                assertThat(inbox.resolve("f" + i)).hasBinaryContent(new byte[] {i, i});
            }
        }
    }

    private static String sha256(byte... bytes) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    @Test
    @Requirement("SEC-22")
    void aClientCannotTakeBackTheMemoryOfAnother() throws Exception {
        try (RawFileClient victim = RawFileClient.connect(address);
                RawFileClient attacker = RawFileClient.connect(address)) {
            victim.says(new FileMessage.Offer(1, "f"));
            FileMessage.Grant grant = (FileMessage.Grant) victim.hears();

            attacker.givesBack(grant.memory(), new FileMessage.Offer(1, "g"));

            CloseReason reason = attacker.hearsTheEnd();
            assertThat(reason.endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
            assertThat(reason.error()).isEqualTo(ProtocolError.RDMAP_STAG_NOT_INVALIDATED);
            victim.writes(new byte[] {5}, grant.memory().slice(0, 1));
            victim.says(new FileMessage.Piece(0, 1));
            assertThat(victim.hears()).isEqualTo(new FileMessage.Credit(0));
        }
    }

    /** The file has fewer bytes than a slot, where the client before has left more. */
    @Test
    @Requirement("SEC-21")
    void aReaderSeesItsFileAndNothingElse() throws Exception {
        storeOneByte();
        try (RawFileClient writer = RawFileClient.connect(address)) {
            writer.says(new FileMessage.Offer(SLOT, "secret"));
            FileMessage.Grant grant = (FileMessage.Grant) writer.hears();
            writer.writes(new byte[SLOT], grant.memory().slice(0, SLOT));
            writer.says(new FileMessage.Piece(0, SLOT));
            assertThat(writer.hears()).isEqualTo(new FileMessage.Credit(0));
        }
        server.awaitLine(Pattern.compile(".* nothing was kept: .*"));
        try (RawFileClient reader = RawFileClient.connect(address)) {
            FileMessage.Served served = fetch(reader);
            assertThat(served.memory().length()).isEqualTo(1);
            assertThat(reader.reads(served.memory())).containsExactly(7);
            RemoteBuffer more =
                    new RemoteBuffer(served.memory().stag(), served.memory().taggedOffset(), 2);
            assertThatThrownBy(() -> reader.reads(more))
                    .isInstanceOfSatisfying(
                            ConnectionClosedException.class,
                            ended -> assertThat(ended.reason().error()).isEqualTo(ProtocolError.RDMAP_BASE_OR_BOUNDS));
        }
    }

    @Test
    @Requirement("SEC-21")
    void aReaderHasItsRightUntilItHasTakenThePiece() throws Exception {
        storeOneByte();
        try (RawFileClient reader = RawFileClient.connect(address)) {
            RemoteBuffer memory = fetch(reader).memory();
            reader.givesBack(memory, new FileMessage.Taken(0));
            assertThat(reader.hears()).isInstanceOf(FileMessage.Done.class);
            assertThatThrownBy(() -> reader.reads(memory))
                    .isInstanceOfSatisfying(
                            ConnectionClosedException.class,
                            ended -> assertThat(ended.reason().error()).isEqualTo(ProtocolError.RDMAP_INVALID_STAG));
        }
    }

    private void storeOneByte() throws IOException {
        Files.write(inbox.resolve("mine"), new byte[] {7});
    }

    private static FileMessage.Served fetch(RawFileClient reader) throws Exception {
        reader.says(new FileMessage.Fetch("mine"));
        FileMessage found = reader.hears();
        return found instanceof FileMessage.Served served ? served : (FileMessage.Served) reader.hears();
    }

    @Test
    @Requirement("SEC-21")
    void memoryIsRevokedBeforeTheNextClientGetsIt() throws Exception {
        FileMessage.Grant old;
        try (RawFileClient first = RawFileClient.connect(address)) {
            first.says(new FileMessage.Offer(1, "f"));
            old = (FileMessage.Grant) first.hears();
        }
        server.awaitLine(Pattern.compile(".* nothing was kept: .*"));
        try (RawFileClient second = RawFileClient.connect(address)) {
            second.writes(new byte[] {1}, old.memory());

            assertThat(second.hearsTheEnd().error())
                    .isIn(ProtocolError.DDP_TAGGED_INVALID_STAG, ProtocolError.RDMAP_INVALID_STAG);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDiskOfTheServerIsReported() throws Exception {
        // The limit makes the kernel refuse to write more than 64 KiB into a file.
        Process limited = new ProcessBuilder(
                        "bash",
                        "-c",
                        "ulimit -f 64; exec \"$@\"",
                        "bash",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.iwarp.tools.Iwarp",
                        "file",
                        "serve",
                        "--port",
                        "0",
                        "--directory",
                        inbox.toString())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader said = limited.inputReader()) {
            Matcher listening = Pattern.compile("listening on (\\S+),.*").matcher(said.readLine());
            assertThat(listening.matches()).isTrue();
            Path source = Files.write(outbox.resolve("large"), new byte[1 << 18]);

            CommandRun client = CommandRun.of("file", "put", listening.group(1), source.toString());

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.err()).contains("the server refused", "make room there");
            assertThat(said.readLine()).contains("nothing was kept");
        } finally {
            limited.destroy();
        }
        assertThat(FilePutTest.names(inbox)).isEmpty();
    }

    private FileMessage answerTo(FileMessage message) throws Exception {
        try (RawFileClient client = RawFileClient.connect(address)) {
            client.says(message);
            return client.hears();
        }
    }

    private void assertRefusedAfterGrant(FileMessage lie) throws Exception {
        try (RawFileClient client = RawFileClient.connect(address)) {
            client.says(new FileMessage.Offer(2L * SLOT, "f"));
            assertThat(client.hears()).isInstanceOf(FileMessage.Grant.class);
            client.says(lie);

            assertThat(client.hears()).as("the answer to %s", lie).isInstanceOf(FileMessage.Refused.class);
            client.hearsTheEnd();
        }
        assertNothingWasKept();
    }

    private void assertNothingWasKept() throws Exception {
        server.awaitLine(Pattern.compile(".* nothing was kept: .*"));
        assertThat(FilePutTest.names(inbox)).isEmpty();
    }
}
