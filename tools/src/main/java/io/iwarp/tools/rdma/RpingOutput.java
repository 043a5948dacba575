package io.iwarp.tools.rdma;

import io.iwarp.tools.cli.Output;

/**
 * What rping prints, in the words of rdma-core's rping. Safe for use by any thread.
 *
 * @param verbose whether to show the data of each ping
 * @param debug whether to show each step
 */
record RpingOutput(Output out, Output err, boolean verbose, boolean debug) {
    /** One ping, at the end that {@code title} names. */
    void data(String title, String text) {
        if (verbose) {
            out.line(title + ": " + text);
        }
    }

    /** One step, formatted as by {@link String#format}. */
    void step(String format, Object... values) {
        if (debug) {
            out.line(format, values);
        }
    }

    /** The connection has ended, for any reason. */
    void disconnected(String end) {
        err.line(end + " DISCONNECT EVENT...");
    }

    /** Prints an error in one line. */
    void complaint(String text) {
        err.line("rping: " + text);
    }
}
