package io.iwarp.tools.probe;

import io.iwarp.internal.mpa.EnhancedSetup;
import io.iwarp.internal.mpa.MpaFrameLayout;
import io.iwarp.mpa.MpaSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The answer to an MPA Request Frame: an MPA Reply Frame (RFC 5044 section 7.1.1).
 *
 * @param revision of the reply
 * @param flags of the reply
 * @param setup its enhanced set-up data, null without
 * @param privateData the private data of the application
 */
@SuppressWarnings("ArrayRecordComponent") // written once, and not compared
record MpaAnswer(int revision, int flags, @Nullable EnhancedSetup setup, byte[] privateData) {
    private static final int SHOWN_BYTES = 32;
    private static final String PRINTABLE = "[\\p{Print}]+";

    /** Returns an MPA Request Frame of a revision, without private data of an application. */
    static ByteBuf request(int revision, MpaSettings settings) {
        ByteBuf out = Unpooled.buffer();
        for (int i = 0; i < MpaFrameLayout.KEY_LENGTH; i++) {
            out.writeByte(MpaFrameLayout.requestKey(i));
        }
        boolean enhanced = revision >= MpaFrameLayout.FIRST_ENHANCED_REVISION;
        out.writeByte((settings.requestMarkers() ? MpaFrameLayout.FLAG_MARKERS : 0)
                | (settings.crc() ? MpaFrameLayout.FLAG_CRC : 0)
                | (enhanced ? MpaFrameLayout.FLAG_ENHANCED : 0));
        out.writeByte(revision);
        if (enhanced) {
            out.writeShort(EnhancedSetup.LENGTH).writeShort(settings.ird()).writeShort(settings.ord());
        } else {
            out.writeShort(0);
        }
        return out;
    }

    /** Returns how many bytes the frame at the beginning of {@code in} has, or at least has. */
    static int length(ByteBuf in) {
        return in.readableBytes() < MpaFrameLayout.HEADER_LENGTH || !MpaFrameLayout.hasReplyKey(in, 0)
                ? MpaFrameLayout.HEADER_LENGTH
                : MpaFrameLayout.HEADER_LENGTH + MpaFrameLayout.privateDataLength(in, 0);
    }

    /** Reads a whole MPA Reply Frame; returns null if it is none. */
    static @Nullable MpaAnswer decode(ByteBuf in) {
        if (in.readableBytes() < length(in) || !MpaFrameLayout.hasReplyKey(in, 0)) {
            return null;
        }
        int revision = MpaFrameLayout.revision(in, 0);
        int flags = MpaFrameLayout.flags(in, 0);
        ByteBuf data = in.slice(MpaFrameLayout.PRIVATE_DATA_OFFSET, MpaFrameLayout.privateDataLength(in, 0));
        boolean enhanced = revision >= MpaFrameLayout.FIRST_ENHANCED_REVISION
                && (flags & MpaFrameLayout.FLAG_ENHANCED) != 0
                && data.readableBytes() >= EnhancedSetup.LENGTH;
        EnhancedSetup setup = enhanced ? EnhancedSetup.decode(data) : null;
        return new MpaAnswer(revision, flags, setup, ByteBufUtil.getBytes(data));
    }

    boolean rejected() {
        return has(MpaFrameLayout.FLAG_REJECTED);
    }

    boolean markers() {
        return has(MpaFrameLayout.FLAG_MARKERS);
    }

    boolean crc() {
        return has(MpaFrameLayout.FLAG_CRC);
    }

    private boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** Returns the private data as text, or else in hexadecimal. */
    String words() {
        String text = new String(privateData, StandardCharsets.UTF_8);
        if (text.matches(PRINTABLE)) {
            return "'" + text + "'";
        }
        int shown = Math.min(SHOWN_BYTES, privateData.length);
        return String.format(
                Locale.ROOT,
                "%d bytes: %s%s",
                privateData.length,
                ByteBufUtil.hexDump(privateData, 0, shown),
                shown < privateData.length ? "..." : "");
    }
}
