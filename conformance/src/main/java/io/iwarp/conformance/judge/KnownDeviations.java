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
import java.util.Optional;
import java.util.regex.Pattern;

/** What is known about a kind of peer: which cases it fails, and why. */
public final class KnownDeviations {
    private final List<Entry> entries = new ArrayList<>();

    private KnownDeviations() {}

    private record Entry(Pattern pattern, String explanation) {}

    /** {@return a list without entries} */
    public static KnownDeviations none() {
        return new KnownDeviations();
    }

    /**
     * {@return the list in some text: each line has a pattern of case ids, in which {@code *} stands for anything, a tab, and the explanation; lines that begin with # are remarks}
     */
    public static KnownDeviations read(InputStream in) {
        KnownDeviations known = new KnownDeviations();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            lines.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> line.split("\t", 2))
                    .forEach(cells -> known.entries.add(new Entry(glob(cells[0]), cells.length < 2 ? "" : cells[1])));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return known;
    }

    /** {@return the explanation if a peer in this role is known to fail a case} */
    public Optional<String> explain(Role role, String id) {
        String name = role.text() + ":" + id;
        return entries.stream()
                .filter(entry -> entry.pattern.matcher(name).matches())
                .map(Entry::explanation)
                .findFirst();
    }

    /** {@return a pattern in which {@code *} stands for anything} */
    public static Pattern glob(String text) {
        StringBuilder regex = new StringBuilder();
        for (String part : text.toLowerCase(Locale.ROOT).split("\\*", -1)) {
            regex.append(regex.length() == 0 ? "" : ".*").append(Pattern.quote(part));
        }
        return Pattern.compile(regex.toString());
    }
}
