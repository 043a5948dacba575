package io.iwarp.tools.perf;

import com.fasterxml.jackson.core.JsonGenerator;
import io.iwarp.tools.cli.EventLoops;
import io.iwarp.tools.cli.Interval;
import io.iwarp.tools.cli.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What {@link PerfConnect} measured.
 *
 * @param parallel the number of concurrent connection attempts
 * @param loops the event loops of the client
 * @param tls whether the connections use TLS
 * @param total without the time to close kept connections
 * @param here the client memory of all connections, if they were kept
 * @param there the server memory of all connections, if they were kept
 */
record ConnectResult(
        int parallel,
        EventLoops loops,
        boolean tls,
        Interval total,
        @Nullable PerfUsage here,
        @Nullable PerfUsage there) {
    /** Returns lines of human-readable text. */
    List<String> lines() {
        List<String> lines = new ArrayList<>(total.summary(0, "connection"));
        if (here != null && there != null) {
            lines.add("each takes, when idle, " + bytes(here) + " at the client; " + bytes(there) + " at the server");
        }
        return lines;
    }

    private String bytes(PerfUsage usage) {
        return String.format(
                Locale.ROOT,
                "%,d bytes of heap and %,d of direct memory",
                usage.heap() / total.operations(),
                usage.direct() / total.operations());
    }

    /** Writes the fields of JSON. */
    void write(JsonGenerator json) throws IOException {
        json.writeStringField("op", "connect");
        json.writeStringField("transport", loops.transport().toString());
        json.writeBooleanField("tls", tls);
        json.writeBooleanField("busyPoll", loops.busyPolling());
        json.writeNumberField("threads", loops.threads());
        json.writeNumberField("connections", total.operations());
        json.writeNumberField("parallel", parallel);
        Json.number(json, "seconds", total.seconds(), 6);
        Json.number(json, "connectionsPerSecond", total.perSecond(), 1);
        Json.latencies(json, total.times());
        if (here != null && there != null) {
            json.writeNumberField("heapBytesPerConnection", here.heap() / total.operations());
            json.writeNumberField("directBytesPerConnection", here.direct() / total.operations());
            json.writeNumberField("serverHeapBytesPerConnection", there.heap() / total.operations());
            json.writeNumberField("serverDirectBytesPerConnection", there.direct() / total.operations());
        }
    }
}
