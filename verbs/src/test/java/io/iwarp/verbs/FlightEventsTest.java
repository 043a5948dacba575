package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.EventType;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What JDK Flight Recorder shows of connections. */
class FlightEventsTest {
    @TempDir
    private Path folder;

    /** Both ends, from a connection to a Send that finds no receive. */
    private List<RecordedEvent> record(boolean operations) throws Exception {
        Path file = folder.resolve("flight.jfr");
        ProtectionDomain domain = ProtectionDomain.create();
        try (Recording recording = new Recording()) {
            recording.enable("io.iwarp.Connection").withoutThreshold();
            recording.enable("io.iwarp.Terminate");
            if (operations) {
                recording.enable("io.iwarp.LongOperation").withThreshold(Duration.ZERO);
            }
            recording.start();
            try (SimulatedPair pair = new SimulatedPair(
                    domain, QueuePairSettings.DEFAULT, queuePair -> queuePair.receive(Unpooled.buffer(8, 8)))) {
                pair.initiator.queuePair().send(Unpooled.copyLong(1));
                pair.initiator.queuePair().send(Unpooled.copyInt(1));
                pair.run();
                pair.advance(Duration.ofHours(1));
            }
            recording.stop();
            recording.dump(file);
        }
        domain.close();
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("io.iwarp."))
                .toList();
    }

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("io.iwarp." + name))
                .toList();
    }

    @Test
    void connectionsAndTerminatesAreRecorded() throws Exception {
        List<RecordedEvent> events = record(false);
        assertThat(named(events, "Connection")).hasSize(2).allSatisfy(connection -> {
            assertThat(connection.getBoolean("established")).isTrue();
            assertThat(connection.getString("reason")).contains("0x1/0x2/0x02");
            assertThat(connection.getString("channel")).isNotEmpty();
            assertThat(connection.getString("remoteAddress")).isEqualTo("embedded");
        });
        assertThat(named(events, "Connection"))
                .extracting(connection -> connection.getString("role") + " " + connection.getString("endedBy"))
                .containsExactlyInAnyOrder("INITIATOR PEER_TERMINATE", "RESPONDER LOCAL_FAULT");
        assertThat(named(events, "Connection"))
                .anyMatch(connection -> connection.getLong("bytesSent") > 12)
                .anyMatch(connection -> connection.getLong("bytesReceived") > 12);
        assertThat(named(events, "Terminate"))
                .hasSize(2)
                .allMatch(terminate -> terminate.getString("error").startsWith("0x1/0x2/0x02"))
                .extracting(terminate -> terminate.getBoolean("sent"))
                .containsExactlyInAnyOrder(true, false);
        assertThat(named(events, "LongOperation")).isEmpty();
        assertThat(EventType.getEventType(LongOperationEvent.class).getSettingDescriptors())
                .filteredOn(setting -> setting.getName().equals("enabled"))
                .extracting(setting -> setting.getDefaultValue())
                .containsExactly("false");
    }

    @Test
    void operationsAreRecordedOnRequest() throws Exception {
        List<RecordedEvent> operations = named(record(true), "LongOperation");
        assertThat(operations)
                .extracting(operation -> operation.getString("operation") + " " + operation.getLong("bytes") + " "
                        + operation.getBoolean("successful"))
                .containsExactly("SEND 8 true", "SEND 4 true");
        assertThat(operations).allMatch(operation -> operation.getDuration().toNanos() > 0);
    }
}
