package io.iwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.uring.IoUringChannelOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransportTest {
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NIO")
    void theUnsentAreLimitedInTheSocket(Transport transport) throws Exception {
        assumeTrue(transport.unavailabilityCause() == null);
        Channel channel = transport.channel().getDeclaredConstructor().newInstance();
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
    void nioDoesNotKnowTheLimit() throws Exception {
        assertThat(Transport.NIO.limitsUnsent()).isFalse();
        Channel channel = Transport.NIO.channel().getDeclaredConstructor().newInstance();
        try {
            assertThatIllegalStateException().isThrownBy(() -> Transport.NIO.limitUnsent(channel, 1));
        } finally {
            channel.unsafe().closeForcibly();
        }
    }
}
