package io.iwarp.tools.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.tools.CommandRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of the conformance suite against the rping of this project; checks/conformance/run has all cases. */
class ConformanceCommandTest {
    private static final String SOME = "mpa.request.key.*,mpa.reply.key.*,ddp.*,rdmap.terminate.*,ping.size.*,setup.*";

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
            assertThat(suite.out()).contains(" passed, 0 failed").contains("ok      ddp.version.untagged.0");
        }
        assertThat(Files.readString(html)).contains("RFC 5041 §7.1(1)").contains("<code>ddp.queue.4</code>");
        assertThat(Files.readString(junit)).contains("failures=\"0\"");
        try (CommandRun compare =
                CommandRun.of("conformance", "compare", json.toString(), json.toString(), "--html", html.toString())) {
            assertThat(compare.exitCode()).as(compare.err()).isZero();
        }
        assertThat(Files.readString(html)).contains("Conformance of 2 peers");
    }

    @Test
    void runsOfOnePeerThatDifferAreTold() throws Exception {
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
    }

    @Test
    void aClientOfThisProjectPasses() {
        try (CommandRun suite = CommandRun.of(
                "conformance",
                "client",
                "--in-process",
                "--only",
                "setup.*,ddp.queue.*,ping.size.100",
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
        "--peer, linux, but was 'linux'",
        "--html, /no/such/folder/report.html, --html /no/such/folder/report.html is in no folder that exists",
        "--patience, 1e-9, --patience 1.0E-9 is less than a millisecond"
    })
    void anOptionThatCannotBeUsedIsToldBeforeAnyCaseRuns(String option, String value, String message) {
        try (CommandRun run = CommandRun.of("conformance", "server", "127.0.0.1:7174", option, value)) {
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err()).contains(message);
            assertThat(run.out()).isEmpty();
        }
    }

    @Test
    void aCommandThatFloodsItsOutputIsToldWithTheEndOfIt() {
        cannotRun("no device", "client", "--", "sh", "-c", "seq 1000000; echo no device; exit 3");
    }

    @Test
    void aPeerThatResetsIsToldInOneLine() throws Exception {
        try (ServerSocket resetting = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> {
                try {
                    Socket socket = resetting.accept();
                    socket.setSoLinger(true, 0);
                    socket.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            thread.start();
            cannotRun("does not complete a ping", "server", "127.0.0.1:" + resetting.getLocalPort());
            thread.join();
        }
    }

    @Test
    void whatCannotRunIsOneLineAndStatusTwo() throws IOException {
        int unused;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            unused = socket.getLocalPort();
            String port = Integer.toString(socket.getLocalPort());
            cannotRun("port " + port + ": Address already in use", "client", "--port", port, "--", "true");
        }
        cannotRun(unused + ": Connection refused", "server", "127.0.0.1:" + unused);
        cannotRun("no host is known", "server", "no-such-host.invalid:7174");
        cannotRun("the COMMAND '/no/such/program' does not start", "client", "--", "/no/such/program");
        cannotRun("has ended", "client", "--", "true");
    }

    @Test
    void aPeerThatIsNoneIsToldInOneLine() throws IOException {
        try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            cannotRun("does not complete a ping", "server", "127.0.0.1:" + deaf.getLocalPort(), "--patience", "0.2");
        }
    }

    private static void cannotRun(String reason, String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "conformance";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        try (CommandRun run = CommandRun.of(all)) {
            assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(2);
            assertThat(run.err().strip().lines()).hasSize(1);
            assertThat(run.err()).contains(reason);
        }
    }
}
