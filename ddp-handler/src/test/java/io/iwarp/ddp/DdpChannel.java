package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Counter;
import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.mpa.AgreedParameters;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A channel with a {@link DdpHandler} over a {@link SlowTransport}. */
final class DdpChannel implements AutoCloseable {
    static final int MULPDU = 1018;

    final SlowTransport transport = new SlowTransport();
    final RecordingUlp ulp = new RecordingUlp();
    final ConnectionCounters counters = new ConnectionCounters();
    /** What was passed up the pipeline. */
    final List<Object> passedOn = new ArrayList<>();

    final List<Throwable> exceptions = new ArrayList<>();
    final ProtectionDomain domain = ProtectionDomain.create();
    final StreamAssociation stream = StreamAssociation.open(domain);
    final DdpHandler handler;
    final EmbeddedChannel channel;

    DdpChannel() {
        this(DdpHandler.DEFAULT_TRANSMIT_WINDOW);
    }

    DdpChannel(int transmitWindow) {
        this(transmitWindow, ByteBufAllocator.DEFAULT);
    }

    DdpChannel(int transmitWindow, ByteBufAllocator allocator) {
        handler = new DdpHandler(
                transmitWindow,
                ReceiverFixture.MESSAGE_TIMEOUT,
                stream,
                ulp,
                counters,
                () -> counters.get(Counter.BYTES_SENT));
        ulp.idle = this::idle;
        channel = new EmbeddedChannel();
        channel.config().setAllocator(allocator);
        channel.pipeline().addLast(transport, handler, new Above());
    }

    /** Start-up is over. */
    DdpChannel established(int mulpdu) {
        fire(new MpaEvent.Established(
                AgreedParameters.builder(Role.INITIATOR).mulpdu(mulpdu).build()));
        return this;
    }

    /** Start-up is over and ULPDUs of at most {@link #MULPDU} bytes may go. */
    DdpChannel ready() {
        established(MULPDU);
        fire(new MpaEvent.TransmitReady());
        return this;
    }

    private boolean idle() {
        return channel.isOpen() && handler.idle();
    }

    void fire(Object event) {
        channel.pipeline().fireUserEventTriggered(event);
    }

    /** Writes a Send of this text and says which message it was. */
    DdpMessage send(String text) {
        DdpMessage message = message(text);
        write(message);
        return message;
    }

    static DdpMessage message(String text) {
        return message(text.getBytes(StandardCharsets.US_ASCII));
    }

    static DdpMessage message(byte[] payload) {
        DdpMessage message = new DdpMessage().untagged(0x43, 0, 0);
        message.payload().wrap(Unpooled.wrappedBuffer(payload), 0, payload.length);
        return message;
    }

    static DdpMessage terminate() {
        DdpMessage message = new DdpMessage().untagged(0x47, 0, 2).terminal(true);
        message.payload().wrap(Unpooled.wrappedBuffer(new byte[] {'T'}), 0, 1);
        return message;
    }

    /** Writes with a void promise, as the layer above does. */
    void write(DdpMessage message) {
        var unused = channel.pipeline().write(message, channel.voidPromise());
    }

    ChannelFuture writeWithPromise(Object message) {
        return channel.pipeline().write(message, channel.newPromise());
    }

    void flush() {
        channel.pipeline().flush();
    }

    void writeAndFlush(DdpMessage message) {
        write(message);
        flush();
    }

    /** The payloads of what reached the transport, as text. */
    List<String> sent() {
        return transport.ulpdus.stream().map(DdpChannel::payload).toList();
    }

    private static String payload(byte[] ulpdu) {
        DdpSegment segment = Ulpdus.segment(ulpdu);
        return segment.buffer().toString(segment.payloadIndex(), segment.payloadLength(), StandardCharsets.US_ASCII);
    }

    void writable(boolean writable) {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, writable);
        channel.runPendingTasks();
    }

    /** The peer sends a segment. */
    void receives(Segment segment) {
        receivesMore(segment);
        channel.flushInbound();
    }

    /** A segment in the middle of what the channel reads at once. */
    void receivesMore(Segment segment) {
        ByteBuf ulpdu = Unpooled.wrappedBuffer(segment.ulpdu());
        assertThat(handler.receive(ulpdu, 0, ulpdu.readableBytes())).isTrue();
    }

    @Override
    public void close() {
        channel.finishAndReleaseAll();
        stream.close();
        domain.close();
    }

    private final class Above extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            passedOn.add(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            passedOn.add(event);
            if (event instanceof MpaEvent.InputShutdown) {
                ulp.onHalfClosed();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            exceptions.add(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            passedOn.add("inactive");
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            passedOn.add("writability");
        }
    }

    /** Lets the event loop turn until there is nothing to do. */
    void runTasks() {
        do {
            channel.runPendingTasks();
        } while (channel.hasPendingTasks());
    }
}
