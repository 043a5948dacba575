package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.mpa.MpaSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WirePositionTest {
    private static final int MAX_PAYLOAD = 40_000;

    private final ConnectionCounters counters = new ConnectionCounters();
    private final SlowChannel channel =
            new SlowChannel(new MpaFramingHandler(MpaSettings.DEFAULT, counters, (buffer, index, length) -> true));
    private final WirePosition position = new WirePosition(channel, counters);

    /** A channel whose socket takes as many bytes as the test allows. */
    private static final class SlowChannel extends EmbeddedChannel {
        private int allowed;
        private long took;

        SlowChannel(MpaFramingHandler framing) {
            super(framing);
        }

        @Override
        protected void doWrite(ChannelOutboundBuffer queue) {
            while (allowed > 0 && queue.current() instanceof ByteBuf next) {
                int taken = Math.min(allowed, next.readableBytes());
                allowed -= taken;
                took += taken;
                queue.removeBytes(taken);
            }
        }

        void takes(int bytes) {
            allowed = bytes;
            flush();
            allowed = 0;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void takenIsExactToTheByte(boolean markers) {
        Random random = new Random(markers ? 1 : 2);
        AgreedParameters agreed =
                AgreedParameters.builder(Role.INITIATOR).sendMarkers(markers).build();
        channel.pipeline().fireUserEventTriggered(new MpaEvent.Established(agreed));
        ByteBuf payload = Unpooled.directBuffer(MAX_PAYLOAD).writeZero(MAX_PAYLOAD);
        Ulpdu ulpdu = new Ulpdu();
        for (int i = 0; i < 1_000; i++) {
            ulpdu.header().clear().writeZero(14);
            channel.write(ulpdu.payload(payload, 0, random.nextInt(random.nextBoolean() ? 100 : MAX_PAYLOAD)));
            if (random.nextInt(4) == 0) {
                channel.takes(random.nextInt(2 * MAX_PAYLOAD));
                assertThat(position.taken()).isEqualTo(channel.took);
            }
        }
        channel.takes(Integer.MAX_VALUE);
        assertThat(position.taken()).isEqualTo(position.written()).isEqualTo(channel.took);
        channel.finishAndReleaseAll();
        payload.release();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 30})
    void broughtCountsTheBytesOfAnIncompleteFpdu(int bytes) {
        channel.pipeline()
                .fireUserEventTriggered(new MpaEvent.Established(
                        AgreedParameters.builder(Role.INITIATOR).build()));
        channel.writeInbound(Unpooled.wrappedBuffer(new ReferenceFramer(true, false).frame(new byte[40]), 0, bytes));
        assertThat(position.received()).isEqualTo(bytes);
        channel.finishAndReleaseAll();
    }
}
