package io.iwarp.internal.mpa;

import io.iwarp.Counter;
import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.InputBudget;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.mpa.MpaSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** An embedded channel with MPA framing in Full Operation and a recorder in DDP's place. */
final class FramingChannel {

    /** Everything that went up, in order: byte[] for a ULPDU, else the event or exception itself. */
    final List<Object> seen = new ArrayList<>();

    final ConnectionCounters counters = new ConnectionCounters();
    final MpaFramingHandler framing;
    final EmbeddedChannel channel;
    final Ulpdu outgoing = new Ulpdu();

    /** Called for each ULPDU after it was recorded. */
    UlpduReceiver onUlpdu = (buffer, index, length) -> true;

    private @Nullable AssertionError failure;

    FramingChannel(MpaSettings settings, ToIntFunction<Channel> segmentSize) {
        this(settings, segmentSize, null);
    }

    FramingChannel(MpaSettings settings, ToIntFunction<Channel> segmentSize, @Nullable IwarpDevice device) {
        InputBudget budget = device == null
                ? new InputBudget(Long.MAX_VALUE)
                : StreamAssociation.open(device.createProtectionDomain()).inputBudget();
        framing = new MpaFramingHandler(settings, counters, segmentSize, budget, this::take);
        channel = new EmbeddedChannel(framing, new Recorder());
    }

    FramingChannel() {
        this(MpaSettings.DEFAULT, TcpSegmentSize::of);
    }

    static FramingChannel established(Role role, boolean crc, boolean send, boolean receive) {
        return new FramingChannel().establish(role, crc, send, receive);
    }

    static FramingChannel initiator(boolean crc, boolean markers) {
        return established(Role.INITIATOR, crc, markers, markers);
    }

    static FramingChannel responder(boolean crc, boolean markers) {
        return established(Role.RESPONDER, crc, markers, markers);
    }

    FramingChannel establish(Role role, boolean crc, boolean send, boolean receive) {
        AgreedParameters agreed = AgreedParameters.builder(role)
                .crc(crc)
                .sendMarkers(send)
                .receiveMarkers(receive)
                .mulpdu(1442)
                .build();
        channel.pipeline().fireUserEventTriggered(new MpaEvent.Established(agreed));
        return this;
    }

    long count(Counter counter) {
        return counters.get(counter);
    }

    void receive(byte[] bytes) {
        ByteBuf direct = channel.alloc().directBuffer(Math.max(1, bytes.length)).writeBytes(bytes);
        channel.writeInbound(direct);
    }

    /** Writes as DDP does, without a promise. */
    void send(byte[] ulpdu) {
        channel.write(outgoing(ulpdu), channel.voidPromise());
    }

    ChannelFuture write(byte[] ulpdu) {
        return channel.write(outgoing(ulpdu));
    }

    void close() {
        channel.close();
    }

    /** As a handler closes it; {@link #close} cancels all timers of the channel by itself. */
    void closeFromWithin() {
        channel.pipeline().close();
    }

    /** Whether a task is scheduled for later, after those that are due have run. */
    boolean timersLeft() {
        return channel.runScheduledPendingTasks() >= 0;
    }

    private Ulpdu outgoing(byte[] ulpdu) {
        outgoing.header().clear();
        return outgoing.payload(Unpooled.wrappedBuffer(ulpdu), 0, ulpdu.length);
    }

    /** Takes what has been flushed to the transport, piece by piece. */
    List<byte[]> pieces() {
        List<byte[]> pieces = new ArrayList<>();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            pieces.add(ByteBufUtil.getBytes(out));
            out.release();
        }
        return pieces;
    }

    byte[] sent() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        pieces().forEach(all::writeBytes);
        return all.toByteArray();
    }

    List<byte[]> ulpdus() {
        return seen.stream()
                .filter(byte[].class::isInstance)
                .map(byte[].class::cast)
                .toList();
    }

    <E> List<E> seen(Class<E> type) {
        return seen.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** Ends the channel; a failure inside {@link #onUlpdu}, which the pipeline swallowed, is thrown here. */
    boolean finish() {
        if (failure != null) {
            throw failure;
        }
        return channel.finishAndReleaseAll();
    }

    private boolean take(ByteBuf buffer, int index, int length) {
        seen.add(ByteBufUtil.getBytes(buffer, index, length, true));
        try {
            return onUlpdu.receive(buffer, index, length);
        } catch (RuntimeException | AssertionError e) {
            failure = new AssertionError("while looking at a ULPDU of " + length + " bytes", e);
            return true;
        }
    }

    private final class Recorder extends ChannelInboundHandlerAdapter {

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            seen.add(event);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.fireChannelReadComplete();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            seen.add("channelInactive");
            ctx.fireChannelInactive();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            seen.add(cause);
        }
    }
}
