package io.iwarp.tools;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A journal of one client's acknowledged writes. Each write is handed to the operating system before the next operation
 * begins, so if the process is killed, at most the last write is missing. A truncated line does not count.
 */
final class KvJournal implements Closeable {
    /** The suffix of journal file names. */
    static final String SUFFIX = ".journal";

    private static final Pattern LINE = Pattern.compile("(\\S+) (\\d+)\\.");

    private final OutputStream file;
    private final Map<String, Long> acknowledged;

    private KvJournal(OutputStream file, Map<String, Long> acknowledged) {
        this.file = file;
        this.acknowledged = acknowledged;
    }

    /** Opens an existing journal for appending, or creates one. */
    static KvJournal open(Path path) throws IOException {
        Map<String, Long> before = Files.exists(path) ? read(path) : new HashMap<>();
        OutputStream file = Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        file.write('\n');
        return new KvJournal(file, before);
    }

    /** Returns the last acknowledged number for each key in a journal. */
    static Map<String, Long> read(Path path) throws IOException {
        Map<String, Long> last = new HashMap<>();
        for (String line : Files.readAllLines(path, StandardCharsets.UTF_8)) {
            Matcher write = LINE.matcher(line);
            if (write.matches()) {
                last.merge(write.group(1), Long.valueOf(write.group(2)), Math::max);
            }
        }
        return last;
    }

    /** A write was acknowledged. */
    void add(String key, long number) throws IOException {
        acknowledged.put(key, number);
        file.write((key + " " + number + ".\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the last acknowledged number for a key, or 0. */
    long last(String key) {
        return acknowledged.getOrDefault(key, 0L);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
