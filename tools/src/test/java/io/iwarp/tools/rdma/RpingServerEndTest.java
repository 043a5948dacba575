package io.iwarp.tools.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A server of rping that is asked to end. */
class RpingServerEndTest {
    private static final int PCAP_HEADER = 24;

    @TempDir
    private Path folder;

    @Test
    @EnabledOnOs(OS.LINUX)
    void itsCaptureIsWhole() throws Exception {
        Path capture = folder.resolve("server.pcap");
        Process server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.iwarp.tools.Iwarp",
                        "rping",
                        "-s",
                        "-P",
                        "-p",
                        "0",
                        "--pcap",
                        capture.toString())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader said = server.inputReader()) {
            assertThat(said.readLine()).startsWith("listening on");
        } finally {
            server.destroy();
        }

        server.waitFor();

        assertThat(Files.size(capture)).isEqualTo(PCAP_HEADER);
    }
}
