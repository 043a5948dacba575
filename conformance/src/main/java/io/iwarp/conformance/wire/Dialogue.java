package io.iwarp.conformance.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The record of what was sent and received in one case, which explains a failure. */
public final class Dialogue {
    private static final int MAX = 400;
    private static final int ROW = 16;
    private static final int MAX_ROWS = 8;
    private static final int SHOWN = 40;

    private final List<Entry> entries = new ArrayList<>();
    private int dropped;

    /** Begins an empty one. */
    public Dialogue() {}

    /**
     * Something that happened.
     *
     * @param from {@code >} what the suite did, {@code <} what the peer did, {@code #} a remark
     * @param text in words
     * @param bytes as they were on the wire, or none
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Entry(char from, String text, byte[] bytes) {}

    /** Returns the number of the entry that was added. */
    public synchronized int add(char from, String text, byte[] bytes) {
        if (entries.size() >= MAX) {
            entries.remove(MAX / 2);
            dropped++;
        }
        entries.add(new Entry(from, text, bytes));
        return entries.size() - 1 + dropped;
    }

    /** Adds a remark. */
    public void remark(String text) {
        add('#', text, Bytes.NONE);
    }

    /** Returns the number of the last entry of the peer, or -1. */
    public synchronized int lastOfPeer() {
        for (int i = entries.size() - 1; i >= 0; i--) {
            if (entries.get(i).from() == '<') {
                return i + dropped;
            }
        }
        return -1;
    }

    /** Returns all entries. */
    public synchronized List<Entry> entries() {
        return List.copyOf(entries);
    }

    /**
     * Returns the dialogue as lines of text.
     *
     * @param wrongEntry the number of the entry with the first wrong byte, or -1
     * @param wrongOffset where that byte is
     */
    public synchronized List<String> lines(int wrongEntry, int wrongOffset) {
        List<String> lines = new ArrayList<>();
        int first = Math.max(0, entries.size() - SHOWN);
        if (first + dropped > 0) {
            lines.add("# " + (first + dropped) + " entries are left out here");
        }
        for (int i = first; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            lines.add(entry.from() + " " + entry.text());
            dump(lines, entry.bytes(), i + dropped == wrongEntry ? wrongOffset : -1);
        }
        return lines;
    }

    private static void dump(List<String> lines, byte[] bytes, int wrong) {
        int rows = (bytes.length + ROW - 1) / ROW;
        int wrongRow = wrong < 0 ? -1 : wrong / ROW;
        boolean gap = false;
        for (int row = 0; row < rows; row++) {
            boolean shown = row < MAX_ROWS || Math.abs(row - wrongRow) <= 1 || row == rows - 1;
            if (!shown) {
                gap = true;
                continue;
            }
            if (gap) {
                lines.add("      ...");
                gap = false;
            }
            StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "      %04x ", row * ROW));
            for (int i = row * ROW; i < Math.min(bytes.length, (row + 1) * ROW); i++) {
                line.append(String.format(Locale.ROOT, " %02x", bytes[i]));
            }
            lines.add(line.toString());
            if (row == wrongRow && wrong < bytes.length) {
                lines.add(" ".repeat(12 + 3 * (wrong % ROW)) + "^^ byte " + wrong);
            }
        }
    }
}
