package io.iwarp.tools.perf;

import com.fasterxml.jackson.core.JsonGenerator;
import io.iwarp.tools.cli.Json;
import io.iwarp.tools.cli.JsonOption;
import io.iwarp.tools.cli.Version;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The results of one client as a page of HTML that needs no other file: the page of the resources, whose script draws
 * curves over the size from the lines of {@code --json}.
 */
final class PerfReport {
    private static final String PLACE = "DATA";

    private PerfReport() {}

    /**
     * Returns the page.
     *
     * @param results at least one, of the same operation and in the same mode, by rising size
     * @param command the command line
     */
    static String html(List<PerfResult> results, String command) throws IOException {
        String data = Json.object(json -> writeData(json, results, command));
        try (InputStream page = Objects.requireNonNull(PerfReport.class.getResourceAsStream("report.html"))) {
            // A tag within the data would end the element that it is in.
            return new String(page.readAllBytes(), StandardCharsets.UTF_8).replace(PLACE, data.replace("<", "\\u003c"));
        }
    }

    private static void writeData(JsonGenerator json, List<PerfResult> results, String command) throws IOException {
        PerfResult first = results.get(0);
        PerfTask task = first.plan().task();
        json.writeStringField("title", "iwarp perf: " + task.operation() + ", " + task.mode());
        json.writeStringField(
                "time", task.mode() == PerfMode.LATENCY ? "Round trip" : "Time from posting to completion");
        json.writeObjectFieldStart("facts");
        json.writeStringField(
                "date",
                DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss z", Locale.ROOT)
                        .format(ZonedDateTime.now(ZoneId.systemDefault())));
        json.writeStringField("version", Version.text());
        json.writeStringField("host", JsonOption.host());
        json.writeStringField("command", command);
        json.writeStringField("measured", first.conditions());
        json.writeEndObject();
        json.writeArrayFieldStart("results");
        for (PerfResult result : results) {
            json.writeStartObject();
            result.write(json);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("table");
        writeRow(json, PerfColumn.ALL.stream().map(PerfColumn::title).toList());
        for (PerfResult result : results) {
            writeRow(
                    json,
                    PerfColumn.ALL.stream().map(column -> column.text(result)).toList());
        }
        json.writeEndArray();
        json.writeFieldName("explanations");
        writeRow(json, PerfColumn.explanations(first.plan()));
    }

    private static void writeRow(JsonGenerator json, List<String> cells) throws IOException {
        json.writeArray(cells.toArray(String[]::new), 0, cells.size());
    }
}
