package io.iwarp.rdmap;

import io.iwarp.internal.mpa.FpduEncoder;
import io.iwarp.internal.mpa.MarkerLayout;
import io.iwarp.internal.mpa.MpaFrameLayout;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;

/**
 * Parses one direction of a connection for a log. Finds the boundaries of frames and FPDUs, regardless of how the bytes
 * are split into buffers, and keeps the headers of the current one. Does not validate its input.
 *
 * <pre>
 *   STARTUP ── start-up frame complete, or other bytes ──► FPDUS
 *      │
 *      └── a rejection, or a frame of a wrong length ──► UNDECODABLE
 * </pre>
 */
public final class WireReader {
    private enum Phase {
        /** Waiting for the start-up frame. */
        STARTUP,
        /** In Full Operation. */
        FPDUS,
        /** Further bytes are not iWARP, or cannot be parsed. */
        UNDECODABLE
    }

    /** The bytes that describe an FPDU: its length, the longest DDP header and the longest RDMAP header. */
    private static final int FPDU_HEAD = FpduEncoder.ULPDU_LENGTH_LENGTH + WireText.MAX_HEADERS;

    private static final int HEAD = Math.max(MpaFrameLayout.HEADER_LENGTH + WireText.SETUP_LENGTH, FPDU_HEAD);

    private final ByteBuf head = Unpooled.buffer(HEAD, HEAD);
    private Phase phase = Phase.STARTUP;
    /** Bytes of the current frame or FPDU that have arrived, without markers. */
    private int takenBytes;
    /** Length of the current frame or FPDU; until that is known, the length of its length field or header. */
    private int length = MpaFrameLayout.HEADER_LENGTH;

    private boolean isLengthKnown;
    private boolean wantsMarkers;
    private boolean markersKnown;
    private boolean markers;
    /** Bytes since the start of the first FPDU, modulo the marker interval. */
    private int position;

    private boolean isCutOff;

    /**
     * Parses the readable bytes of a buffer. Does not change its indexes.
     *
     * @param other the other direction, whose start-up frame says whether this direction has markers
     * @param found called for each complete frame and FPDU; {@link #describe} is valid during the call
     */
    public void read(ByteBuf in, WireReader other, Consumer<WireReader> found) {
        int index = in.readerIndex();
        int end = in.writerIndex();
        while (index < end && phase != Phase.UNDECODABLE) {
            if (phase == Phase.STARTUP) {
                index += readStartup(in, index, end, found);
            } else {
                if (!markersKnown) {
                    markersKnown = true;
                    markers = other.wantsMarkers;
                }
                index += readFpdu(in, index, end, found);
            }
        }
    }

    private int readStartup(ByteBuf in, int index, int end, Consumer<WireReader> found) {
        int bytes = take(in, index, Math.min(end - index, length - takenBytes));
        if (!isLengthKnown && !startsWithFrameKey()) {
            // The start is pre-agreed, and these are the first bytes of an FPDU.
            ByteBuf early = head.copy(0, takenBytes);
            enter(Phase.FPDUS);
            markersKnown = true;
            for (int at = 0; at < early.writerIndex(); ) {
                at += readFpdu(early, at, early.writerIndex(), found);
            }
            return bytes;
        }
        if (takenBytes < length) {
            return bytes;
        }
        if (!isLengthKnown) {
            isLengthKnown = true;
            length += MpaFrameLayout.privateDataLength(head, 0);
            if (takenBytes < length) {
                return bytes;
            }
        }
        found.accept(this);
        int flags = MpaFrameLayout.flags(head, 0);
        wantsMarkers = (flags & MpaFrameLayout.FLAG_MARKERS) != 0;
        boolean rejected = MpaFrameLayout.hasReplyKey(head, 0) && (flags & MpaFrameLayout.FLAG_REJECTED) != 0;
        enter(rejected ? Phase.UNDECODABLE : Phase.FPDUS);
        return bytes;
    }

    private boolean startsWithFrameKey() {
        for (int i = 0; i < Math.min(takenBytes, MpaFrameLayout.KEY_LENGTH); i++) {
            byte oneByte = head.getByte(i);
            if (oneByte != MpaFrameLayout.requestKey(i) && oneByte != MpaFrameLayout.replyKey(i)) {
                return false;
            }
        }
        return true;
    }

    private void enter(Phase next) {
        phase = next;
        beginFpdu();
    }

    private void beginFpdu() {
        takenBytes = 0;
        length = FpduEncoder.ULPDU_LENGTH_LENGTH;
        isLengthKnown = false;
    }

    private int readFpdu(ByteBuf in, int index, int end, Consumer<WireReader> found) {
        int bytes = end - index;
        if (markers) {
            if (position < MarkerLayout.LENGTH) {
                return advance(Math.min(bytes, MarkerLayout.LENGTH - position));
            }
            bytes = Math.min(bytes, MarkerLayout.INTERVAL - position);
        }
        bytes = take(in, index, Math.min(bytes, length - takenBytes));
        if (takenBytes == length && !isLengthKnown) {
            isLengthKnown = true;
            length = FpduEncoder.fpduLength(head.getUnsignedShort(0));
        } else if (takenBytes == length) {
            found.accept(this);
            beginFpdu();
        }
        return advance(bytes);
    }

    private int advance(int bytes) {
        position = (position + bytes) % MarkerLayout.INTERVAL;
        return bytes;
    }

    private int take(ByteBuf in, int index, int bytes) {
        int copied = Math.min(bytes, HEAD - takenBytes);
        if (copied > 0) {
            in.getBytes(index, head.setIndex(0, takenBytes), copied);
        }
        takenBytes += bytes;
        return bytes;
    }

    /** The connection is closed. Reports a frame or FPDU that is incomplete. */
    public void end(Consumer<WireReader> found) {
        if (takenBytes > 0 && phase != Phase.UNDECODABLE) {
            isCutOff = true;
            found.accept(this);
        }
        phase = Phase.UNDECODABLE;
    }

    /** Returns the current frame or FPDU in one line. Valid while it is reported. */
    public String describe() {
        if (isCutOff) {
            String of = isLengthKnown ? " of " + length : "";
            return "cut off after " + takenBytes + of + " bytes of " + (phase == Phase.STARTUP ? "a frame" : "an FPDU");
        }
        return phase == Phase.STARTUP
                ? WireText.frame(head)
                : WireText.fpdu(head, FpduEncoder.ULPDU_LENGTH_LENGTH, head.getUnsignedShort(0));
    }
}
