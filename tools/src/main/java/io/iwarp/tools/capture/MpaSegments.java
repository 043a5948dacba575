package io.iwarp.tools.capture;

import io.iwarp.internal.mpa.FpduEncoder;
import io.iwarp.internal.mpa.MarkerLayout;
import io.iwarp.internal.mpa.MpaFrameLayout;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.IntFunction;
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

    /** Returns whether the next segment is complete except for the marker of the next FPDU. */
    boolean awaitsMarker() {
        if (!started || raw) {
            return false;
        }
        int length = fpduLength();
        boolean markerBehind = markers.get() && (position + length) % MarkerLayout.INTERVAL == MarkerLayout.LENGTH;
        return markerBehind && held.readableBytes() >= length - MarkerLayout.LENGTH;
    }

    /** Returns all buffered bytes, even if the segment is incomplete. */
    ByteBuf rest() {
        return take(held.readableBytes());
    }

    private ByteBuf take(int length) {
        if (started) {
            position += length;
        } else if (!raw) {
            requestsMarkers = (MpaFrameLayout.flags(held, held.readerIndex()) & MpaFrameLayout.FLAG_MARKERS) != 0;
            started = true;
        }
        return Unpooled.copiedBuffer(held.readSlice(length));
    }

    private int startupLength() {
        int present = Math.min(held.readableBytes(), MpaFrameLayout.KEY_LENGTH);
        if (!startsWith(MpaFrameLayout::requestKey, present) && !startsWith(MpaFrameLayout::replyKey, present)) {
            raw = true;
            return held.readableBytes();
        }
        return held.readableBytes() < MpaFrameLayout.HEADER_LENGTH
                ? 0
                : MpaFrameLayout.HEADER_LENGTH + MpaFrameLayout.privateDataLength(held, held.readerIndex());
    }

    private boolean startsWith(IntFunction<Byte> key, int length) {
        for (int i = 0; i < length; i++) {
            if (held.getByte(held.readerIndex() + i) != key.apply(i)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the length of the next segment in bytes, or 0 if it is not known yet. */
    private int fpduLength() {
        boolean marked = markers.get();
        boolean markerFirst = marked && position % MarkerLayout.INTERVAL == 0;
        int header = markerFirst ? MarkerLayout.LENGTH : 0;
        if (held.readableBytes() < header + FpduEncoder.ULPDU_LENGTH_LENGTH) {
            return 0;
        }
        int ulpdu = held.getUnsignedShort(held.readerIndex() + header);
        int content = FpduEncoder.fpduLength(ulpdu);
        if (!marked) {
            return content;
        }
        int length = content + MarkerLayout.LENGTH * markersWithin(content);
        return (position + length) % MarkerLayout.INTERVAL == 0 ? length + MarkerLayout.LENGTH : length;
    }

    private int markersWithin(int content) {
        int count = 0;
        long offset = Math.floorMod(-position, MarkerLayout.INTERVAL);
        // Each marker shifts the bytes after it.
        while (offset - (long) MarkerLayout.LENGTH * count < content) {
            count++;
            offset += MarkerLayout.INTERVAL;
        }
        return count;
    }
}
