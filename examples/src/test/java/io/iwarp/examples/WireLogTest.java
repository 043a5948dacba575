package io.iwarp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.iwarp.rdmap.WireLogHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class WireLogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(WireLogHandler.LOGGER_NAME);
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    @TempDir
    private Path directory;

    @BeforeEach
    void listen() {
        logger.setAdditive(false);
        appender.start();
        logger.addAppender(appender);
    }

    @AfterEach
    void restore() {
        logger.detachAppender(appender);
        logger.setAdditive(true);
        logger.setLevel(null);
    }

    @Test
    void theDemosLogHasEachTypeOfMessageBesideAnyCapture() {
        Path capture = directory.resolve("demo.pcap");
        CommandRun demo = CommandRun.of("demo", "--size", "1000", "--wire-log", "--pcap", capture.toString());

        assertThat(demo.exitCode()).isZero();
        List<String> lines =
                appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
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
        assertThat(appender.list).isEmpty();
    }
}
