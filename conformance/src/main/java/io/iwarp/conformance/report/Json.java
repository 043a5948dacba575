package io.iwarp.conformance.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A report as JSON: what a comparison reads again. */
public final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** Writes a report. */
    public static void write(Report report, Path file) throws IOException {
        try (var out = Files.newBufferedWriter(file);
                JsonGenerator json = FACTORY.createGenerator(out)) {
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            json.writeStringField("title", report.title());
            json.writeStringField("role", report.role());
            json.writeStringField("peer", report.peer());
            json.writeStringField("options", report.options());
            json.writeArrayFieldStart("cases");
            for (Report.Outcome one : report.outcomes()) {
                json.writeStartObject();
                json.writeStringField("id", one.id());
                json.writeStringField("title", one.title());
                json.writeStringField("level", one.level());
                strings(json, "requirements", one.requirements());
                strings(json, "sections", one.sections());
                json.writeStringField("status", one.status());
                json.writeStringField("seen", one.seen());
                json.writeStringField("allowed", one.allowed());
                json.writeStringField("explanation", one.explanation());
                json.writeBooleanField("sometimes", one.sometimes());
                strings(json, "dialogue", one.dialogue());
                json.writeNumberField("millis", one.millis());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    private static void strings(JsonGenerator json, String name, List<String> values) throws IOException {
        json.writeArrayFieldStart(name);
        for (String value : values) {
            json.writeString(value);
        }
        json.writeEndArray();
    }

    /**
     * Reads a report.
     *
     * @throws IOException if the file is no report; the message names it
     */
    public static Report read(Path file) throws IOException {
        try (var in = Files.newBufferedReader(file);
                JsonParser json = FACTORY.createParser(in)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException(file + " holds no report of the suite: it has to be a file of --json");
            }
            Map<String, String> texts = new HashMap<>();
            List<Report.Outcome> outcomes = new ArrayList<>();
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                if (json.nextToken() == JsonToken.START_ARRAY) {
                    while (json.nextToken() == JsonToken.START_OBJECT) {
                        outcomes.add(outcome(json));
                    }
                } else {
                    texts.put(name, json.getText());
                }
            }
            return new Report(
                    text(texts, "title"), text(texts, "role"), text(texts, "peer"), text(texts, "options"), outcomes);
        } catch (JsonProcessingException e) {
            throw new IOException(file + " holds no report of the suite: " + e.getOriginalMessage(), e);
        }
    }

    private static Report.Outcome outcome(JsonParser json) throws IOException {
        Map<String, String> texts = new HashMap<>();
        Map<String, List<String>> lists = new HashMap<>();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            if (json.nextToken() == JsonToken.START_ARRAY) {
                List<String> values = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    values.add(json.getText());
                }
                lists.put(name, values);
            } else {
                texts.put(name, json.getText());
            }
        }
        return new Report.Outcome(
                text(texts, "id"),
                text(texts, "title"),
                text(texts, "level"),
                lists.getOrDefault("requirements", List.of()),
                lists.getOrDefault("sections", List.of()),
                text(texts, "status"),
                text(texts, "seen"),
                text(texts, "allowed"),
                text(texts, "explanation"),
                Boolean.parseBoolean(text(texts, "sometimes")),
                lists.getOrDefault("dialogue", List.of()),
                Long.parseLong(texts.getOrDefault("millis", "0")));
    }

    private static String text(Map<String, String> texts, String name) {
        return texts.getOrDefault(name, "");
    }
}
