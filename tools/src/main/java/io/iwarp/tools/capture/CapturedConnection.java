package io.iwarp.tools.capture;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a capture, in segments that Wireshark can decode. The segments of both directions are written in
 * the order in which they began. Not thread-safe.
 */
final class CapturedConnection {
    /** If one direction stops in the middle of a segment, the other one is not held back any longer than this. */
    private static final int MAX_WAITING_BYTES = 1 << 22;

    private final Direction sent = new Direction(true);
    private final Direction received = new Direction(false);
    private final Sink sink;
    private final Deque<Segment> waiting = new ArrayDeque<>();
    private int waitingBytes;

    /** The output of one side. */
    private final class Direction {
        private final boolean outbound;
        private final MpaSegments segments =
                new MpaSegments(() -> other().segments.requestsMarkers());
        /** The place, among the segments of both directions, of a segment whose next marker has not arrived. */
        private @Nullable Segment open;

        Direction(boolean outbound) {
            this.outbound = outbound;
        }

        private Direction other() {
            return outbound ? received : sent;
        }

        void add(ByteBuf bytes) {
            segments.add(bytes);
            for (ByteBuf next = segments.next(); next != null; next = segments.next()) {
                complete(next);
            }
            if (open == null && segments.awaitsMarker()) {
                open = new Segment(outbound);
                waiting.add(open);
            }
        }

        private void complete(ByteBuf bytes) {
            Segment segment = open == null ? new Segment(outbound) : open;
            if (open == null) {
                waiting.add(segment);
            }
            open = null;
            segment.bytes = bytes;
            waitingBytes += bytes.readableBytes();
        }

        /** Writes an incomplete segment as it is. */
        void flush() {
            ByteBuf rest = segments.rest();
            if (rest.isReadable() || open != null) {
                complete(rest);
            }
        }
    }

    /** Bytes of one direction; null as long as they are not complete. */
    private static final class Segment {
        private final boolean outbound;
        private @Nullable ByteBuf bytes;

        Segment(boolean outbound) {
            this.outbound = outbound;
        }
    }

    /** Takes segments. */
    interface Sink {
        /** Writes bytes that this side sent, or received, as a segment. */
        void write(boolean outbound, ByteBuf bytes) throws IOException;
    }

    CapturedConnection(Sink sink) {
        this.sink = sink;
    }

    /** Takes a copy of bytes that this side sends. */
    void sent(ByteBuf bytes) throws IOException {
        sent.add(bytes);
        write();
    }

    /** Takes a copy of bytes that this side received. */
    void received(ByteBuf bytes) throws IOException {
        received.add(bytes);
        write();
    }

    private void write() throws IOException {
        if (waitingBytes > MAX_WAITING_BYTES) {
            Stream.of(sent, received)
                    .filter(direction -> direction.open != null)
                    .forEach(Direction::flush);
        }
        for (Segment next = waiting.peek(); next != null && next.bytes != null; next = waiting.peek()) {
            waitingBytes -= next.bytes.readableBytes();
            sink.write(next.outbound, next.bytes);
            waiting.remove();
        }
    }

    /** Writes the remaining bytes. */
    void end() throws IOException {
        sent.flush();
        received.flush();
        write();
    }
}
