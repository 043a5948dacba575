package io.iwarp.internal.mpa;

import io.iwarp.mpa.MpaSettings;
import io.netty.channel.Channel;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The maximum ULPDU (MULPDU): how many bytes DDP should put into one ULPDU so that its FPDU fits one TCP segment (RFC
 * 5044, sections 4.5 and 5.1).
 *
 * <p>It is derived from the effective maximum segment size (EMSS) of the connection, which is the first known of:
 * {@link MpaSettings#emss()}; the kernel's (TCP_INFO, with Netty's epoll transport); the MTU of the interface with the
 * local address, minus the IP and TCP headers and the timestamp option; 1460. A transport other than TCP/IP has no
 * segments, and uses the largest ULPDU.
 *
 * <p>Stateless and thread-safe.
 */
final class Mulpdu {

    /** The smallest MULPDU, whatever the segment size (section 4.5). */
    static final int MIN = MpaSettings.MIN_MULPDU;

    /** The largest MULPDU, and the maximum length of a ULPDU (section 3). */
    static final int MAX = MpaSettings.MAX_MULPDU;

    /** The EMSS if nothing is known: an Ethernet MTU minus IPv4 and TCP headers. */
    static final int DEFAULT_EMSS = 1460;

    private static final int IPV4_TCP_HEADERS = 20 + 20;
    private static final int IPV6_TCP_HEADERS = 40 + 20;
    private static final int TIMESTAMP_OPTION = 12;
    private static final int FPDU_OVERHEAD = FpduEncoder.ULPDU_LENGTH_LENGTH + FpduEncoder.CRC_LENGTH;

    private Mulpdu() {}

    /**
     * Applies the formula of section 4.5 and clamps the result to {@link #MIN} to {@link #MAX}.
     *
     * @param emss bytes of the effective maximum segment size, from 1 on
     * @param sendMarkers whether markers are inserted in this direction
     * @return bytes of the MULPDU
     */
    static int fromEmss(int emss, boolean sendMarkers) {
        int markers =
                sendMarkers ? MarkerLayout.LENGTH * ((emss + MarkerLayout.INTERVAL - 1) / MarkerLayout.INTERVAL) : 0;
        int overhead = FPDU_OVERHEAD + markers + emss % FpduEncoder.ALIGNMENT;
        return Math.max(MIN, Math.min(MAX, emss - overhead));
    }

    /**
     * Returns the current MULPDU of a connection.
     *
     * @param settings may fix the EMSS, and caps the result with {@link MpaSettings#mulpdu()}
     * @param channel the connected channel
     * @param sendMarkers whether markers are inserted in this direction
     * @return bytes of the MULPDU
     */
    static int initial(MpaSettings settings, Channel channel, boolean sendMarkers) {
        return initial(settings, channel, sendMarkers, Mulpdu::mtuOf);
    }

    /** Returns the MULPDU, with another source of the MTU of the interface that carries an address; 0 is unknown. */
    static int initial(MpaSettings settings, Channel channel, boolean sendMarkers, ToIntFunction<InetAddress> mtu) {
        if (settings.emss() > 0) {
            return limitedMulpdu(settings, settings.emss(), sendMarkers);
        }
        int reported = TcpSegmentSize.of(channel);
        if (reported > 0) {
            return limitedMulpdu(settings, reported, sendMarkers);
        }
        SocketAddress local = channel.localAddress();
        if (local instanceof InetSocketAddress inet) {
            return limitedMulpdu(settings, emssOf(inet.getAddress(), mtu), sendMarkers);
        }
        return local == null ? limitedMulpdu(settings, DEFAULT_EMSS, sendMarkers) : Math.min(MAX, settings.mulpdu());
    }

    /** Applies formula and configured cap to a known EMSS. */
    static int limitedMulpdu(MpaSettings settings, int emss, boolean sendMarkers) {
        return Math.min(settings.mulpdu(), fromEmss(emss, sendMarkers));
    }

    private static int emssOf(@Nullable InetAddress local, ToIntFunction<InetAddress> mtuOf) {
        int mtu = local == null ? 0 : mtuOf.applyAsInt(local);
        if (mtu <= 0) {
            return DEFAULT_EMSS;
        }
        int headers = local instanceof Inet6Address ? IPV6_TCP_HEADERS : IPV4_TCP_HEADERS;
        return Math.max(1, mtu - headers - TIMESTAMP_OPTION);
    }

    private static int mtuOf(InetAddress local) {
        try {
            NetworkInterface carrier = NetworkInterface.getByInetAddress(local);
            return carrier == null ? 0 : carrier.getMTU();
        } catch (SocketException unknown) {
            // The interface was removed or has no known MTU: the default is used.
            return 0;
        }
    }
}
