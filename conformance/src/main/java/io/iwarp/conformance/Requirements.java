package io.iwarp.conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** What the RFCs ask of an iWARP stack: the list that the documentation, the tests and the suite share. */
public final class Requirements {
    private static final String RESOURCE = "requirements.tsv";
    private static final int COLUMNS = 6;

    private final Map<String, Requirement> byId;

    private Requirements(Map<String, Requirement> byId) {
        this.byId = byId;
    }

    /**
     * One row.
     *
     * @param id such as {@code MPA-11}
     * @param level the keyword of the document, or {@code implied}
     * @param sections of the RFCs
     * @param part such as {@code MPA}
     * @param section of the list, such as {@code Framing}
     * @param text in the words of this project
     */
    public record Requirement(String id, String level, String sections, String part, String section, String text) {}

    /** Returns the list, in its order. */
    public static Requirements load() {
        try (InputStream in = Objects.requireNonNull(Requirements.class.getResourceAsStream(RESOURCE), RESOURCE);
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            Map<String, Requirement> byId = new LinkedHashMap<>();
            lines.lines().skip(1).map(Requirements::parse).forEach(row -> byId.put(row.id(), row));
            return new Requirements(Collections.unmodifiableMap(byId));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Requirement parse(String line) {
        String[] cells = line.split("\t", -1);
        if (cells.length != COLUMNS) {
            throw new IllegalStateException(
                    RESOURCE + " has a line of " + cells.length + " instead of " + COLUMNS + " cells: " + line);
        }
        return new Requirement(cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]);
    }

    /** Returns all of them. */
    public Collection<Requirement> all() {
        return byId.values();
    }

    /** Returns whether there is one with this id. */
    public boolean has(String id) {
        return byId.containsKey(id);
    }

    /** Returns the one with this id. */
    public Requirement get(String id) {
        return Objects.requireNonNull(byId.get(id), id);
    }
}
