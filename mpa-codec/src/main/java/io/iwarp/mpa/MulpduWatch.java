package io.iwarp.mpa;

import io.netty.channel.Channel;
import java.util.function.ToIntFunction;

/**
 * Follows the segment size of a connection, which TCP may change at any time, and so the MULPDU
 * (RFC 5044, section 4.5).
 *
 * <p>Checks it after each {@value #BYTES_BETWEEN_LOOKS} bytes sent, because a check is a system call. If the
 * settings fix the EMSS, it never checks.
 */
final class MulpduWatch {

    /** Bytes sent between two checks of the segment size. */
    static final int BYTES_BETWEEN_LOOKS = 1 << 20;

    private final MpaSettings settings;
    private final boolean sendMarkers;
    private final ToIntFunction<Channel> segmentSize;
    private int mulpdu;
    private long nextLook = BYTES_BETWEEN_LOOKS;

    MulpduWatch(MpaSettings settings, boolean sendMarkers, int mulpdu, ToIntFunction<Channel> segmentSize) {
        this.settings = settings;
        this.sendMarkers = sendMarkers;
        this.mulpdu = mulpdu;
        this.segmentSize = segmentSize;
    }

    int mulpdu() {
        return mulpdu;
    }

    /**
     * Checks the segment size if it is time.
     *
     * @param sent bytes sent since the start of Full Operation
     * @return true if {@link #mulpdu()} has changed
     */
    boolean review(Channel channel, long sent) {
        if (sent < nextLook || settings.emss() > 0) {
            return false;
        }
        nextLook = sent + BYTES_BETWEEN_LOOKS;
        int emss = segmentSize.applyAsInt(channel);
        if (emss == TcpSegmentSize.UNKNOWN) {
            return false;
        }
        int before = mulpdu;
        mulpdu = Mulpdu.capped(settings, emss, sendMarkers);
        return mulpdu != before;
    }
}
