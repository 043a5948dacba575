package io.iwarp.tools.rdma;

import java.io.PrintWriter;
import java.util.Locale;

/**
 * What rping prints, so that who knows rdma-core's rping recognises it. Safe for use by any thread.
 *
 * @param verbose whether to show the data of each ping
 * @param debug whether to show each step
 */
record RpingOutput(PrintWriter out, PrintWriter err, boolean verbose, boolean debug) {
    /** One ping, at the end that {@code title} names. */
    void data(String title, String text) {
        if (verbose) {
            out.println(title + ": " + text);
        }
    }

    /** One step, formatted as by {@link String#format}. */
    void step(String format, Object... values) {
        if (debug) {
            out.println(String.format(Locale.ROOT, format, values));
        }
    }

    /** The connection has ended, for any reason. */
    void disconnected(String end) {
        err.println(end + " DISCONNECT EVENT...");
    }

    /** Prints an error in one line. */
    void complaint(String text) {
        err.println("rping: " + text);
    }
}
