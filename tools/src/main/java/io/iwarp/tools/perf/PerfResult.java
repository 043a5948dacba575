package io.iwarp.tools.perf;

import com.fasterxml.jackson.core.JsonGenerator;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.tools.cli.EventLoops;
import io.iwarp.tools.cli.Interval;
import io.iwarp.tools.cli.Json;
import io.iwarp.tools.cli.Measurement;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * What was measured for one size.
 *
 * @param plan what was to be measured
 * @param crc whether FPDUs had a CRC
 * @param markers whether the client's FPDUs had markers, at the wish of the server, or the server's at the client's
 * @param seconds the measured time
 * @param operations the number of operations in that time
 * @param intervals the parts of that time
 * @param latencies in nanoseconds: round-trip latency of single operations, or in bandwidth mode from a post to its
 *     completion; with a rate both from the time when the operation was due
 * @param allocated bytes that the client's event loops allocated on the heap
 * @param cpuSeconds that the client's process took
 * @param serverAllocated bytes that the server's process allocated on the heap
 * @param serverCpuSeconds that the server's process took
 */
record PerfResult(
        PerfPlan plan,
        boolean crc,
        boolean markers,
        double seconds,
        long operations,
        List<Interval> intervals,
        Histogram latencies,
        long allocated,
        double cpuSeconds,
        double serverAllocated,
        double serverCpuSeconds) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double BYTES_PER_GIGABYTE = 1e9;

    /**
     * Sums the results of the event loops.
     *
     * @param measured the intervals and latencies
     * @param here what the client's process used
     * @param there what the server's process used, in about the same time
     */
    static PerfResult of(
            PerfPlan plan,
            MpaParameters agreed,
            List<PerfSlice> slices,
            Measurement measured,
            PerfUsage here,
            PerfUsage there) {
        double nanos = slices.stream().mapToLong(PerfSlice::nanos).average().orElse(0);
        // The server is asked a bit earlier or later, how much depends on what waits before the question.
        double share = nanos / there.nanos();
        return new PerfResult(
                plan,
                agreed.crc(),
                agreed.sendMarkers() || agreed.receiveMarkers(),
                nanos / NANOS_PER_SECOND,
                slices.stream().mapToLong(PerfSlice::operations).sum(),
                measured.intervals(),
                measured.times(),
                slices.stream().mapToLong(PerfSlice::allocated).sum(),
                here.cpuNanos() / NANOS_PER_SECOND,
                there.allocated() * share,
                there.cpuNanos() * share / NANOS_PER_SECOND);
    }

    double operationsPerSecond() {
        return operations / seconds;
    }

    /** Returns bytes of the operations, without headers; a round trip counts once. */
    double bytesPerSecond() {
        return operationsPerSecond() * plan.task().size();
    }

    /** Returns bytes that the client's event loops allocated on the heap. */
    double allocatedPerOperation() {
        return perOperation((double) allocated);
    }

    /** Returns bytes that the server's process allocated on the heap. */
    double serverAllocatedPerOperation() {
        return perOperation(serverAllocated);
    }

    private double perOperation(double bytes) {
        return operations == 0 ? 0 : bytes / operations;
    }

    /** Returns the CPU seconds per gigabyte of the client's process; 0 if no bytes were moved. */
    double cpuSecondsPerGigabyte() {
        return perGigabyte(cpuSeconds);
    }

    /** Returns the CPU seconds per gigabyte of the server's process; 0 if no bytes were moved. */
    double serverCpuSecondsPerGigabyte() {
        return perGigabyte(serverCpuSeconds);
    }

    private double perGigabyte(double amount) {
        double gigabytes = (double) operations * plan.task().size() / BYTES_PER_GIGABYTE;
        return gigabytes == 0 ? 0 : amount / gigabytes;
    }

    /** Returns the percentile of the latencies, their minimum for 0, their maximum for 100. */
    double latencyMicros(double percentile) {
        return (percentile == 0 ? latencies.getMinValue() : latencies.getValueAtPercentile(percentile))
                / NANOS_PER_MICRO;
    }

    /** Returns how it was measured, in one line. */
    String conditions() {
        PerfTask task = plan.task();
        EventLoops loops = plan.loops();
        return String.format(
                Locale.ROOT,
                "%s, %s%s, %,d connection%s with %,d posted, %,d thread%s over %s%s%s; %s CRC, %s markers, %s TLS",
                task.operation(),
                task.mode() == PerfMode.LATENCY ? "round-trip latency" : "bandwidth",
                plan.rate() == 0 ? "" : String.format(Locale.ROOT, " at %,.0f operations/s", plan.rate()),
                plan.connections(),
                plan.connections() == 1 ? "" : "s",
                task.depth(),
                loops.threads(),
                loops.threads() == 1 ? "" : "s",
                loops.transport(),
                loops.busyPolling() ? ", polling" : "",
                plan.unsent() == 0 ? "" : String.format(Locale.ROOT, ", at most %,d bytes unsent", plan.unsent()),
                with(crc),
                with(markers),
                with(plan.tls()));
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
        json.writeStringField("transport", plan.loops().transport().toString());
        json.writeBooleanField("crc", crc);
        json.writeBooleanField("markers", markers);
        json.writeBooleanField("tls", plan.tls());
        json.writeBooleanField("busyPoll", plan.loops().busyPolling());
        json.writeNumberField("unsent", plan.unsent());
        json.writeNumberField("connections", plan.connections());
        json.writeNumberField("threads", plan.loops().threads());
        json.writeNumberField("depth", task.depth());
        if (plan.rate() > 0) {
            Json.number(json, "rate", plan.rate(), 1);
        }
        Json.number(json, "seconds", seconds, 6);
        json.writeNumberField("operations", operations);
        Json.number(json, "bytesPerSecond", bytesPerSecond(), 0);
        Json.number(json, "operationsPerSecond", operationsPerSecond(), 1);
        Json.latencies(json, latencies);
        Json.number(json, "allocatedBytesPerOperation", allocatedPerOperation(), 1);
        Json.number(json, "cpuSecondsPerGigabyte", cpuSecondsPerGigabyte(), 4);
        Json.number(json, "serverAllocatedBytesPerOperation", serverAllocatedPerOperation(), 1);
        Json.number(json, "serverCpuSecondsPerGigabyte", serverCpuSecondsPerGigabyte(), 4);
        if (!intervals.isEmpty()) {
            json.writeArrayFieldStart("intervals");
            for (Interval interval : intervals) {
                interval.write(json, task.size());
            }
            json.writeEndArray();
        }
    }
}
