package io.iwarp.tools;

import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.kv.KvLimits;
import io.iwarp.tools.kv.KvRefusedException;
import io.iwarp.tools.kv.KvStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads keys and values from a text file in one of two forms. In a table such as {@code /etc/services}, each line has a
 * key, tabs, and a value, and lines that begin with {@code #} are comments. In any other file, such as a list of words,
 * the value is the line and the key is the line number, from 1 on. Empty lines are skipped. The last value of a key
 * wins.
 */
final class KvFile {
    /** Nothing to load. */
    static final KvFile NONE = new KvFile(null, List.of(), 0);

    private static final char TAB = '\t';
    private static final Pattern TABS = Pattern.compile("^\t+");
    private static final String COMMENT = "#";
    /** The decoder's replacement for invalid UTF-8. */
    private static final char NOT_UTF_8 = '\ufffd';

    private final @Nullable Path path;
    private final List<Entry> entries;
    private final int skipped;

    /** A usable line. */
    private record Entry(int line, String key, String value) {
        Entry {
            KvLimits.requireKey(bytes(key));
            KvLimits.requireValue(bytes(value));
        }
    }

    private KvFile(@Nullable Path path, List<Entry> entries, int skipped) {
        this.path = path;
        this.entries = entries;
        this.skipped = skipped;
    }

    /**
     * Reads a file.
     *
     * @param skipping whether to skip invalid lines instead of failing
     * @throws CommandFailedException if a line is invalid; the message names the line and the reason
     */
    static KvFile read(Path path, boolean skipping) throws IOException, CommandFailedException {
        // Invalid UTF-8 is replaced by a character that is rejected below, where the line number is known.
        List<String> lines = new String(Files.readAllBytes(path), StandardCharsets.UTF_8)
                .lines()
                .toList();
        boolean table = lines.stream().anyMatch(line -> !line.startsWith(COMMENT) && line.indexOf(TAB) >= 0);
        List<Entry> entries = new ArrayList<>();
        int skipped = 0;
        for (int number = 1; number <= lines.size(); number++) {
            String line = lines.get(number - 1);
            if (line.isEmpty() || (table && line.startsWith(COMMENT))) {
                continue;
            }
            try {
                entries.add(table ? row(number, line) : new Entry(number, Integer.toString(number), requireText(line)));
            } catch (IllegalArgumentException e) {
                if (!skipping) {
                    throw new CommandFailedException(path + ", line " + number + ": " + e.getMessage()
                            + "; correct it, or leave such lines out with --skip-bad-lines");
                }
                skipped++;
            }
        }
        return new KvFile(path, entries, skipped);
    }

    private static Entry row(int number, String line) {
        int tab = requireText(line).indexOf(TAB);
        if (tab < 0) {
            throw new IllegalArgumentException("there is no tab between a key and a value, as in other lines");
        }
        return new Entry(
                number,
                line.substring(0, tab),
                TABS.matcher(line.substring(tab)).replaceFirst(""));
    }

    private static String requireText(String line) {
        if (line.indexOf(NOT_UTF_8) >= 0) {
            throw new IllegalArgumentException("this is not UTF-8 text");
        }
        return line;
    }

    /** Returns the maximum number of keys. */
    int size() {
        return entries.size();
    }

    /** Stores all entries and prints what was loaded. */
    void fill(KvStore store, Consumer<String> log) throws CommandFailedException {
        if (path == null) {
            return;
        }
        for (Entry entry : entries) {
            try {
                store.put(bytes(entry.key()), bytes(entry.value()));
            } catch (KvRefusedException e) {
                throw new CommandFailedException(path + ", line " + entry.line() + ": " + e.getMessage());
            }
        }
        log.accept(String.format(
                Locale.ROOT,
                "loaded %,d keys from %s; lines that replaced an earlier value: %,d, lines skipped: %,d",
                store.entries(),
                path,
                entries.size() - store.entries(),
                skipped));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
