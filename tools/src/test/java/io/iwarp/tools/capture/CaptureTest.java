package io.iwarp.tools.capture;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.iwarp.tools.CommandRun;
import io.iwarp.tools.cli.PeerAddress;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureTest {
    private static final byte[] REQUEST_KEY = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY_KEY = "MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII);
    private static final int KEY_LENGTH = 16;
    private static final int PRIVATE_DATA_LENGTH_OFFSET = 18;
    private static final int START_UP_HEADER = 20;
    /** Behind the length of the ULPDU and the control byte of DDP. */
    private static final int RDMAP_CONTROL_OFFSET = 3;

    private static final int OPCODE_MASK = 0xf;
    /** Atomic Response (RFC 7306). */
    private static final int MAX_OPCODE = 11;

    /**
     * How many of each opcode, as tshark prints them: two Writes, three Read Requests, two Read Responses, five Sends,
     * ...
     */
    private static final Map<String, Long> MESSAGES_OF_THE_DEMO = Map.ofEntries(
            entry("0x00", 2L),
            entry("0x01", 3L),
            entry("0x02", 2L),
            entry("0x03", 5L),
            entry("0x04", 1L),
            entry("0x05", 1L),
            entry("0x06", 1L),
            entry("0x07", 1L),
            entry("0x08", 2L),
            entry("0x09", 1L),
            entry("0x0a", 3L),
            entry("0x0b", 3L));

    @TempDir
    private Path directory;

    @Test
    void theDemosFileHasEachFpduOnce() throws Exception {
        Path file = directory.resolve("demo.pcap");
        CommandRun demo = CommandRun.of("demo", "--size", "1M", "--pcap", file.toString());

        assertThat(demo.exitCode()).isZero();
        List<PcapStream> streams = PcapStream.read(file);
        assertThat(streams).hasSize(2);
        int there = countFpdus(streams.get(0), REQUEST_KEY);
        int back = countFpdus(streams.get(1), REPLY_KEY);
        assertThat(demo.out().replace(",", "")).containsPattern("\\n  FPDUs +" + there + " +" + back + "\\n");
    }

    @Test
    void theDemosFileHasEachOperationThereIs() throws Exception {
        Path file = directory.resolve("demo.pcap");
        CommandRun demo = CommandRun.of("demo", "--size", "1000", "--pcap", file.toString());

        assertThat(demo.exitCode()).isZero();
        Set<Integer> opcodes = new TreeSet<>();
        List<PcapStream> streams = PcapStream.read(file);
        walkFpdus(streams.get(0), REQUEST_KEY, opcodes);
        walkFpdus(streams.get(1), REPLY_KEY, opcodes);
        assertThat(opcodes)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(0, MAX_OPCODE).boxed().toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--markers", "--markers --mss 1460", "--mss 600", "--markers --no-crc --mss 1000"})
    void wiresharkShowsEachMessageOfTheDemo(String options) throws Exception {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(":", -1))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "tshark"))),
                "tshark is not installed");
        Path file = directory.resolve("demo.pcap");
        String line = ("demo --size 200K --pcap " + file + " " + options).strip();
        assertThat(CommandRun.of(line.split(" ", -1)).exitCode()).isZero();

        Process tshark = new ProcessBuilder(
                        "tshark",
                        "-n",
                        "-r",
                        file.toString(),
                        "-Y",
                        "iwarp_ddp.last_flag == 1",
                        "-T",
                        "fields",
                        "-e",
                        "iwarp_rdma.opcode")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String opcodes = new String(tshark.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

        assertThat(opcodes.lines().collect(Collectors.groupingBy(opcode -> opcode, Collectors.counting())))
                .containsExactlyInAnyOrderEntriesOf(MESSAGES_OF_THE_DEMO);
    }

    @Test
    void aServersFileHasAllItsConnections() throws Exception {
        Path file = directory.resolve("server.pcap");
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0", "--pcap", file.toString())) {
            String address = server.address();
            for (int i = 0; i < 3; i++) {
                CommandRun client = CommandRun.of("echo-client", address, "--count", "5", "--warmup", "0");
                assertThat(client.exitCode()).isZero();
                server.awaitLine(Pattern.compile(".* had 5 messages echoed"));
            }
        }
        List<PcapStream> streams = PcapStream.read(file);
        assertThat(streams).hasSize(6);
        for (PcapStream stream : streams) {
            assertThat(countFpdus(stream, stream.startsWith(REQUEST_KEY) ? REQUEST_KEY : REPLY_KEY))
                    .isEqualTo(5);
        }
    }

    @Test
    void ipv6IsShownAsItIs() throws Exception {
        assumeTrue(hasIpv6(), "this machine has no IPv6");
        Path file = directory.resolve("v6.pcap");
        try (CommandRun server = CommandRun.start("echo-server", "--bind", "::1", "--port", "0")) {
            String address = server.address();
            CommandRun client =
                    CommandRun.of("echo-client", address, "--count", "5", "--warmup", "0", "--pcap", file.toString());
            assertThat(client.err()).isEmpty();
            assertThat(client.exitCode()).isZero();
        }
        assertThat(countFpdus(PcapStream.read(file).get(0), REQUEST_KEY)).isEqualTo(5);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aDiskThatIsFullIsReportedAfterTheWorkIsDone() {
        CommandRun run = CommandRun.of("demo", "--size", "64K", "--pcap", "/dev/full");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("terminate", "CRCs checked");
        assertThat(run.error()).startsWith("iwarp demo: the capture /dev/full is not complete: ");
    }

    @Test
    void aFileThatCannotBeWrittenIsReported() {
        CommandRun demo = CommandRun.of(
                "demo", "--pcap", directory.resolve("no/such/place").toString());

        assertThat(demo.exitCode()).isEqualTo(1);
        assertThat(demo.error()).contains("check the path");
    }

    private static boolean hasIpv6() {
        try (ServerSocket socket =
                new ServerSocket(0, 1, new PeerAddress("::1", 1).resolve().getAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    private static int countFpdus(PcapStream stream, byte[] key) {
        return walkFpdus(stream, key, new TreeSet<>());
    }

    /** Takes one direction apart, which checks each byte of it: lengths, padding and CRCs must all fit. */
    private static int walkFpdus(PcapStream stream, byte[] key, Set<Integer> opcodes) {
        ByteBuffer bytes = ByteBuffer.wrap(stream.bytes());
        assertThat(bytes.slice(0, KEY_LENGTH)).isEqualTo(ByteBuffer.wrap(key));
        bytes.position(START_UP_HEADER + bytes.getShort(PRIVATE_DATA_LENGTH_OFFSET));
        int count = 0;
        while (bytes.hasRemaining()) {
            int begin = bytes.position();
            int covered = (Short.BYTES + (bytes.getShort(begin) & 0xffff) + 3) & ~3;
            CRC32C crc = new CRC32C();
            crc.update(bytes.slice(begin, covered));
            int sent = Integer.reverseBytes(bytes.getInt(begin + covered));
            assertThat(sent).as("CRC of FPDU %d", count).isEqualTo((int) crc.getValue());
            opcodes.add(bytes.get(begin + RDMAP_CONTROL_OFFSET) & OPCODE_MASK);
            bytes.position(begin + covered + Integer.BYTES);
            count++;
        }
        return count;
    }
}
