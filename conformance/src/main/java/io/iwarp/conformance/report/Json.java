package io.iwarp.conformance.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.iwarp.conformance.judge.Level;
import io.iwarp.conformance.judge.Result;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A report as JSON: what a comparison reads again. */
public final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** Writes a report. */
    public static void write(Report report, Path file) throws IOException {
        try (var out = Files.newBufferedWriter(file)) {
            write(report, out);
        }
    }

    /** Writes a report, and leaves the writer open. */
    public static void write(Report report, Writer out) throws IOException {
        try (JsonGenerator json = FACTORY.createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            json.writeStringField("title", report.title());
            json.writeStringField("role", report.role());
            json.writeStringField("peer", report.peer());
            json.writeStringField("options", report.options());
            strings(json, "missing", report.missing());
            json.writeArrayFieldStart("cases");
            for (Report.Outcome one : report.outcomes()) {
                json.writeStartObject();
                json.writeStringField("id", one.id());
                json.writeStringField("title", one.title());
                json.writeStringField("level", one.level().name());
                strings(json, "requirements", one.requirements());
                strings(json, "sections", one.sections());
                json.writeStringField("status", one.status().name());
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
            json.nextToken();
            Fields fields = new Fields(json);
            if (json.nextToken() != null) {
                throw new IllegalArgumentException("something stands after its end");
            }
            return new Report(
                    fields.text("title"),
                    fields.text("role"),
                    fields.text("peer"),
                    fields.text("options"),
                    fields.texts("missing"),
                    fields.objects("cases").stream().map(Json::outcome).toList());
        } catch (JsonProcessingException e) {
            throw noReport(file, e.getOriginalMessage(), e);
        } catch (CharacterCodingException e) {
            throw noReport(file, "it is not UTF-8", e);
        } catch (IllegalArgumentException e) {
            throw noReport(file, e.getMessage(), e);
        }
    }

    private static IOException noReport(Path file, @Nullable String reason, Exception cause) {
        return new IOException(
                file + " is no report of the suite: " + reason + ". Give a file that --json wrote", cause);
    }

    private static Report.Outcome outcome(Fields fields) {
        return new Report.Outcome(
                fields.text("id"),
                fields.text("title"),
                fields.constant("level", Level.class),
                fields.texts("requirements"),
                fields.texts("sections"),
                fields.constant("status", Result.Status.class),
                fields.text("seen"),
                fields.text("allowed"),
                fields.text("explanation"),
                Boolean.parseBoolean(fields.text("sometimes")),
                fields.texts("dialogue"),
                Long.parseLong(fields.text("millis")));
    }

    /**
     * The fields of an object: texts, lists of texts, and lists of objects. All that are asked for have to be there.
     */
    private static final class Fields {
        private final Map<String, String> texts = new HashMap<>();
        private final Map<String, List<String>> lists = new HashMap<>();
        private final Map<String, List<Fields>> objects = new HashMap<>();

        /** Reads an object, at whose beginning the parser is. */
        Fields(JsonParser json) throws IOException {
            require(json.currentToken() == JsonToken.START_OBJECT, "it has no object where one is expected");
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                if (json.nextToken() != JsonToken.START_ARRAY) {
                    require(json.currentToken().isScalarValue(), "its field " + name + " is an object");
                    texts.put(name, json.getText());
                    continue;
                }
                List<String> ofTexts = new ArrayList<>();
                List<Fields> ofObjects = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    if (json.currentToken() == JsonToken.VALUE_STRING) {
                        ofTexts.add(json.getText());
                    } else {
                        ofObjects.add(new Fields(json));
                    }
                }
                lists.put(name, ofTexts);
                objects.put(name, ofObjects);
            }
            require(json.currentToken() == JsonToken.END_OBJECT, "it is cut off");
        }

        private static void require(boolean condition, String complaint) {
            if (!condition) {
                throw new IllegalArgumentException(complaint);
            }
        }

        private static <T> T get(Map<String, T> values, String name) {
            T value = values.get(name);
            require(value != null, "it has no field " + name);
            return Objects.requireNonNull(value);
        }

        String text(String name) {
            return get(texts, name);
        }

        List<String> texts(String name) {
            return get(lists, name);
        }

        List<Fields> objects(String name) {
            return get(objects, name);
        }

        <E extends Enum<E>> E constant(String name, Class<E> type) {
            String text = text(name);
            return Arrays.stream(type.getEnumConstants())
                    .filter(constant -> constant.name().equals(text))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("its field " + name + " is " + text));
        }
    }
}
