package io.iwarp.tools.cli;

import io.iwarp.Counter;
import io.iwarp.Counters;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Prints aligned lines. */
public final class Story {
    private static final Counter[] SENDER = {
        Counter.MESSAGES_SENT, Counter.FPDUS_SENT, Counter.MARKERS_SENT, Counter.ULPDU_BYTES_SENT
    };
    private static final Counter[] RECEIVER = {
        Counter.MESSAGES_DELIVERED, Counter.FPDUS_RECEIVED, Counter.MARKERS_RECEIVED, Counter.ULPDU_BYTES_RECEIVED
    };
    private static final String[] NAMES = {"DDP messages", "FPDUs", "markers", "ULPDU bytes"};

    /** A line of a paragraph: as many words as fit. */
    private static final Pattern LINE = Pattern.compile("(.{1,66})(?: +|$)");

    private final PrintWriter out;

    public Story(PrintWriter out) {
        this.out = out;
    }

    public void title(String text) {
        out.println(text);
        out.println();
    }

    /** One step. */
    public void step(String name, String format, Object... arguments) {
        out.printf(Locale.ROOT, "  %-12s %s%n", name, String.format(Locale.ROOT, format, arguments));
    }

    /** A step of several lines, broken between words. */
    public void paragraph(String name, String text) {
        String head = name;
        Matcher lines = LINE.matcher(text);
        while (lines.find()) {
            step(head, "%s", lines.group(1));
            head = "";
        }
    }

    /** What crossed the wire in both directions, by the counters of both ends. */
    public void wire(Counters initiator, Counters responder) throws CommandFailedException {
        out.println();
        out.printf(
                Locale.ROOT, "  %-14s %24s %24s%n", "on the wire", "initiator to responder", "responder to initiator");
        for (int i = 0; i < NAMES.length; i++) {
            long there = same(NAMES[i], initiator.get(SENDER[i]), responder.get(RECEIVER[i]));
            long back = same(NAMES[i], responder.get(SENDER[i]), initiator.get(RECEIVER[i]));
            out.printf(Locale.ROOT, "  %-14s %,24d %,24d%n", NAMES[i], there, back);
        }
        out.printf(
                Locale.ROOT,
                "  %-14s %,24d %,24d%n%n",
                "CRCs checked",
                responder.get(Counter.CRC_CHECKED),
                initiator.get(Counter.CRC_CHECKED));
    }

    private static long same(String name, long sent, long received) throws CommandFailedException {
        if (sent != received) {
            throw new CommandFailedException("one side sent " + sent + " " + name + ", the other received " + received
                    + ": one of them is wrong");
        }
        return sent;
    }
}
