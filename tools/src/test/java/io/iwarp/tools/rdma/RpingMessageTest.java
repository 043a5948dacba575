package io.iwarp.tools.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.CommandFailedException;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RpingMessageTest {
    /** What rdma-core's rping sent between two Linux kernels. */
    private static final String SENT_BY_RPING = "0000556b3f6b737075e90c0000000040";

    private static final RemoteBuffer ADVERTISED = new RemoteBuffer(0x75e90c00, 0x556b3f6b7370L, 64);

    @Test
    void whatRpingSentIsUnderstood() throws Exception {
        assertThat(RpingMessage.decode(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(SENT_BY_RPING))))
                .isEqualTo(ADVERTISED);
    }

    @Test
    void anAdvertisementHasTheBytesThatRpingSends() {
        assertThat(ByteBufUtil.hexDump(RpingMessage.advertisement(ADVERTISED))).isEqualTo(SENT_BY_RPING);
    }

    @Test
    void theHighestValuesSurvive() throws Exception {
        RemoteBuffer highest = new RemoteBuffer(-1, -0xffff_ffffL, 0xffff_ffffL);

        assertThat(RpingMessage.decode(RpingMessage.advertisement(highest))).isEqualTo(highest);
    }

    @Test
    void goAheadIsAMessage() throws Exception {
        RpingMessage.requireMessage(RpingMessage.goAhead());

        assertThat(ByteBufUtil.hexDump(RpingMessage.goAhead())).isEqualTo("0".repeat(32));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 15, 17, 1024})
    void aMessageOfAnotherLengthIsNone(int length) {
        assertThatThrownBy(() -> RpingMessage.decode(Unpooled.buffer(length).writeZero(length)))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContaining(length + " bytes")
                .hasMessageContaining("16");
    }

    @Test
    void memoryThatWouldWrapAroundIsRefused() {
        assertThatThrownBy(() -> RpingMessage.decode(
                        Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump("fffffffffffffff00000000100000011"))))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContaining("cannot be");
    }
}
