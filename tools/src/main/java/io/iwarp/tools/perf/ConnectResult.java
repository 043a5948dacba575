package io.iwarp.tools.perf;

import com.fasterxml.jackson.core.JsonGenerator;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.EventLoops;
import io.iwarp.tools.cli.Json;
import java.io.IOException;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What {@link PerfConnect} measured.
 *
 * @param connections the number of connections
 * @param parallel the number of concurrent connection attempts
 * @param loops the event loops of the client
 * @param tls whether the connections use TLS
 * @param nanos the total time in nanoseconds, without closing kept connections
 * @param times the time of each connection, in nanoseconds
 * @param here the client memory of all connections, if they were kept
 * @param there the server memory of all connections, if they were kept
 */
record ConnectResult(
        int connections,
        int parallel,
        EventLoops loops,
        boolean tls,
        long nanos,
        Histogram times,
        @Nullable PerfUsage here,
        @Nullable PerfUsage there) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;

    private double perSecond() {
        return connections / (nanos / NANOS_PER_SECOND);
    }

    private double micros(double percentile) {
        return times.getValueAtPercentile(percentile) / NANOS_PER_MICRO;
    }

    /** Returns one or two lines of human-readable text. */
    String text() {
        String rate = String.format(
                Locale.ROOT,
                "%s, %,d at a time over %s: %,.0f per second, p50 %,.1f us, p99 %,.1f us, max %,.1f us",
                Bytes.count(connections, "connection"),
                parallel,
                loops.transport(),
                perSecond(),
                micros(50),
                micros(99),
                micros(100));
        return here == null || there == null
                ? rate
                : rate + System.lineSeparator() + "each takes, when idle, " + bytes(here) + " at the client; "
                        + bytes(there) + " at the server";
    }

    private String bytes(PerfUsage usage) {
        return String.format(
                Locale.ROOT,
                "%,d bytes of heap and %,d of direct memory",
                usage.heap() / connections,
                usage.direct() / connections);
    }

    /** Writes the fields of JSON. */
    void write(JsonGenerator json) throws IOException {
        json.writeStringField("op", "connect");
        json.writeStringField("transport", loops.transport().toString());
        json.writeBooleanField("tls", tls);
        json.writeBooleanField("busyPoll", loops.busyPolling());
        json.writeNumberField("threads", loops.threads());
        json.writeNumberField("connections", connections);
        json.writeNumberField("parallel", parallel);
        Json.number(json, "seconds", nanos / NANOS_PER_SECOND, 6);
        Json.number(json, "connectionsPerSecond", perSecond(), 1);
        Json.latencies(json, times);
        if (here != null && there != null) {
            json.writeNumberField("heapBytesPerConnection", here.heap() / connections);
            json.writeNumberField("directBytesPerConnection", here.direct() / connections);
            json.writeNumberField("serverHeapBytesPerConnection", there.heap() / connections);
            json.writeNumberField("serverDirectBytesPerConnection", there.direct() / connections);
        }
    }
}
