package io.iwarp.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.CommandRun;
import io.iwarp.tools.PlainEndpoint;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.PeerAddress;
import io.iwarp.tools.cli.ServerOptions;
import io.iwarp.tools.cli.Transport;
import io.iwarp.verbs.QueuePair;
import io.netty.channel.ChannelOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PerfTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({
        "send, bandwidth, 0",
        "send, bandwidth, 1000",
        "send, bandwidth, 3M",
        "write, bandwidth, 64K",
        "write-immediate, bandwidth, 100",
        "read, bandwidth, 64K",
        "fetch-add, bandwidth, 8",
        "compare-swap, bandwidth, 8",
        "send, latency, 64",
        "write, latency, 1",
        "write, latency, 100K",
        "write-immediate, latency, 64",
        "read, latency, 64",
        "fetch-add, latency, 8",
        "compare-swap, latency, 8"
    })
    void eachOperationIsMeasuredInEachMode(String operation, String mode, String size) throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            String line = measure(server, "--op", operation, "--mode", mode, "--size", size);

            assertThat(text(line, "op")).isEqualTo(operation);
            assertThat(text(line, "mode")).isEqualTo(mode);
            assertThat(text(line, "transport")).isEqualTo("nio");
            assertThat(number(line, "size"))
                    .isEqualTo(new Bytes.Converter().convert(size).doubleValue());
            assertThat(number(line, "operations")).isPositive();
            assertThat(number(line, "seconds")).isBetween(0.1, 60.0);
            assertThat(number(line, "operationsPerSecond")).isPositive();
            assertThat(number(line, "p50")).isPositive().isLessThanOrEqualTo(number(line, "p99"));
            assertThat(number(line, "p999")).isLessThanOrEqualTo(number(line, "max"));
            assertThat(number(line, "cpuSecondsPerGigabyte")).isNotNegative();
            assertThat(number(line, "serverCpuSecondsPerGigabyte")).isNotNegative();
            assertThat(number(line, "serverAllocatedBytesPerOperation")).isNotNegative();
            assertThat(server.out()).doesNotContain("disconnected before");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--clients 3 --threads 2", "--depth 1", "--depth 1024", "--busy-poll", "--no-crc", "--markers"})
    void eachOptionLetsTheMeasurementSucceed(String options) throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0", "--no-crc")) {
            List<String> arguments = new ArrayList<>(List.of("--op", "send", "--size", "4K"));
            arguments.addAll(List.of(options.split(" ")));

            String line = measure(server, arguments.toArray(String[]::new));

            assertThat(number(line, "operations")).isPositive();
            assertThat(line)
                    .contains("\"busyPoll\":" + options.contains("busy-poll"))
                    .contains("\"crc\":" + !options.contains("no-crc"))
                    .contains("\"markers\":" + options.contains("markers"));
        }
    }

    @ParameterizedTest
    @CsvSource({"send, bandwidth", "send, latency", "write, latency", "read, bandwidth"})
    void everythingGoesThroughTlsOnRequest(String operation, String mode) throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0", "--tls")) {
            String line = measure(server, "--op", operation, "--mode", mode, "--size", "1000", "--tls");

            assertThat(number(line, "operations")).isPositive();
            assertThat(line).contains("\"tls\":true");
            assertThat(server.out()).doesNotContain("disconnected before");
        }
    }

    @ParameterizedTest
    @CsvSource({"nio, 64K, choose epoll", "epoll, 0, outside 1", "epoll, 2G, outside 1"})
    void aLimitOfTheUnsentThatCannotBeIsAWrongOption(String transport, String limit, String complaint) {
        CommandRun client = CommandRun.of("perf", "client", "127.0.0.1:1", "--transport", transport, "--unsent", limit);

        assertThat(client.exitCode()).isEqualTo(2);
        assertThat(client.err()).contains("--unsent", complaint);
    }

    @ParameterizedTest
    @CsvSource({
        "--tls, --no-crc, 'both sides need --tls, or neither: iwarp probe shows what the other side is'",
        "--no-crc, --tls, 'the peer does not use TLS, or refused this side; see its log:"
                + " check --tls, --cert, --key and --ca on both sides'"
    })
    void tlsOnOneSideOnlyIsReported(String atServer, String atClient, String advice) throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0", atServer)) {
            CommandRun client = CommandRun.of("perf", "client", server.address(), atClient);

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).endsWith(advice);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void anUnknownCongestionControlEndsTheCommand() {
        for (String role : List.of("server --port 0", "client 127.0.0.1:1")) {
            CommandRun run = CommandRun.of(("perf " + role + " --transport epoll --congestion bogus").split(" ", -1));

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.error())
                    .contains("--congestion bogus cannot be used here: choose one of ")
                    .doesNotContain("connect");
        }
    }

    @Test
    void eachColumnOfATableIsExplained() throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            CommandRun run = CommandRun.of("perf", "client", server.address(), "--duration", "0.05", "--warmup", "0");

            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(PerfColumn.ALL.stream().map(PerfColumn::title)).doesNotHaveDuplicates();
            String explanations = run.out().lines().skip(3).reduce("", (all, line) -> all + "\n" + line);
            assertThat(explanations)
                    .contains("\nbytes ", "MB/s", "Gbit/s", "op/s", "p50", "max", "B/op", "s/GB", "posting");
        }
    }

    @Test
    void aRejectionNamesTheDepthOfTheServer() throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0", "--max-depth", "16")) {
            String address = server.address();
            CommandRun client = CommandRun.of("perf", "client", address, "--depth", "17");

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).contains("up to 16", "--max-depth");
            assertThat(number(measure(address, "--op", "send", "--depth", "16"), "operations"))
                    .isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({"EPOLL, epoll", "IO_URING, io_uring"})
    void aTransportWorksOrSaysWhyItCannot(Transport transport, String name) throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            if (transport.unavailabilityCause() == null) {
                String line = measure(server, "--op", "send", "--transport", name, "--unsent", "64K");
                assertThat(text(line, "transport")).isEqualTo(name);
                assertThat(number(line, "unsent")).isEqualTo(65_536);
            } else {
                CommandRun client = CommandRun.of("perf", "client", server.address(), "--transport", name);
                assertThat(client.exitCode()).isEqualTo(1);
                assertThat(client.error()).contains("--transport " + name + " cannot be used here (", "such as nio");
            }
        }
    }

    @Test
    void aSweepMeasuresEachSizeAndDrawsCurves() throws Exception {
        Path report = directory.resolve("report.html");
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            List<String> lines = measure(
                            server,
                            "--op",
                            "write",
                            "--sweep",
                            "1000..6K",
                            "--mulpdu",
                            "500",
                            "--report",
                            report.toString())
                    .lines()
                    .toList();

            assertThat(lines).extracting(line -> number(line, "size")).containsExactly(1000.0, 2000.0, 4000.0, 6144.0);
            assertThat(lines).extracting(line -> number(line, "operations")).allMatch(operations -> operations > 0);
        }
        String page = Files.readString(report);
        assertThat(page)
                .startsWith("<!DOCTYPE html>")
                .contains("write, bandwidth, 1 client with 8 posted", "\"1,000\"", "\"6,144\"")
                .contains("\"date\":\"20", "\"version\":", "\"host\":", "<meta name=\"viewport\"")
                .containsPattern("\"command\":\"iwarp perf client .* --sweep 1000..6K ")
                .doesNotContain("<img", "src=", "DATA");
        assertThat(page.split("\"op\":\"write\"", -1))
                .as("the lines of --json are in the page")
                .hasSize(5);
    }

    @Test
    void nothingOnTheCommandLineEndsTheScriptOfTheReport() throws Exception {
        Path report = Files.createDirectory(directory.resolve("<")).resolve("script>report.html");
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            measure(server, "--op", "send", "--size", "64", "--report", report.toString());
        }
        assertThat(Files.readString(report))
                .contains("\\u003c/script>report.html")
                .doesNotContain("</script>report");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ratesArePrintedWhileItRuns(boolean quiet) throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            List<String> arguments = new ArrayList<>(List.of("perf", "client", server.address()));
            arguments.addAll(List.of("--duration", "0.3", "--interval", "0.1", "--warmup", "0", "--depth", "8"));
            if (quiet) {
                arguments.add("--quiet");
            }
            CommandRun client = CommandRun.of(arguments.toArray(String[]::new));

            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(client.out().contains("until s")).isEqualTo(!quiet);
            assertThat(client.out())
                    .contains("write, bandwidth, 1 client with 8 posted, 1 thread over nio; with CRC, without")
                    .contains("MB/s", "min us", "p99.99 us", "client s/GB");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "send, bandwidth, 1001, 2",
        "write, bandwidth, 7, 3",
        "read, bandwidth, 1, 1",
        "send, latency, 10, 1",
        "write, latency, 11, 2"
    })
    void aCountIsTheNumberOfOperations(String operation, String mode, int count, int connections) throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            String line = measure(
                    server,
                    "--op",
                    operation,
                    "--mode",
                    mode,
                    "--size",
                    "64",
                    "--count",
                    "" + count,
                    "--clients",
                    "" + connections);

            assertThat(number(line, "operations")).isEqualTo(count);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bandwidth", "latency"})
    void aRateIsKept(String mode) throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            String line =
                    measure(server, "--op", "send", "--mode", mode, "--size", "64", "--rate", "200", "--count", "40");

            assertThat(number(line, "operations")).isEqualTo(40);
            assertThat(number(line, "rate")).isEqualTo(200);
            // 39 intervals of 5 ms at least, whatever the machine does besides.
            assertThat(number(line, "seconds")).isGreaterThan(0.19);
            assertThat(number(line, "min")).isLessThanOrEqualTo(number(line, "p50"));
        }
    }

    @Test
    void aRateThatIsNotReachedIsReported() throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            CommandRun client = CommandRun.of(
                    "perf",
                    "client",
                    server.address(),
                    "--size",
                    "64",
                    "--rate",
                    "1000000000",
                    "--warmup",
                    "0.1",
                    "--duration",
                    "0.1");

            assertThat(client.exitCode()).as(client.err()).isZero();
            assertThat(client.out())
                    .contains("when it was due (corrected for coordinated omission)")
                    .contains("64 bytes: the rate of 1,000,000,000/s was not reached");
        }
    }

    @Test
    void aRateIsANumber() {
        assertThat(CommandRun.of("perf", "client", "127.0.0.1:1", "--rate", "500k")
                        .err())
                .contains("'500k' is not a number");
    }

    @Test
    void jsonOnStandardOutputStandsAlone() throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            CommandRun client = CommandRun.of(
                    "perf",
                    "client",
                    server.address(),
                    "--count",
                    "10",
                    "--warmup",
                    "0",
                    "--size",
                    "1,2",
                    "--json",
                    "-",
                    "--label",
                    "x");

            assertThat(client.out().lines())
                    .hasSize(2)
                    .allMatch(line -> line.startsWith("{\"op\":\"write\"") && line.endsWith(",\"label\":\"x\"}"))
                    .allMatch(line -> line.contains("\"command\":\"iwarp perf client ") && line.contains("\"host\":"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--reverse, send, 0, 1",
        "--reverse, send, 3M, 1",
        "--reverse, send, 64, 2",
        "--reverse, write, 4K, 2",
        "--bidir, send, 64, 1",
        "--bidir, send, 2M, 2",
        "--bidir, write, 100K, 2"
    })
    void theServerPostsToo(String direction, String operation, String size, int clients) throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            String line = measure(
                    server, "--op", operation, direction, "--size", size, "--clients", "" + clients, "--depth", "2");

            assertThat(text(line, "direction")).isEqualTo(direction.equals("--bidir") ? "both" : "from_server");
            assertThat(number(line, "operations")).isPositive();
            if (direction.equals("--reverse")) {
                assertThat(number(line, "bytesPerSecondFromServer")).isEqualTo(number(line, "bytesPerSecond"));
            } else if (size.equals("64")) {
                assertThat(number(line, "bytesPerSecondFromServer")).isBetween(1.0, number(line, "bytesPerSecond") - 1);
            }
            assertThat(server.out()).doesNotContain("disconnected before");
        }
    }

    @Test
    void theCostOfTheServerIsDividedByBytes() throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            String address = server.address();
            CommandRun other = CommandRun.start(
                    "perf", "client", address, "--duration", "1000", "--warmup", "0", "--interval", "0.1");
            other.awaitLine(Pattern.compile("[0-9.]+ .*"));

            CommandRun client = CommandRun.of(
                    "perf", "client", address, "--size", "64", "--depth", "1", "--duration", "0.3", "--warmup", "0");

            assertThat(client.out()).containsPattern("; \\d+% of the server's bytes, and of its cost");
            assertThat(other.stop()).isZero();
        }
    }

    @Test
    void whatWasMeasuredBeforeTheServerLeftIsPrinted() throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            CommandRun client = CommandRun.start(
                    "perf", "client", server.address(), "--duration", "1000", "--warmup", "0", "--interval", "0.1");
            client.awaitLine(Pattern.compile("[0-9.]+ .*"));

            server.stop();

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.out()).contains("write, bandwidth, 1 client", "p99.99 us", " -\n");
            assertThat(client.err()).contains("iwarp perf client: ");
        }
    }

    @Test
    void whatWasMeasuredBeforeCtrlCIsPrinted() throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            CommandRun client = CommandRun.start(
                    "perf", "client", server.address(), "--duration", "1000", "--warmup", "0", "--interval", "0.1");
            client.awaitLine(Pattern.compile("until s .*"));
            client.awaitLine(Pattern.compile("[0-9.]+ .*"));

            assertThat(client.stop()).as(client.err()).isZero();
            assertThat(client.out()).contains("write, bandwidth, 1 client", "p99.99 us");
        }
    }

    @Test
    void aServerForOneClientEndsWhenItHasLeft() throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0", "--once")) {
            measure(server, "--op", "write", "--sweep", "64..128");

            assertThat(server.exitCode()).isZero();
            assertThat(server.out().lines().filter(line -> line.contains(" was served: write, ")))
                    .hasSize(2);
        }
    }

    @Test
    void anIntervalHasTheRateOfItsPart() throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0")) {
            String line = measure(server, "--duration", "0.2", "--interval", "0.05");

            List<Double> parts = Pattern.compile(
                            "\\{\"seconds\":([0-9.]+),\"operations\":[0-9]+,\"bytesPerSecond\":([0-9]+),")
                    .matcher(line)
                    .results()
                    .map(part -> Double.parseDouble(part.group(1)) * Double.parseDouble(part.group(2)))
                    .toList();
            assertThat(parts).hasSizeBetween(1, 5);
            // Operations that were done between the last part and the end belong to the whole alone.
            assertThat(parts.stream().mapToDouble(Double::doubleValue).sum())
                    .isPositive()
                    .isLessThan(number(line, "operations") * 65_536 * 1.001);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--sweep 64",
                "--sweep 0..64",
                "--sweep 64..1",
                "--sweep 64..x",
                "--sweep 1..2 --size 1",
                "--sweep 1..2G",
                "--op fetch-add --sweep 1..16",
                "--mulpdu 127",
                "--mulpdu 64769",
                "--op push",
                "--mode both",
                "--transport carrier-pigeon",
                "--op fetch-add --size 16",
                "--mode latency --depth 2",
                "--mode latency --size 0",
                "--size 2G",
                "--depth 0",
                "--depth 1025",
                "--clients 0",
                "--threads 0",
                "--duration 0",
                "--interval 0",
                "--count 0",
                "--count 1 --clients 2",
                "--count 1 --duration 1",
                "--rate 0",
                "--reverse --bidir",
                "--reverse --op read",
                "--bidir --mode latency --op send",
                "--reverse --count 5",
                "--bidir --rate 5",
                "--json same --report same",
                "--warmup -1"
            })
    void refusesWhatItCannotDo(String options) {
        List<String> arguments = new ArrayList<>(List.of("perf", "client", "127.0.0.1:7471"));
        arguments.addAll(List.of(options.split(" ")));

        CommandRun client = CommandRun.of(arguments.toArray(String[]::new));

        assertThat(client.exitCode()).isEqualTo(2);
        assertThat(client.err()).contains("'iwarp perf client --help'");
        assertThat(client.out()).isEmpty();
    }

    @Test
    void theServerContinuesAfterAClientWasKilled() throws Exception {
        try (CommandRun server = CommandRun.start("perf", "server", "--port", "0");
                Endpoint endpoint = PlainEndpoint.open()) {
            String address = server.address();
            PerfTask task = new PerfTask(
                    PerfOperation.SEND,
                    PerfMode.BANDWIDTH,
                    PerfTask.Direction.TO_SERVER,
                    64,
                    4,
                    new RemoteBuffer(0, 0, 0));
            QueuePair killed = endpoint.connect(
                    new PeerAddress.Converter().convert(address).resolve(),
                    new ServerOptions().settings().build(),
                    task.encode(),
                    fresh -> {});
            killed.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            killed.abort();
            server.awaitLine(Pattern.compile(".* disconnected before it finished: .*"));

            assertThat(number(measure(address, "--op", "send"), "operations")).isPositive();
            assertThat(server.stop()).isZero();
        }
    }

    @Test
    void aServerOfAnotherKindIsReported() throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0")) {
            CommandRun client = CommandRun.of("perf", "client", server.address());

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).contains("this is an echo-server");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--idle", "--idle --tls --transport nio --threads 2"})
    void connectionsAreMadeByTheHundred(String options) throws Exception {
        Path json = directory.resolve("connect.json");
        // Garbage of other tests is collected meanwhile: little beside a thousand connections.
        int connections = options.contains("--tls") ? 50 : options.contains("--idle") ? 1000 : 200;
        List<String> arguments = new ArrayList<>(List.of("perf", "connect", "HOST:PORT"));
        arguments.addAll(
                List.of("--count", "" + connections, "--clients", "4", "--warmup", "20", "--json", json.toString()));
        options.lines().flatMap(line -> Stream.of(line.split(" "))).forEach(arguments::add);
        try (CommandRun server = CommandRun.start(
                "perf",
                "server",
                "--port",
                "0",
                "--max-depth",
                "4",
                options.contains("--tls") ? "--tls" : "--no-crc")) {
            arguments.set(2, server.address());

            CommandRun client = CommandRun.of(arguments.toArray(String[]::new));

            assertThat(client.err()).isEmpty();
            assertThat(client.exitCode()).isZero();
            String line = Files.readString(json);
            assertThat(text(line, "op")).isEqualTo("connect");
            assertThat(number(line, "connections")).isEqualTo(connections);
            assertThat(number(line, "connectionsPerSecond")).isPositive();
            assertThat(number(line, "p50")).isPositive().isLessThanOrEqualTo(number(line, "max"));
            assertThat(client.out())
                    .contains(
                            "connections, 4 at a time over nio",
                            String.format(Locale.ROOT, "%,d connections in ", connections),
                            "p99.99");
            if (options.contains("--idle")) {
                assertThat(client.out()).contains("bytes of heap and", "at the client;", "at the server");
                if (connections == 1000) {
                    assertThat(number(line, "heapBytesPerConnection")).isPositive();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--count 0", "--count 1000001", "--clients 0", "--warmup -1", "--op send"})
    void connectRefusesWhatItCannotDo(String options) {
        List<String> arguments = new ArrayList<>(List.of("perf", "connect", "127.0.0.1:7471"));
        arguments.addAll(List.of(options.split(" ")));

        CommandRun client = CommandRun.of(arguments.toArray(String[]::new));

        assertThat(client.exitCode()).isEqualTo(2);
        assertThat(client.err()).contains("'iwarp perf connect --help'");
    }

    private String measure(CommandRun server, String... options) throws Exception {
        return measure(server.address(), options);
    }

    private String measure(String address, String... options) throws Exception {
        Path json = directory.resolve("perf.json");
        List<String> arguments = new ArrayList<>(List.of("perf", "client", address));
        arguments.addAll(List.of("--warmup", "0.05", "--json", json.toString()));
        if (!List.of(options).contains("--duration") && !List.of(options).contains("--count")) {
            arguments.addAll(List.of("--duration", "0.1"));
        }
        arguments.addAll(List.of(options));
        if (!arguments.contains("--depth") && !arguments.contains("latency")) {
            // What is under way when the time is over has to arrive, and is slow while each buffer is watched for
            // leaks.
            arguments.addAll(List.of("--depth", "8"));
        }
        CommandRun client = CommandRun.of(arguments.toArray(String[]::new));
        assertThat(client.err()).isEmpty();
        assertThat(client.exitCode()).isZero();
        return Files.readString(json).strip();
    }

    private static String text(String line, String field) {
        return field(line, field, "\"([^\"]*)\"");
    }

    private static double number(String line, String field) {
        return Double.parseDouble(field(line, field, "(-?[0-9.]+)"));
    }

    private static String field(String line, String field, String value) {
        Matcher matcher = Pattern.compile("\"" + field + "\":" + value).matcher(line);
        assertThat(matcher.find()).as(field + " in " + line).isTrue();
        return matcher.group(1);
    }
}
