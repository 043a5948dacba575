package io.iwarp.conformance.judge;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is known about a kind of peer: which cases it fails, and why. The text has one deviation in each line, as four
 * cells with tabs in between:
 *
 * <ol>
 *   <li>the role of the peer: {@code server}, {@code client} or {@code both}
 *   <li>{@code always}, or {@code sometimes} if the outcome depends on the moment
 *   <li>ids of cases with spaces in between, in which {@code *} stands for anything
 *   <li>the explanation
 * </ol>
 *
 * <p>The first line that names a case counts. A line that begins with {@code !} says what the list rests on. A line
 * that begins with {@code #} is a remark.
 */
public final class KnownDeviations {
    private static final int CELLS = 4;

    private final List<Line> lines = new ArrayList<>();
    private final List<String> basis = new ArrayList<>();

    private KnownDeviations() {}

    /**
     * A deviation that is known.
     *
     * @param explanation in one or more sentences
     * @param sometimes whether a run may show it and the next one not
     */
    public record Known(String explanation, boolean sometimes) {}

    private record Line(List<Role> roles, Map<String, Pattern> ids, Known known) {
        boolean names(Role role, String id) {
            return roles.contains(role)
                    && ids.values().stream()
                            .anyMatch(pattern -> pattern.matcher(id).matches());
        }
    }

    /** Returns a list without entries. */
    public static KnownDeviations none() {
        return new KnownDeviations();
    }

    /** Returns the list in some text. */
    public static KnownDeviations read(InputStream in) {
        KnownDeviations known = new KnownDeviations();
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            reader.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .forEach(known::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return known;
    }

    private void add(String line) {
        if (line.startsWith("!")) {
            basis.add(line.substring(1).strip());
            return;
        }
        String[] cells = line.split("\t", -1);
        if (cells.length != CELLS) {
            throw new IllegalArgumentException(
                    "a known deviation has " + CELLS + " cells, and not " + cells.length + ": " + line);
        }
        lines.add(new Line(
                cells[0].equals("both")
                        ? List.of(Role.values())
                        : List.of(Role.valueOf(cells[0].toUpperCase(Locale.ROOT))),
                Stream.of(cells[2].split(" ")).collect(Collectors.toMap(text -> text, KnownDeviations::glob)),
                new Known(cells[3], sometimes(cells[1]))));
    }

    private static boolean sometimes(String word) {
        if (!word.equals("always") && !word.equals("sometimes")) {
            throw new IllegalArgumentException("'" + word + "' is neither 'always' nor 'sometimes'");
        }
        return word.equals("sometimes");
    }

    /** Returns what the list rests on, in sentences for the user; empty if nothing is said about it. */
    public List<String> basis() {
        return List.copyOf(basis);
    }

    /** Returns the deviation if a peer in this role is known to fail a case. */
    public Optional<Known> find(Role role, String id) {
        return lines.stream()
                .filter(line -> line.names(role, id))
                .map(Line::known)
                .findFirst();
    }

    /** Returns those ids and patterns of the list that name none of the cases. */
    public List<String> unused(Role role, List<Case> cases) {
        return lines.stream()
                .filter(line -> line.roles().contains(role))
                .flatMap(line -> line.ids().entrySet().stream())
                .filter(id -> cases.stream()
                        .noneMatch(test -> id.getValue().matcher(test.id()).matches()))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    /** Returns a pattern in which {@code *} stands for anything. */
    public static Pattern glob(String text) {
        StringBuilder regex = new StringBuilder();
        for (String part : text.toLowerCase(Locale.ROOT).split("\\*", -1)) {
            regex.append(regex.length() == 0 ? "" : ".*").append(Pattern.quote(part));
        }
        return Pattern.compile(regex.toString());
    }
}
