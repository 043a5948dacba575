package io.iwarp.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ConnectionClosedException;
import io.iwarp.ProtocolError;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.tools.CommandRun;
import io.iwarp.tools.PlainEndpoint;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Output;
import io.iwarp.tools.cli.Story;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DemoTest {
    private static final int SIZE = 100_000;

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void tellsWhatWasAgreedAndSucceeds(boolean markers, boolean withoutCrc) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("demo", "--size", "300K"));
        if (markers) {
            arguments.add("--markers");
        }
        if (withoutCrc) {
            arguments.add("--no-crc");
        }
        CommandRun demo = CommandRun.of(arguments.toArray(String[]::new));

        assertThat(demo.err()).isEmpty();
        assertThat(demo.exitCode()).isZero();
        assertThat(demo.out())
                .contains("CRC32C " + (withoutCrc ? "off" : "on"))
                .contains("markers " + (markers ? "on" : "off"))
                .contains("compared 307,200 bytes")
                .contains("initiator wrote 300 KiB", "initiator read 300 KiB back")
                .contains("all as written")
                .contains("fetch-add", "compare-swap", "Immediate Data", "Solicited Event and Invalidate")
                .containsPattern("terminate +0x0/0x1/0x00 Remote Protection Error / Invalid Steering Tag: ")
                .containsPattern("\\n  markers +" + (markers ? "[1-9][0-9]+" : "0 "))
                .containsPattern("\\n  CRCs checked +" + (withoutCrc ? "0 " : "[1-9][0-9]*"));
        assertThat(demo.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(90));
        assertThat(demo.out().lines().count()).isBetween(30L, 45L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "7", "8", "1453"})
    void writesAnySize(String size) throws Exception {
        CommandRun demo = CommandRun.of("demo", "--size", size);

        assertThat(demo.err()).isEmpty();
        assertThat(demo.exitCode()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "4G", "-1", "much"})
    void refusesASizeItCannotDo(String size) throws Exception {
        CommandRun demo = CommandRun.of("demo", "--size=" + size);

        assertThat(demo.exitCode()).isEqualTo(2);
        assertThat(demo.err()).contains("iwarp demo --help").contains("--size");
        assertThat(demo.out()).isEmpty();
    }

    @Test
    void failsWhenAnByteChangedOnTheWayAndNoCrcSawIt() {
        assertThatThrownBy(() -> runOverAFaultyWire(false))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContaining("of the responder's memory is wrong");
    }

    @Test
    void failsByTheCrcWhenAnByteChangedOnTheWay() {
        assertThatThrownBy(() -> runOverAFaultyWire(true))
                .isInstanceOfSatisfying(
                        ConnectionClosedException.class,
                        e -> assertThat(e.reason().error()).isEqualTo(ProtocolError.MPA_CRC_MISMATCH));
    }

    private static void runOverAFaultyWire(boolean crc) throws Exception {
        MpaSettings mpa = MpaSettings.builder().crc(crc).emss(FlipOneByte.EMSS).build();
        QueuePairSettings settings = QueuePairSettings.builder().mpa(mpa).build();
        Story story = new Story(new Output(new PrintWriter(new StringWriter())));
        try (Endpoint initiatorEnd = PlainEndpoint.open();
                Endpoint responderEnd = new Endpoint(
                        PlainEndpoint.LOOPS, (pipeline, server) -> pipeline.addLast(new FlipOneByte()), () -> {});
                DemoResponder responder = new DemoResponder(story, SIZE);
                IwarpListener listener = responderEnd.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), settings, responder)) {
            new DemoInitiator(story, initiatorEnd, SIZE).run(listener.localAddress(), settings, responder);
        }
    }

    /** Changes a byte in the middle of the eleventh FPDU: not in the first, after which a Terminate may be sent. */
    private static final class FlipOneByte extends ChannelInboundHandlerAdapter {
        static final int EMSS = 1460;

        private long untilFlip = 32 + 10 * EMSS + EMSS / 2;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            int length = bytes.readableBytes();
            if (untilFlip >= 0 && untilFlip < length) {
                int index = bytes.readerIndex() + (int) untilFlip;
                bytes.setByte(index, ~bytes.getByte(index));
            }
            untilFlip -= length;
            ctx.fireChannelRead(message);
        }
    }
}
