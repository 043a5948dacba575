package io.iwarp.tools.cli;

import java.util.regex.Pattern;

/**
 * Text that a terminal shows as it is. Whatever comes from a peer must not add lines, move the cursor, or reorder the
 * text around it. All output and all logs of a command pass here.
 */
public final class PlainText {
    /** Controls (C0 and C1), formats such as bidirectional marks, surrogates without a partner, and line separators. */
    private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\u2028\\u2029]");

    private PlainText() {}

    /** Returns the text in one line: each unsafe character is written as for example {@code \}{@code u009b}. */
    public static String of(String text) {
        return UNSAFE.matcher(text)
                .replaceAll(match -> String.format("\\\\u%04x", match.group().codePointAt(0)));
    }

    /**
     * Returns text of several lines. Each line but the first is indented, so that none looks like an entry of a log.
     */
    public static String ofLines(String text) {
        StringBuilder safe = new StringBuilder();
        text.lines()
                .forEach(line -> safe.append(safe.isEmpty() ? "" : "\t")
                        .append(of(line.strip()))
                        .append(System.lineSeparator()));
        return safe.toString();
    }
}
