package io.iwarp.tools.cli;

import io.iwarp.Counter;
import io.iwarp.Counters;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Prints aligned lines. */
public final class Story {
    private static final Counter[] SENDER = {
        Counter.MESSAGES_SENT, Counter.FPDUS_SENT, Counter.MARKERS_SENT, Counter.BYTES_SENT
    };
    private static final Counter[] RECEIVER = {
        Counter.MESSAGES_DELIVERED, Counter.FPDUS_RECEIVED, Counter.MARKERS_RECEIVED, Counter.BYTES_RECEIVED
    };
    private static final String[] NAMES = {"DDP messages", "FPDUs", "markers", "bytes"};

    /** A line of a paragraph: as many words as fit. */
    private static final Pattern LINE = Pattern.compile("(.{1,66})(?: +|$)");

    private final Output out;

    public Story(Output out) {
        this.out = out;
    }

    public void title(String text) {
        out.line(text);
        out.line("");
    }

    /** One step. */
    public void step(String name, String format, Object... arguments) {
        out.line("  %-12s %s", name, String.format(Locale.ROOT, format, arguments));
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
    public void wire(Counters initiator, Counters responder) {
        out.line("");
        out.line("  %-14s %24s %24s", "on the wire", "initiator to responder", "responder to initiator");
        for (int i = 0; i < NAMES.length; i++) {
            long there = same(NAMES[i], initiator.get(SENDER[i]), responder.get(RECEIVER[i]));
            long back = same(NAMES[i], responder.get(SENDER[i]), initiator.get(RECEIVER[i]));
            out.line("  %-14s %,24d %,24d", NAMES[i], there, back);
        }
        out.line(
                "  %-14s %,24d %,24d",
                "CRCs checked", responder.get(Counter.CRC_CHECKED), initiator.get(Counter.CRC_CHECKED));
        out.line("");
    }

    private static long same(String name, long sent, long received) {
        if (sent != received) {
            throw new CommandFailedException("one side sent " + sent + " " + name + ", the other received " + received
                    + ": one of them is wrong");
        }
        return sent;
    }
}
