package io.iwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringSocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransportTest {
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NIO")
    void theUnsentAreLimitedInTheSocket(Transport transport) {
        assumeTrue(transport.unavailabilityCause() == null);
        Channel channel = transport == Transport.EPOLL ? new EpollSocketChannel() : new IoUringSocketChannel();
        try {
            transport.limitUnsent(channel, 65_536);

            Long limit = transport == Transport.EPOLL
                    ? channel.config().getOption(EpollChannelOption.TCP_NOTSENT_LOWAT)
                    : channel.config().getOption(IoUringChannelOption.TCP_NOTSENT_LOWAT);
            assertThat(limit).isEqualTo(65_536);
        } finally {
            channel.unsafe().closeForcibly();
        }
    }

    @Test
    void nioDoesNotKnowTheLimit() {
        assertThat(Transport.NIO.limitsUnsent()).isFalse();
        Channel channel = new NioSocketChannel();
        try {
            assertThatIllegalStateException().isThrownBy(() -> Transport.NIO.limitUnsent(channel, 1));
        } finally {
            channel.unsafe().closeForcibly();
        }
    }
}
