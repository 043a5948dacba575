package io.iwarp.ddp;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one message that have arrived. Segments may come in any order, overlap and be repeated (RFC 5041 section
 * 5.3), so lengths alone do not tell whether each byte has come. Offsets and lengths are in bytes of the message, at
 * most 2^32.
 *
 * <p>Ranges in rising order need no memory. Ranges beyond a gap are kept as at most {@link #MAX_PIECES} pieces.
 * Confined to one thread.
 */
public final class Coverage {
    /** The maximum number of separate ranges beyond the first gap. */
    public static final int MAX_PIECES = 32;
    /** What {@link #contiguousWith} returns for a range that would be one piece too many. */
    public static final long TOO_MANY_PIECES = -1;

    private static final int FIRST_ROOM = 4;

    /** All bytes before this offset have arrived. */
    private long contiguous;
    /** First byte and end of each piece in rising order. Pieces do not touch each other or the contiguous bytes. */
    private long @Nullable [] pieces;

    private int count;

    /** Creates the coverage of a message of which nothing has arrived. */
    public Coverage() {}

    /** Returns how many bytes have arrived from the first byte of the message to the first gap. */
    public long contiguous() {
        return contiguous;
    }

    /**
     * Returns what {@link #contiguous} will be after {@link #add} of a range. Changes nothing.
     *
     * @return {@link #TOO_MANY_PIECES} if the range cannot be added
     */
    public long contiguousWith(long offset, long length) {
        long end = offset + length;
        if (offset <= contiguous) {
            long joined = Math.max(contiguous, end);
            return count == 0 ? joined : throughPieces(joined);
        }
        boolean fits = length == 0 || count < MAX_PIECES || firstNotBefore(offset) < firstBehind(end);
        return fits ? contiguous : TOO_MANY_PIECES;
    }

    private long throughPieces(long from) {
        long reached = from;
        for (int i = 0; i < count && start(i) <= reached; i++) {
            reached = Math.max(reached, end(i));
        }
        return reached;
    }

    /**
     * Adds a range of bytes that have arrived, for which {@link #contiguousWith} returned a length.
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
        return length == 0 ? 0 : merge(offset, end);
    }

    private long merge(long offset, long end) {
        int first = firstNotBefore(offset);
        int behind = firstBehind(end);
        long known = 0;
        long start = offset;
        long stop = end;
        for (int i = first; i < behind; i++) {
            known += end(i) - start(i);
            start = Math.min(start, start(i));
            stop = Math.max(stop, end(i));
        }
        if (start <= contiguous) {
            known += contiguous - start;
            stop = Math.max(stop, contiguous);
            contiguous = stop;
            replace(first, behind, 0);
        } else {
            long[] room = replace(first, behind, 1);
            room[2 * first] = start;
            room[2 * first + 1] = stop;
        }
        return stop - start - known;
    }

    /** Returns the number of the first piece that touches or follows an offset. */
    private int firstNotBefore(long offset) {
        int i = 0;
        while (i < count && end(i) < offset) {
            i++;
        }
        return i;
    }

    /** Returns the number of the first piece that begins behind an offset without touching it. */
    private int firstBehind(long offset) {
        int i = 0;
        while (i < count && start(i) <= offset) {
            i++;
        }
        return i;
    }

    /** Makes room for so many pieces instead of those from {@code first} to before {@code behind}. */
    private long[] replace(int first, int behind, int instead) {
        int moved = count - behind;
        count = first + instead + moved;
        long[] from = pieces;
        long[] to = from;
        if (to == null) {
            to = new long[2 * FIRST_ROOM];
        } else if (to.length < 2 * count) {
            to = Arrays.copyOf(to, 2 * to.length);
        }
        if (from != null) {
            System.arraycopy(from, 2 * behind, to, 2 * (first + instead), 2 * moved);
        }
        pieces = to;
        return to;
    }

    private long start(int piece) {
        return pieces == null ? 0 : pieces[2 * piece];
    }

    private long end(int piece) {
        return pieces == null ? 0 : pieces[2 * piece + 1];
    }

    /** Makes this the coverage of the next message. */
    public void clear() {
        contiguous = 0;
        if (pieces != null) {
            pieces = null;
            count = 0;
        }
    }

    /** Returns the ranges that have arrived. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("Coverage[0..").append(contiguous);
        for (int i = 0; i < count; i++) {
            text.append(", ").append(start(i)).append("..").append(end(i));
        }
        return text.append(']').toString();
    }
}
