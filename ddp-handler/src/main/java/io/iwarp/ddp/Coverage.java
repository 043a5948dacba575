package io.iwarp.ddp;

import java.util.Arrays;

/**
 * The bytes of one message that have arrived. Segments may arrive in any order, overlap and be repeated (RFC 5041
 * section 5.3), so lengths alone do not show whether each byte has arrived. Offsets and lengths are in bytes of the
 * message, at most 2^32.
 *
 * <p>Ranges in ascending order need no memory. Ranges beyond a gap are kept as at most {@link #MAX_PIECES} pieces.
 * Confined to one thread.
 */
public final class Coverage {
    /** The maximum number of separate ranges beyond the first gap. */
    public static final int MAX_PIECES = 32;

    private static final int FIRST_ROOM = 4;
    private static final long[] NONE = {};

    /** All bytes before this offset have arrived. */
    private long contiguous;
    /** The first byte of each piece, in ascending order. Pieces touch neither each other nor the contiguous bytes. */
    private long[] starts = NONE;
    /** The end of each piece. */
    private long[] ends = NONE;

    private int count;

    /** Creates the coverage of a message of which nothing has arrived. */
    public Coverage() {}

    /** Returns how many bytes have arrived from the first byte of the message to the first gap. */
    public long contiguous() {
        return contiguous;
    }

    /** Returns how many bytes of the message have arrived. */
    public long arrived() {
        long arrived = contiguous;
        for (int i = 0; i < count; i++) {
            arrived += ends[i] - starts[i];
        }
        return arrived;
    }

    /** Returns whether a range can be added without exceeding {@link #MAX_PIECES}. */
    public boolean fits(long offset, long length) {
        return offset <= contiguous
                || length == 0
                || count < MAX_PIECES
                || firstTouching(offset) < firstBeyond(offset + length);
    }

    /** Returns what {@link #contiguous} will be after {@link #add} of a range that {@link #fits}. Changes nothing. */
    public long contiguousWith(long offset, long length) {
        if (offset > contiguous) {
            return contiguous;
        }
        long reached = Math.max(contiguous, offset + length);
        for (int i = 0; i < count && starts[i] <= reached; i++) {
            reached = Math.max(reached, ends[i]);
        }
        return reached;
    }

    /**
     * Adds a range of bytes that have arrived, which {@link #fits}.
     *
     * @return how many of its bytes had not arrived before
     */
    public long add(long offset, long length) {
        long end = offset + length;
        if (count == 0 && offset <= contiguous) {
            long added = Math.max(0, end - contiguous);
            contiguous += added;
            return added;
        }
        if (length == 0) {
            return 0;
        }
        long before = arrived();
        if (offset <= contiguous) {
            contiguous = contiguousWith(offset, length);
            remove(0, firstBeyond(contiguous));
        } else {
            merge(firstTouching(offset), firstBeyond(end), offset, end);
        }
        return arrived() - before;
    }

    /** Returns the index of the first piece that touches or follows an offset. */
    private int firstTouching(long offset) {
        int i = 0;
        while (i < count && ends[i] < offset) {
            i++;
        }
        return i;
    }

    /** Returns the index of the first piece that begins after an offset without touching it. */
    private int firstBeyond(long offset) {
        int i = 0;
        while (i < count && starts[i] <= offset) {
            i++;
        }
        return i;
    }

    /** Replaces the pieces [from, to) by one that also covers a range. */
    private void merge(int from, int to, long start, long end) {
        if (from == to) {
            insert(from, start, end);
        } else {
            starts[from] = Math.min(start, starts[from]);
            ends[from] = Math.max(end, ends[to - 1]);
            remove(from + 1, to);
        }
    }

    private void insert(int at, long start, long end) {
        if (count == starts.length) {
            int room = Math.max(FIRST_ROOM, 2 * count);
            starts = Arrays.copyOf(starts, room);
            ends = Arrays.copyOf(ends, room);
        }
        System.arraycopy(starts, at, starts, at + 1, count - at);
        System.arraycopy(ends, at, ends, at + 1, count - at);
        starts[at] = start;
        ends[at] = end;
        count++;
    }

    /** Removes the pieces [from, to). */
    private void remove(int from, int to) {
        System.arraycopy(starts, to, starts, from, count - to);
        System.arraycopy(ends, to, ends, from, count - to);
        count -= to - from;
    }

    /** Makes this the coverage of the next message. */
    public void clear() {
        contiguous = 0;
        if (starts.length > 0) {
            starts = NONE;
            ends = NONE;
            count = 0;
        }
    }

    /** Returns the ranges that have arrived. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("Coverage[0..").append(contiguous);
        for (int i = 0; i < count; i++) {
            text.append(", ").append(starts[i]).append("..").append(ends[i]);
        }
        return text.append(']').toString();
    }
}
