package io.iwarp.tools.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Where a command prints, line by line, as {@link PlainText}. Safe for use by any thread. */
public final class Output {
    private final PrintWriter writer;

    public Output(PrintWriter writer) {
        this.writer = writer;
    }

    /** Prints a line. */
    public void line(String text) {
        writer.println(PlainText.of(text));
    }

    /** Prints a line, formatted as by {@link String#format}. */
    public void line(String format, Object... values) {
        line(String.format(Locale.ROOT, format, values));
    }

    /** Prints lines. */
    public void lines(List<String> lines) {
        lines.forEach(this::line);
    }
}
