package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.internal.ConnectionCounters;
import io.iwarp.mpa.MpaSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A scripted peer of one start-up handler, at the other end of a channel whose clock stands still unless moved. */
final class StartupPeer {

    /** What the layer above the handler saw, in order: events, and bytes or ULPDUs as hexadecimal text. */
    final List<Object> seenAbove = new ArrayList<>();

    final List<MpaConnectionRequest> requests = new ArrayList<>();
    final EmbeddedChannel channel;
    private int reads;

    StartupPeer() {
        this(new EmbeddedChannel());
    }

    StartupPeer(EmbeddedChannel channel) {
        this.channel = channel;
        channel.freezeTime();
        channel.pipeline().addLast(new ReadCounter()).addLast("above", new Above());
    }

    static StartupPeer ofInitiator(MpaSettings settings, byte... privateData) {
        return new StartupPeer().switchesTo(MpaStartupHandler.initiator(settings, privateData));
    }

    /** The peer of a responder whose application collects the requests in {@link #requests}. */
    static StartupPeer ofResponder(MpaSettings settings) {
        StartupPeer peer = new StartupPeer();
        return peer.switchesTo(MpaStartupHandler.responder(settings, peer.requests::add));
    }

    /** Adds the handler below everything that listens. */
    StartupPeer switchesTo(ChannelHandler handler) {
        String lowest = channel.pipeline().get("framing") == null ? "above" : "framing";
        channel.pipeline().addBefore(lowest, "startup", handler);
        channel.runPendingTasks();
        return this;
    }

    /** Sends all of these bytes, to be read at once. */
    StartupPeer sends(byte... bytes) {
        ByteBuf buffer = channel.alloc().directBuffer(Math.max(1, bytes.length)).writeBytes(bytes);
        channel.writeInbound(buffer);
        return this;
    }

    StartupPeer sendsByteByByte(byte... bytes) {
        for (byte oneByte : bytes) {
            sends(oneByte);
        }
        return this;
    }

    /** Closes the TCP connection from the other end. */
    void closes() {
        channel.unsafe().close(channel.newPromise());
        channel.runPendingTasks();
    }

    /** Expects exactly this, in one write. */
    StartupPeer expects(byte[] bytes) {
        ByteBuf written = channel.readOutbound();
        assertThat(written).isNotNull();
        try {
            assertThat(ByteBufUtil.hexDump(written)).isEqualTo(HexFormat.of().formatHex(bytes));
        } finally {
            written.release();
        }
        return expectsNothing();
    }

    /** Takes everything that was written. */
    byte[] written() {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            all.writeBytes(part);
            part.release();
        }
        return ByteBufUtil.getBytes(all);
    }

    StartupPeer expectsNothing() {
        ByteBuf written = channel.readOutbound();
        assertThat(written).isNull();
        return this;
    }

    MpaConnectionRequest request() {
        assertThat(requests).hasSize(1);
        return requests.get(0);
    }

    <E> E onlyEvent(Class<E> type) {
        assertThat(seenAbove).hasSize(1).first().isInstanceOf(type);
        return type.cast(seenAbove.get(0));
    }

    /** Expects the start-up to have failed and the channel to be closed. */
    MpaEvent.StartupFailed failed() {
        assertThat(channel.isOpen()).isFalse();
        return onlyEvent(MpaEvent.StartupFailed.class);
    }

    StartupPeer expectsHandlerGone() {
        assertThat(channel.pipeline().get(MpaStartupHandler.class)).isNull();
        return expectsNoTimer();
    }

    StartupPeer expectsNoTimer() {
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
        return this;
    }

    int reads() {
        return reads;
    }

    /** Returns framing that records the ULPDUs of the peer. */
    MpaFramingHandler framing(MpaSettings settings) {
        return new MpaFramingHandler(
                settings,
                new ConnectionCounters(),
                (buffer, index, length) -> seenAbove.add(ByteBufUtil.hexDump(buffer, index, length)));
    }

    /** Ends the test: nothing is left in the channel. */
    void done() {
        assertThat(channel.finish()).isFalse();
        channel.checkException();
    }

    private final class Above extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            seenAbove.add(ByteBufUtil.hexDump(bytes));
            bytes.release();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            seenAbove.add(event);
        }
    }

    private final class ReadCounter extends ChannelOutboundHandlerAdapter {

        @Override
        public void read(ChannelHandlerContext ctx) {
            reads++;
            ctx.read();
        }
    }
}
