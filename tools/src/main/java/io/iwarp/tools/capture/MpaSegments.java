package io.iwarp.tools.capture;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Cuts one direction of a connection into segments for a capture: the start-up frame, then one FPDU in each segment.
 * Wireshark follows markers only where a segment begins with an FPDU.
 *
 * <p>One exception: if a marker directly follows an FPDU, it belongs to the next FPDU, but Wireshark counts it to the
 * previous one. So the previous segment includes the marker. The bytes and their order never change.
 *
 * <p>Bytes that are not MPA, for example encrypted ones, are not segmented. Not thread-safe.
 */
final class MpaSegments {
    private static final byte[] REQUEST_KEY = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY_KEY = "MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII);
    private static final int FLAGS = REQUEST_KEY.length;
    private static final int MARKER_FLAG = 0x80;
    private static final int PRIVATE_DATA_LENGTH = FLAGS + 2;
    private static final int START_UP_HEADER = FLAGS + 4;
    private static final int MARKER_SPACING = 512;
    private static final int MARKER_BYTES = 4;
    private static final int CRC_BYTES = 4;
    private static final int ALIGNMENT = 4;

    private final Supplier<Boolean> markers;
    private ByteBuf held = Unpooled.EMPTY_BUFFER;
    private boolean started;
    private boolean raw;
    private boolean requestsMarkers;
    /** Where the next segment begins, counted from the first FPDU. */
    private long position;
    /** @param markers whether this direction has markers; asked when both start-up frames have passed */
    MpaSegments(Supplier<Boolean> markers) {
        this.markers = markers;
    }

    /** Appends a copy of the next bytes sent or received. */
    void add(ByteBuf bytes) {
        held = Unpooled.copiedBuffer(held, bytes);
    }

    /** Returns whether the start-up frame of this direction requests markers from the other direction. */
    boolean requestsMarkers() {
        return requestsMarkers;
    }

    /** Returns the next segment in a heap buffer, or null if it is incomplete. */
    @Nullable
    ByteBuf next() {
        int length = raw ? held.readableBytes() : started ? fpduLength() : startupLength();
        return length > 0 && length <= held.readableBytes() ? take(length) : null;
    }

    /** Returns whether the next segment is complete except for the marker of the FPDU behind it. */
    boolean awaitsMarker() {
        if (!started || raw) {
            return false;
        }
        int length = fpduLength();
        boolean markerBehind = markers.get() && (position + length) % MARKER_SPACING == MARKER_BYTES;
        return markerBehind && held.readableBytes() >= length - MARKER_BYTES;
    }

    /** Returns all buffered bytes, even if the segment is incomplete. */
    ByteBuf rest() {
        return take(held.readableBytes());
    }

    private ByteBuf take(int length) {
        if (started) {
            position += length;
        } else if (!raw) {
            requestsMarkers = (held.getByte(held.readerIndex() + FLAGS) & MARKER_FLAG) != 0;
            started = true;
        }
        return Unpooled.copiedBuffer(held.readSlice(length));
    }

    private int startupLength() {
        int present = Math.min(held.readableBytes(), REQUEST_KEY.length);
        if (!startsWith(REQUEST_KEY, present) && !startsWith(REPLY_KEY, present)) {
            raw = true;
            return held.readableBytes();
        }
        return held.readableBytes() < START_UP_HEADER
                ? 0
                : START_UP_HEADER + held.getUnsignedShort(held.readerIndex() + PRIVATE_DATA_LENGTH);
    }

    private boolean startsWith(byte[] key, int length) {
        for (int i = 0; i < length; i++) {
            if (held.getByte(held.readerIndex() + i) != key[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns the length of the next segment in bytes, or 0 if it is not known yet. */
    private int fpduLength() {
        boolean marked = markers.get();
        boolean markerFirst = marked && position % MARKER_SPACING == 0;
        int header = markerFirst ? MARKER_BYTES : 0;
        if (held.readableBytes() < header + Short.BYTES) {
            return 0;
        }
        int ulpdu = held.getUnsignedShort(held.readerIndex() + header);
        int content = (Short.BYTES + ulpdu + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + CRC_BYTES;
        if (!marked) {
            return content;
        }
        int length = content + MARKER_BYTES * markersWithin(content);
        return (position + length) % MARKER_SPACING == 0 ? length + MARKER_BYTES : length;
    }

    private int markersWithin(int content) {
        int count = 0;
        long offset = Math.floorMod(-position, MARKER_SPACING);
        // Each marker shifts the bytes after it.
        while (offset - (long) MARKER_BYTES * count < content) {
            count++;
            offset += MARKER_SPACING;
        }
        return count;
    }
}
