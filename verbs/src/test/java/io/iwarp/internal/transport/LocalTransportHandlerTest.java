package io.iwarp.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.ExhaustedAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class LocalTransportHandlerTest {
    @Test
    void bytesThatThereIsNoMemoryToCopyAreReleased() {
        EmbeddedChannel channel = new EmbeddedChannel(new LocalTransportHandler());
        channel.config().setAllocator(new ExhaustedAllocator());
        ByteBuf bytes = Unpooled.directBuffer(1).writeByte(1);

        assertThat(channel.writeAndFlush(bytes).cause()).isInstanceOf(OutOfMemoryError.class);

        assertThat(bytes.refCnt()).isZero();
        channel.finishAndReleaseAll();
    }
}
