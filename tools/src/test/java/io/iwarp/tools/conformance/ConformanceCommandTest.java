package io.iwarp.tools.conformance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.conformance.ConformanceSuite;
import io.iwarp.conformance.judge.Result;
import io.iwarp.conformance.judge.Role;
import io.iwarp.conformance.judge.Runner;
import io.iwarp.testing.RefusingPort;
import io.iwarp.tools.Child;
import io.iwarp.tools.CommandRun;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/** The commands of the conformance suite against the rping of this project; checks/conformance/run has all cases. */
class ConformanceCommandTest {
    private static final String SOME =
            "mpa.request.key.*,ddp.queue.*,ddp.version.*,rdmap.terminate.bits.*,ping.size.1*,setup.*";

    private static final Logger LOGGER = LoggerFactory.getLogger(ConformanceCommandTest.class);

    @TempDir
    private Path folder;

    @Test
    void aServerOfThisProjectPassesAndTheReportsSaySo() throws Exception {
        Path json = folder.resolve("server.json");
        Path html = folder.resolve("server.html");
        Path junit = folder.resolve("server.xml");
        try (CommandRun server = CommandRun.start("rping", "-s", "-P", "-p", "0");
                CommandRun suite = CommandRun.of(
                        "conformance",
                        "server",
                        server.address(),
                        "--title",
                        "a card",
                        "--size",
                        "4096",
                        "--only",
                        SOME,
                        "--json",
                        json.toString(),
                        "--html",
                        html.toString(),
                        "--junit",
                        junit.toString())) {
            assertThat(suite.exitCode()).as(suite.out() + suite.err()).isZero();
            assertThat(suite.out()).contains(" passed, 0 failed").contains("ok      ddp.version.send.0");
        }
        assertThat(Files.readString(html)).contains("RFC 5041 §7.1(1)").contains("<code>ddp.queue.4</code>");
        assertThat(Files.readString(junit)).contains("conformance of a card", "failures=\"0\"");
        try (CommandRun compare =
                CommandRun.of("conformance", "compare", json.toString(), json.toString(), "--html", html.toString())) {
            assertThat(compare.exitCode()).as(compare.err()).isZero();
        }
        assertThat(Files.readString(html)).contains("Conformance of 2 peers");
    }

    @ParameterizedTest
    @CsvSource({
        "'', 0, 'skipped 1: it takes many seconds: --slow runs it'",
        "--require crc, 0, 'ok      require.crc'",
        "--require open-memory, 1, 'FAILED  require.open-memory'",
    })
    void slowCasesAreSkippedAndRequiredOnesRun(String options, int exitCode, String line) throws Exception {
        try (CommandRun server = CommandRun.start("rping", "-s", "-P", "-p", "0")) {
            String all = "conformance server " + server.address() + " --only ping.many.33000 " + options;
            CommandRun suite = CommandRun.of(all.strip().split(" "));

            assertThat(suite.exitCode()).as(suite.out() + suite.err()).isEqualTo(exitCode);
            assertThat(suite.out()).contains(line);
        }
    }

    @Test
    void aReportIsAllThatStandardOutputHas() throws Exception {
        try (CommandRun server = CommandRun.start("rping", "-s", "-P", "-p", "0")) {
            CommandRun suite =
                    CommandRun.of("conformance", "server", server.address(), "--only", "ddp.queue.4", "--json", "-");

            assertThat(suite.exitCode()).as(suite.err()).isZero();
            assertThat(suite.out()).startsWith("{").contains("\"PASSED\"").doesNotContain("ok ");
            assertThat(suite.err()).contains("ok      ddp.queue.4");
        }
    }

    @Test
    void slowCasesRunOnRequest() {
        ConformanceOptions options = new ConformanceOptions();
        new CommandLine(options).parseArgs("--slow");

        assertThat(options.options(Role.SERVER).slow()).isTrue();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aPeerThatDiesIsStartedAgainOnRequest() throws Exception {
        Path started = folder.resolve("started");
        try (CommandRun server = CommandRun.start("rping", "-s", "-P", "-p", "0");
                CommandRun suite = CommandRun.start(
                        "conformance",
                        "server",
                        server.address(),
                        "--patience",
                        "2",
                        "--restart",
                        "touch " + started + "; exit 3")) {
            suite.awaitLine(Pattern.compile("ok .*"));

            server.stop();

            assertThat(suite.exitCode()).isNotZero();
            assertThat(suite.out() + suite.err()).contains("the command of --restart ended with status 3");
        }
        assertThat(started).exists();
    }

    @ParameterizedTest
    @CsvSource({"FAILED, true, 1", "SKIPPED, true, 0", "SKIPPED, false, 3"})
    void boundsThatWereNotSeenMayBeWaived(Result.Status status, boolean waived, int exitCode) {
        Result result = new Result(
                new ConformanceSuite().cases(Role.CLIENT).get(0),
                status,
                Runner.NO_BOUNDS,
                "",
                null,
                List.of(),
                List.of(),
                0);

        assertThat(ConformanceOptions.exitCode(
                        List.of(result), waived ? Set.of(ConformanceOptions.Waiver.BOUNDS) : Set.of()))
                .isEqualTo(exitCode);
    }

    @Test
    void differentRunsOfOnePeerAreReported() throws Exception {
        Path first = folder.resolve("first.json");
        Path second = folder.resolve("second.json");
        try (CommandRun server = CommandRun.start("rping", "-s", "-P", "-p", "0");
                CommandRun suite = CommandRun.of(
                        "conformance",
                        "server",
                        server.address(),
                        "--only",
                        "ddp.queue.4",
                        "--json",
                        first.toString())) {
            assertThat(suite.exitCode()).as(suite.out() + suite.err()).isZero();
        }
        try (CommandRun compare = CommandRun.of("conformance", "compare", first.toString(), first.toString())) {
            assertThat(compare.exitCode()).as(compare.err()).isZero();
            assertThat(compare.out()).contains("agree");
        }
        Files.writeString(second, Files.readString(first).replace("\"PASSED\"", "\"FAILED\""));
        try (CommandRun compare = CommandRun.of("conformance", "compare", first.toString(), second.toString())) {
            assertThat(compare.exitCode()).isOne();
            assertThat(compare.err()).contains("ddp.queue.4 is not the same in each run");
        }
        try (CommandRun compare = CommandRun.of("conformance", "compare", first.toString())) {
            assertThat(compare.exitCode()).isOne();
            assertThat(compare.err()).contains("no runs were compared");
        }
    }

    @Test
    void aRunThatCannotStartLeavesNoReportOfAnEarlierOne() throws Exception {
        Path json = Files.writeString(folder.resolve("old.json"), "old");
        Path junit = Files.writeString(folder.resolve("old.xml"), "old");
        Path captures = Files.createDirectory(folder.resolve("pcap"));
        Path capture = Files.writeString(captures.resolve("ddp.queue.4.pcap"), "old");
        try (CommandRun run = CommandRun.of(
                "conformance",
                "client",
                "--only",
                "ddp.queue.4",
                "--json",
                json.toString(),
                "--junit",
                junit.toString(),
                "--pcap-dir",
                captures.toString(),
                "--",
                "true",
                "{port}")) {
            assertThat(run.exitCode()).isEqualTo(2);
        }
        assertThat(json).content().contains("\"missing\" : [ \"ddp.queue.4\" ]");
        assertThat(junit).content().contains("<error message=\"This report is partial");
        assertThat(capture).doesNotExist();
    }

    @Test
    void oneFileForTwoReportsIsRefused() throws Exception {
        Path file = folder.resolve("both");
        Path same = folder.resolve("x").resolve("..").resolve("both");
        try (CommandRun run = CommandRun.of(
                "conformance", "server", "127.0.0.1:7174", "--json", file.toString(), "--html", same.toString())) {
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err()).contains("is given for two reports");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aCommandThatDetachesEndsWithItsConnection() throws Exception {
        Path pid = folder.resolve("pid");
        cannotRun(
                "has ended",
                "client",
                "--",
                "sh",
                "-c",
                "setsid sleep 1000 >/dev/null 2>&1 & echo $! >" + pid + "; : {port}");
        long detached = Long.parseLong(Files.readString(pid).strip());
        ProcessHandle.of(detached)
                .ifPresent(process ->
                        process.onExit().orTimeout(60, TimeUnit.SECONDS).join());
    }

    @Test
    void aClientOfThisProjectPasses() {
        try (CommandRun suite = CommandRun.of(
                "conformance",
                "client",
                "--in-process",
                "--only",
                "setup.request.*,ddp.queue.4,ping.size.100",
                "--",
                "rping",
                "-c",
                "-p",
                "{port}",
                "-C",
                "{count}",
                "-S",
                "{size}")) {
            assertThat(suite.exitCode()).as(suite.out() + suite.err()).isZero();
            assertThat(suite.out()).contains("ok      ping.size.100").contains(" passed, 0 failed");
        }
    }

    @Test
    void aLevelHasTheCasesOfTheLevelsBeforeIt() {
        try (CommandRun list = CommandRun.of("conformance", "server", "--list", "--level", "pings")) {
            assertThat(list.exitCode()).as(list.err()).isZero();
            assertThat(list.out())
                    .contains("mpa.request.key.0 ", "ping.size.1 ")
                    .doesNotContain("mpa.crc", "\nddp.", "\nrule.", "\next.");
        }
    }

    @Test
    void casesAreListedWithWhatTheyProve() {
        try (CommandRun list = CommandRun.of("conformance", "server", "--list", "--only", "ddp.queue.4")) {
            assertThat(list.exitCode()).isZero();
            assertThat(list.out()).contains("ddp.queue.4").contains("DDP-54").contains("RFC 5041 §7.1(1)");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"siw", "irdma", "cxgb4"})
    void kindsOfPeersAreNamedInLowerCase(String kind) {
        try (CommandRun list =
                CommandRun.of("conformance", "server", "--list", "--only", "ddp.queue.4", "--peer", kind)) {
            assertThat(list.exitCode()).as(list.err()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--peer, linux, 'linux' is none of siw, irdma, cxgb4",
        "--html, /no/such/folder/report.html, --html /no/such/folder/report.html cannot be written",
        "--json, /, --json / cannot be written (Is a directory): choose another path",
        "--pcap-dir, /dev/null, --pcap-dir /dev/null cannot be written",
        "--patience, 0.5ms, --patience is less than 1 ms",
        "--quiet-time, 0, --quiet-time is less than 1 ms",
        "--quiet-time, 100us, '100us' is not a time: write seconds",
        "--size, 17M, --size 17 MiB is outside 1 byte to 16 MiB",
        "--only, no-such-case, --only no-such-case matches no case",
        "--only, ',', --only has an empty pattern",
        "--waive, all, 'all' is none of bounds",
        "--revision, 3, --revision 3 is neither 1 nor 2",
        "--except, *, '--except * matches all '"
    })
    void anUnusableOptionIsReportedBeforeAnyCase(String option, String value, String message) {
        try (CommandRun run = CommandRun.of("conformance", "server", "127.0.0.1:7174", option, value)) {
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err()).contains(message);
            assertThat(run.out()).isEmpty();
        }
    }

    @Test
    void aFloodOfOutputIsReportedByItsEnd() {
        cannotRun("no device", "client", "--", "sh", "-c", "seq 1000000; echo no device; exit 3", "{port}");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 19, 20, 23, 24})
    void aPeerThatResetsWithinItsReplyIsReported(int behind) throws Exception {
        byte[] reply = HexFormat.of().parseHex("4d504120494420526570204672616d65" + "50020004" + "00080008");
        cannotJudge("does not complete a ping, so that no case can run: ", "", socket -> {
            socket.getInputStream().readNBytes(reply.length);
            socket.getOutputStream().write(reply, 0, behind);
            socket.setSoLinger(true, 0);
        });
    }

    @Test
    void aPeerThatSpeaksAnotherProtocolIsQuoted() throws Exception {
        cannotJudge(
                "it sent 'HTTP/1.1 400 Bad Request..', which is no start-up frame of MPA. Check that a server of rping",
                "",
                socket -> socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n".getBytes(US_ASCII)));
    }

    @Test
    void aPeerThatSendsWithoutEndIsReported() throws Exception {
        byte[] some = new byte[1 << 16];
        cannotJudge("which is no start-up frame of MPA", "", socket -> {
            OutputStream out = socket.getOutputStream();
            for (; ; ) {
                out.write(some);
            }
        });
    }

    @Test
    void aPeerThatAnswersTooLateIsReported() throws Exception {
        cannotJudge(
                "nothing more came within 200.0 ms. Check that a server of rping listens there, or give it more time",
                "0.2",
                socket -> socket.getInputStream().transferTo(OutputStream.nullOutputStream()));
    }

    private interface Peer {
        void serve(Socket socket) throws IOException;
    }

    private static void cannotJudge(String reason, String patience, Peer peer) throws Exception {
        Thread thread;
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            // The suite asks twice.
            thread = new Thread(() -> {
                while (!listener.isClosed()) {
                    try (Socket socket = listener.accept()) {
                        peer.serve(socket);
                    } catch (IOException e) {
                        LOGGER.debug("the suite has gone", e);
                    }
                }
            });
            thread.start();
            String address = "127.0.0.1:" + listener.getLocalPort();
            cannotRun(reason, "server", address, "--patience", patience.isEmpty() ? "5" : patience);
        }
        thread.join();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void anUnwritableReportDoesNotStopTheOthers() throws Exception {
        Path junit = folder.resolve("whole.xml");
        try (CommandRun server = CommandRun.start("rping", "-s", "-P", "-p", "0");
                CommandRun suite = CommandRun.of(
                        "conformance",
                        "server",
                        server.address(),
                        "--only",
                        "ddp.queue.4",
                        "--json",
                        "/dev/full",
                        "--junit",
                        junit.toString())) {
            assertThat(suite.exitCode()).as(suite.out() + suite.err()).isEqualTo(2);
            assertThat(suite.err().strip())
                    .isEqualTo("--json /dev/full cannot be written (No space left on device): choose another path");
        }
        assertThat(junit).content().contains("ddp.queue.4");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theCasesSoFarAreReportedAtASignal() throws Exception {
        Path json = folder.resolve("part.json");
        try (CommandRun server = CommandRun.start("rping", "-s", "-P", "-p", "0")) {
            Process suite = Child.command("conformance", "server", server.address(), "--json", json.toString())
                    .redirectErrorStream(true)
                    .start();
            try (BufferedReader said = suite.inputReader()) {
                assertThat(said.readLine()).startsWith("ok ");
            } finally {
                suite.destroy();
            }
            suite.waitFor();
        }
        assertThat(json).content().contains("\"PASSED\"").doesNotContain("\"missing\" : [ ]");
    }

    @Test
    void whatCannotRunIsOneLineAndStatusTwo() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(socket.getLocalPort());
            cannotRun("port " + port + ": Address already in use", "client", "--port", port, "--", "true");
        }
        try (RefusingPort port = new RefusingPort()) {
            cannotRun(port.port() + ": Connection refused", "server", "127.0.0.1:" + port.port());
        }
        cannotRun("no host is known", "server", "no-such-host.invalid:7174");
        cannotRun("the COMMAND '/no/such/program' does not start", "client", "--", "/no/such/program", "{port}");
        cannotRun("has ended", "client", "--", "true", "{port}");
    }

    private static void cannotRun(String reason, String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "conformance";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        try (CommandRun run = CommandRun.of(all)) {
            assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(2);
            assertThat(run.error()).contains(reason);
        }
    }
}
