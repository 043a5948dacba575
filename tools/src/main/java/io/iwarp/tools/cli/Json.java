package io.iwarp.tools.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.HdrHistogram.Histogram;

/** Writes results as JSON, in one line. */
public final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final double NANOS_PER_MICRO = 1e3;

    private Json() {}

    /** Writes the fields of an object. */
    public interface Fields {
        void write(JsonGenerator json) throws IOException;
    }

    /** Returns an object. */
    public static String object(Fields fields) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.writeStartObject();
            fields.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a string takes all that is written", e);
        }
        return text.toString();
    }

    /** Writes a number with that number of decimals; 0 if it is infinite or NaN. */
    public static void number(JsonGenerator json, String name, double value, int decimals) throws IOException {
        json.writeNumberField(
                name, BigDecimal.valueOf(Double.isFinite(value) ? value : 0).setScale(decimals, RoundingMode.HALF_UP));
    }

    /** Writes percentiles of times in nanoseconds. */
    public static void latencies(JsonGenerator json, Histogram nanos) throws IOException {
        json.writeObjectFieldStart("latencyMicros");
        number(json, "min", nanos.getMinValue() / NANOS_PER_MICRO, 3);
        number(json, "p50", nanos.getValueAtPercentile(50) / NANOS_PER_MICRO, 3);
        number(json, "p99", nanos.getValueAtPercentile(99) / NANOS_PER_MICRO, 3);
        number(json, "p999", nanos.getValueAtPercentile(99.9) / NANOS_PER_MICRO, 3);
        number(json, "p9999", nanos.getValueAtPercentile(99.99) / NANOS_PER_MICRO, 3);
        number(json, "max", nanos.getMaxValue() / NANOS_PER_MICRO, 3);
        json.writeEndObject();
    }
}
