package io.iwarp.spark;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Adjacent blocks of one map output: the partitions from {@code start} to {@code end}, the latter not included.
 *
 * @param blockId Spark's name for them
 */
record BlockRange(String blockId, int shuffleId, long mapId, int start, int end) {
    private static final Pattern NAME = Pattern.compile("shuffle_(\\d+)_(\\d+)_(\\d+)(?:_(\\d+))?");
    private static final int END = 4;

    /** Returns the blocks of this name, or null if it names no blocks of a map output. */
    static @Nullable BlockRange parse(String blockId) {
        Matcher name = NAME.matcher(blockId);
        if (!name.matches()) {
            return null;
        }
        try {
            int start = Integer.parseInt(name.group(3));
            int end = name.group(END) == null ? Math.addExact(start, 1) : Integer.parseInt(name.group(END));
            return start >= end
                    ? null
                    : new BlockRange(
                            blockId, Integer.parseInt(name.group(1)), Long.parseLong(name.group(2)), start, end);
        } catch (ArithmeticException | NumberFormatException tooLarge) {
            return null;
        }
    }

    MapKey map() {
        return new MapKey(shuffleId, mapId);
    }
}
