package io.iwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.LogCapture;
import io.iwarp.tools.CommandRun;
import io.iwarp.verbs.WireLogHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class WireLogTest {
    @RegisterExtension
    private final LogCapture log = new LogCapture(WireLogHandler.LOGGER_NAME);

    @TempDir
    private Path directory;

    @Test
    void theDemosLogHasEachTypeOfMessageBesideAnyCapture() {
        Path capture = directory.resolve("demo.pcap");
        CommandRun demo = CommandRun.of("demo", "--size", "1000", "--wire-log", "--pcap", capture.toString());

        assertThat(demo.exitCode()).isZero();
        List<String> lines = log.messages();
        for (String type : List.of(
                "MPA Request Frame",
                "MPA Reply Frame",
                "RDMA Write",
                "RDMA Read Request",
                "RDMA Read Response",
                "Send",
                "Atomic Request",
                "Atomic Response",
                "Immediate Data",
                "Terminate")) {
            assertThat(lines).as(type).anyMatch(line -> line.matches("\\[id: .* - R:.*\\] (->|<-) " + type + ".*"));
        }
        assertThat(capture).satisfies(file -> assertThat(Files.size(file)).isPositive());
    }

    @Test
    void withoutTheOptionNothingIsLogged() {
        CommandRun demo = CommandRun.of("demo", "--size", "1000");

        assertThat(demo.exitCode()).isZero();
        assertThat(log.events()).isEmpty();
    }
}
