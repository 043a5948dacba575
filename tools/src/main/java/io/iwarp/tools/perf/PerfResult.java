package io.iwarp.tools.perf;

import com.fasterxml.jackson.core.JsonGenerator;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.EventLoops;
import io.iwarp.tools.cli.Interval;
import io.iwarp.tools.cli.Json;
import io.iwarp.tools.cli.Measurement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What was measured for one size.
 *
 * @param plan what was to be measured
 * @param agreed how the first connection was set up
 * @param congestion the congestion control of what the client sends
 * @param measurement with its intervals
 * @param total all of it; the latencies are those of round trips, or in bandwidth mode from a post to its completion,
 *     with a rate both from the time when the operation was due
 * @param here what the client's process used
 * @param there what the server's process used, in about the same time; null if the server is lost
 */
record PerfResult(
        PerfPlan plan,
        MpaParameters agreed,
        String congestion,
        Measurement measurement,
        Interval total,
        PerfUsage here,
        @Nullable PerfUsage there) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BYTES_PER_GIGABYTE = 1e9;
    private static final double MOST = 0.9;
    /** Of a rate that was asked for: less is not reached. */
    private static final double REACHED = 0.98;

    private boolean markers() {
        return agreed.sendMarkers() || agreed.receiveMarkers();
    }

    /**
     * Returns the part of what the server's process used that was for this client: its part of the bytes on the wire.
     * That also corrects that the server is asked a bit earlier or later.
     */
    private double share() {
        return there == null || there.wire() == 0 ? 0 : (double) here.wire() / there.wire();
    }

    /** Returns bytes of the operations, without headers; a round trip counts once. */
    double bytesPerSecond() {
        return total.perSecond() * plan.task().size();
    }

    /** Returns bytes that the client's event loops allocated on the heap. */
    double allocatedPerOperation() {
        return perOperation((double) here.allocated());
    }

    /** Returns bytes that the server's event loops allocated on the heap for this client; NaN if unknown. */
    double serverAllocatedPerOperation() {
        return there == null ? Double.NaN : perOperation(there.allocated() * share());
    }

    private double perOperation(double bytes) {
        return total.operations() == 0 ? 0 : bytes / total.operations();
    }

    /** Returns the CPU seconds per gigabyte of the client's process; 0 if no bytes were moved. */
    double cpuSecondsPerGigabyte() {
        return perGigabyte((double) here.cpuNanos());
    }

    /** Returns the CPU seconds per gigabyte of the server's process for this client; NaN if unknown. */
    double serverCpuSecondsPerGigabyte() {
        return there == null ? Double.NaN : perGigabyte(there.cpuNanos() * share());
    }

    private double perGigabyte(double nanos) {
        double gigabytes = (double) total.operations() * plan.task().size() / BYTES_PER_GIGABYTE;
        return gigabytes == 0 ? 0 : nanos / NANOS_PER_SECOND / gigabytes;
    }

    /** Returns how it was measured, in one line. */
    String conditions() {
        PerfTask task = plan.task();
        EventLoops loops = plan.loops();
        return String.format(
                        Locale.ROOT,
                        "%s%s, %s%s, %,d client%s with %,d posted, %,d thread%s over %s%s%s;"
                                + " %s CRC, %s markers, %s TLS, TCP %s",
                        task.operation(),
                        task.direction(),
                        task.mode() == PerfMode.LATENCY ? "round-trip latency" : "bandwidth",
                        plan.rate() == 0 ? "" : String.format(Locale.ROOT, " at %,.0f operations/s", plan.rate()),
                        plan.connections(),
                        plan.connections() == 1 ? "" : "s",
                        task.depth(),
                        loops.threads(),
                        loops.threads() == 1 ? "" : "s",
                        loops.transport(),
                        loops.busyPolling() ? ", polling" : "",
                        plan.unsent() == 0
                                ? ""
                                : String.format(Locale.ROOT, ", at most %,d bytes unsent", plan.unsent()),
                        with(agreed.crc()),
                        with(markers()),
                        with(plan.tls()),
                        congestion)
                + others();
    }

    private String others() {
        return there == null || share() > MOST
                ? ""
                : String.format(Locale.ROOT, "; %.0f%% of the server's bytes, and of its cost", 100 * share());
    }

    /** Returns what to know beside the numbers, as lines of text. */
    List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        String size = Bytes.size(plan.task().size()) + ": ";
        if (measurement.cutShort()) {
            remarks.add(size + "interrupted after " + Bytes.time(total.nanos()));
        }
        if (plan.rate() > 0 && total.perSecond() < REACHED * plan.rate()) {
            remarks.add(size
                    + String.format(Locale.ROOT, "the rate of %,.0f/s was not reached", plan.rate())
                    + ", and the times include the wait of operations that were due");
        }
        return remarks;
    }

    private static String with(boolean present) {
        return present ? "with" : "without";
    }

    /** Writes the fields of JSON. */
    void write(JsonGenerator json) throws IOException {
        PerfTask task = plan.task();
        json.writeStringField("op", task.operation().toString());
        json.writeNumberField("size", task.size());
        json.writeStringField("mode", task.mode().toString());
        json.writeStringField("direction", task.direction().name().toLowerCase(Locale.ROOT));
        json.writeStringField("transport", plan.loops().transport().toString());
        json.writeStringField("congestion", congestion);
        json.writeBooleanField("crc", agreed.crc());
        json.writeBooleanField("markers", markers());
        json.writeBooleanField("tls", plan.tls());
        json.writeBooleanField("busyPoll", plan.loops().busyPolling());
        json.writeNumberField("unsent", plan.unsent());
        json.writeNumberField("connections", plan.connections());
        json.writeNumberField("threads", plan.loops().threads());
        json.writeNumberField("depth", task.depth());
        if (plan.rate() > 0) {
            Json.number(json, "rate", plan.rate(), 1);
            json.writeBooleanField("correctedForCoordinatedOmission", true);
        }
        total.write(json, task.size());
        Json.number(json, "allocatedBytesPerOperation", allocatedPerOperation(), 1);
        Json.number(json, "cpuSecondsPerGigabyte", cpuSecondsPerGigabyte(), 4);
        if (measurement.cutShort()) {
            json.writeBooleanField("cutShort", true);
        }
        Json.number(json, "serverAllocatedBytesPerOperation", serverAllocatedPerOperation(), 1);
        Json.number(json, "serverCpuSecondsPerGigabyte", serverCpuSecondsPerGigabyte(), 4);
        json.writeArrayFieldStart("intervals");
        for (Interval interval : measurement.intervals()) {
            json.writeStartObject();
            interval.write(json, task.size());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
