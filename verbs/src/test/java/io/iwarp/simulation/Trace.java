package io.iwarp.simulation;

import java.util.ArrayDeque;
import java.util.Deque;

/** What happened last, to be read by people. Made only when a seed is run again: it costs more than the run. */
final class Trace {
    private final int most;
    private final Deque<String> lines = new ArrayDeque<>();
    private long hash = 1;

    /** @param most how many lines are kept; 0 writes none */
    Trace(int most) {
        this.most = most;
    }

    boolean on() {
        return most > 0;
    }

    void add(World world, String what, Object... details) {
        if (most == 0) {
            return;
        }
        StringBuilder line = new StringBuilder();
        long micros = (world.now() - world.start()) / 1000;
        Context current = world.current();
        line.append(String.format("%,15d us  %-10s %s", micros, current == null ? "-" : current, what));
        for (Object detail : details) {
            line.append(' ').append(detail);
        }
        // STags are drawn from a source that no seed decides; nothing depends on them.
        String text = line.toString().replaceAll("STag 0x[0-9a-f]+", "STag");
        hash = 31 * hash + text.hashCode();
        if (lines.size() == most) {
            lines.remove();
        }
        lines.add(text);
    }

    long hash() {
        return hash;
    }

    @Override
    public String toString() {
        return String.join("\n", lines);
    }
}
