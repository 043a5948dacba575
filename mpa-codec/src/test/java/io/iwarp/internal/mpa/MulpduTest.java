package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MulpduTest {

    private static final MpaSettings AUTOMATIC = MpaSettings.DEFAULT;

    @ParameterizedTest
    @CsvSource({
        "536,530,522",
        "1220,1214,1202",
        "1448,1442,1430",
        "1460,1454,1442",
        "8948,8942,8870",
        "65483,64768,64768"
    })
    @Requirement({"MPA-41", "MPA-42"})
    void followsTheFormulaOfTheRfc(int emss, int plain, int withMarkers) {
        assertThat(Mulpdu.fromEmss(emss, false)).isEqualTo(plain);
        assertThat(Mulpdu.fromEmss(emss, true)).isEqualTo(withMarkers);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 128, 137, 142, 64774, 65483, 65535, 1 << 20})
    @Requirement({"MPA-3", "MPA-43"})
    void staysWithin128And64768(int emss) {
        assertThat(Mulpdu.fromEmss(emss, false)).isBetween(128, 64768);
        assertThat(Mulpdu.fromEmss(emss, true)).isBetween(128, 64768);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement({"MPA-41", "MPA-42"})
    void anFpduOfAMulpduFitsOneSegmentWhereverTheMarkersFall(boolean markers) {
        for (int emss = 300; emss < 9100; emss += 7) {
            int fpdu = FpduEncoder.fpduLength(Mulpdu.fromEmss(emss, markers));
            for (int start = 0; start < 512; start += 4) {
                int wire = markers ? MarkerLayout.wireLength(start, fpdu) : fpdu;
                assertThat(wire).as("EMSS %d at %d", emss, start).isLessThanOrEqualTo(emss);
            }
        }
    }

    @Test
    void theSettingsFixTheSegmentSizeAndCapTheUlpdu() {
        Channel loopback = channelAt(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));

        assertThat(Mulpdu.initial(MpaSettings.builder().emss(1448).build(), loopback, false))
                .isEqualTo(1442);
        assertThat(Mulpdu.initial(MpaSettings.builder().mulpdu(9000).build(), loopback, false))
                .isEqualTo(9000);
    }

    @Test
    @Requirement("MPA-45")
    void usesInterfaceMtuMinusHeadersWithoutTcpInfo() throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        int mtu = NetworkInterface.getByInetAddress(loopback).getMTU();
        int headers = loopback instanceof Inet6Address ? 60 : 40;
        Channel channel = channelAt(new InetSocketAddress(loopback, 1));

        assertThat(Mulpdu.initial(AUTOMATIC, channel, true)).isEqualTo(Mulpdu.fromEmss(mtu - headers - 12, true));
    }

    /** Loopback's MTU is so large that the cap hides what is subtracted, so these interfaces are of the test. */
    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 1500, 1442, 1430",
        "2001:db8::1, 1500, 1422, 1410",
        "192.0.2.1, 9000, 8942, 8870",
        "2001:db8::1, 9000, 8922, 8850",
        "192.0.2.1, 576, 518, 510"
    })
    @Requirement("MPA-45")
    void leavesRoomForTheHeadersOfTcpAndIpAndForTheTimestampOption(String address, int mtu, int plain, int withMarkers)
            throws Exception {
        InetAddress local = InetAddress.getByName(address);
        Channel channel = channelAt(new InetSocketAddress(local, 1));

        assertThat(Mulpdu.initial(AUTOMATIC, channel, false, asked -> asked.equals(local) ? mtu : 0))
                .isEqualTo(plain);
        assertThat(Mulpdu.initial(AUTOMATIC, channel, true, asked -> asked.equals(local) ? mtu : 0))
                .isEqualTo(withMarkers);
    }

    @Test
    @Requirement("MPA-45")
    void assumesEthernetWhereNothingIsKnown() {
        Channel unknownInterface = channelAt(new InetSocketAddress("192.0.2.1", 1));
        Channel unresolved = channelAt(InetSocketAddress.createUnresolved("nowhere.invalid", 1));
        Channel unbound = channelAt(null);

        assertThat(Mulpdu.initial(AUTOMATIC, unknownInterface, false)).isEqualTo(1454);
        assertThat(Mulpdu.initial(AUTOMATIC, unresolved, false)).isEqualTo(1454);
        assertThat(Mulpdu.initial(AUTOMATIC, unbound, true)).isEqualTo(1442);
    }

    @Test
    void isTheLargestOnTransportsWithoutSegments() {
        EmbeddedChannel channel = new EmbeddedChannel();

        assertThat(Mulpdu.initial(AUTOMATIC, channel, true)).isEqualTo(64768);
    }

    private static Channel channelAt(@Nullable SocketAddress local) {
        return new EmbeddedChannel() {
            @Override
            protected @Nullable SocketAddress localAddress0() {
                return local;
            }
        };
    }
}
