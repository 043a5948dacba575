package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.tools.cli.Endpoint;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePairSettings;
import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A JVM without enough memory says so in two lines, with the number and what limits it. */
class OutOfMemoryTest {
    private static final List<String> SMALL = List.of("-XX:+UseSerialGC", "-Xmx24m", "-XX:MaxDirectMemorySize=24m");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "perf server --port 0, perf client HOST --size 16M --duration 0.1 --warmup 0",
        "file serve --port 0 --directory FOLDER --buffer 16M, file put HOST FOLDER/large copy",
        "rping -s -p 0, rping -c -p PORT -S 16M",
        "cmatose -p 0 -S 16M -C 2, cmatose -s 127.0.0.1 -p PORT -S 16M -C 2"
    })
    void aClientReportsIt(String server, String client) throws Exception {
        Files.write(folder.resolve("large"), new byte[40 << 20]);
        try (CommandRun serving =
                CommandRun.start(server.replace("FOLDER", folder.toString()).split(" "))) {
            String address = serving.address();
            Process small = Child.command(
                            SMALL,
                            client.replace("HOST", address)
                                    .replace("PORT", address.substring(address.lastIndexOf(':') + 1))
                                    .replace("FOLDER", folder.toString())
                                    .split(" "))
                    .start();

            String error = new String(small.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(small.waitFor()).as(error).isEqualTo(1);
            assertThat(error.lines().filter(line -> !line.endsWith("EVENT...")))
                    .as(error)
                    .hasSize(2);
            assertThat(error)
                    .contains("out of memory (", "-Xmx or -XX:MaxDirectMemorySize")
                    .doesNotContain("--tls");
        }
    }

    @Test
    void aServerOfRpingReportsIt() throws Exception {
        Process small = Child.command(SMALL, "rping", "-s", "-p", "0", "-S", "16M", "--max-memory", "1G")
                .redirectErrorStream(true)
                .start();
        try (BufferedReader lines = small.inputReader()) {
            String address = lines.readLine().replaceAll("listening on |,.*", "");
            String port = address.substring(address.lastIndexOf(':') + 1);
            CommandRun client = CommandRun.of("rping", "-c", "-p", port, "-S", "16M", "-C", "1");

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(lines.lines())
                    .anyMatch(line -> line.startsWith("rping: 127.0.0.1:")
                            && line.contains(": out of memory (")
                            && line.contains("-XX:MaxDirectMemorySize"));
        }
        assertThat(small.waitFor()).isEqualTo(1);
    }

    @Test
    void aServerWithoutMemoryRejectsAClient() throws Exception {
        try (Endpoint endpoint = PlainEndpoint.open();
                IwarpListener full = endpoint.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        QueuePairSettings.DEFAULT,
                        request -> {
                            throw new OutOfMemoryError("none is left");
                        })) {
            CommandRun client = CommandRun.of("echo-client", "127.0.0.1:" + full.port());

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).contains("the server has no memory for another client: try again later");
        }
    }

    @Test
    void aClientAllocatesWhatItsFileNeeds() throws Exception {
        Path file = Files.write(folder.resolve("f"), new byte[10]);
        try (CommandRun server =
                CommandRun.start("file", "serve", "--port", "0", "--directory", folder.toString(), "--buffer", "64M")) {
            Process small = Child.command(SMALL, "file", "put", server.address(), file.toString(), "g")
                    .redirectErrorStream(true)
                    .start();

            String output = new String(small.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(small.waitFor()).as(output).isZero();
        }
        assertThat(folder.resolve("g")).hasSize(10);
    }
}
