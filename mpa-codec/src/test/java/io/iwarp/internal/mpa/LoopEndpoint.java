package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One end of a real connection: start-up, framing, and a recorder of what comes out on top. */
final class LoopEndpoint extends ChannelInitializer<Channel> {

    private static final long PATIENCE_SECONDS = 20;

    /** Connection requests, events, ULPDUs (as text after "ULPDU ") and plain bytes (as text), in order. */
    final BlockingQueue<Object> seen = new LinkedBlockingQueue<>();

    private final MpaSettings settings;
    private final boolean initiator;
    private final boolean immediately;

    /**
     * Creates an end.
     *
     * @param immediately whether MPA starts with the connection; else {@link #switchToMpa} starts it
     */
    LoopEndpoint(Role role, MpaSettings settings, boolean immediately) {
        this.initiator = role == Role.INITIATOR;
        this.settings = settings;
        this.immediately = immediately;
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.pipeline().addLast("top", new Top());
        if (immediately) {
            switchToMpa(channel);
        }
    }

    /** Puts MPA under the recorder. */
    void switchToMpa(Channel channel) {
        channel.pipeline()
                .addBefore(
                        "top",
                        null,
                        initiator
                                ? MpaStartupHandler.initiator(settings, privateData())
                                : MpaStartupHandler.responder(settings, seen::add))
                .addBefore("top", null, new MpaFramingHandler(settings, new ConnectionCounters(), this::take));
    }

    private byte[] privateData() {
        return StartupFrames.ascii(settings.start() == StartMode.PREAGREED ? "" : "hello");
    }

    /** Takes the next thing that was seen, which must be of this type. */
    <E> E next(Class<E> type) throws InterruptedException {
        Object next = seen.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(next).isInstanceOf(type);
        return type.cast(next);
    }

    /** Takes the next thing that was seen, which must be this text. */
    void expects(String text) throws InterruptedException {
        assertThat(next(String.class)).isEqualTo(text);
    }

    static void sendUlpdu(Channel channel, String text) {
        channel.eventLoop().execute(() -> {
            Ulpdu ulpdu = new Ulpdu();
            ulpdu.header().writeCharSequence(text, StandardCharsets.US_ASCII);
            channel.writeAndFlush(ulpdu);
        });
    }

    private boolean take(ByteBuf buffer, int index, int length) {
        return seen.add("ULPDU " + buffer.toString(index, length, StandardCharsets.US_ASCII));
    }

    private final class Top extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            seen.add(bytes.toString(StandardCharsets.US_ASCII));
            bytes.release();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            seen.add(event);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            seen.add(cause);
        }
    }
}
