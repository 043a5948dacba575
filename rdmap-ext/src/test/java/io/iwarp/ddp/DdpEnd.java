package io.iwarp.ddp;

import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.mpa.Ulpdu;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The sending and the receiving half of DDP without a channel, for tests of the layer above. */
public final class DdpEnd {
    private static final ChannelFuture TAKEN = new EmbeddedChannel().newSucceededFuture();

    private final SendBuffer buffer;
    private final DdpReceiver receiver;

    public DdpEnd(StreamAssociation association, DdpUlp ulp, ConnectionCounters counters) {
        this.buffer = new SendBuffer(
                ByteBufAllocator.DEFAULT, DdpHandler.DEFAULT_TRANSMIT_WINDOW, association.sendReservation());
        this.receiver = new DdpReceiver(association, ulp, counters, Duration.ofMinutes(1));
        receiver.start(new EmbeddedChannel().eventLoop());
    }

    public boolean receive(ByteBuf ulpdu) {
        return receiver.receive(ulpdu, 0, ulpdu.readableBytes());
    }

    public void endBurst() {
        receiver.endBurst();
    }

    public void peerClosedHalf() {
        receiver.peerClosedHalf();
    }

    public void fail(ProtocolFault fault) {
        receiver.fail(fault);
    }

    public void silence() {
        receiver.discardInput();
    }

    /** Takes a message; a terminal one takes the place of all that is not sent. */
    public void write(DdpMessage message) {
        if (message.terminal()) {
            drop();
            silence();
        }
        message.submit(null);
        buffer.add(message);
    }

    /** The last byte of a message was written before a position on the wire. */
    public static void wireEnd(DdpMessage message, long position) {
        message.setWireEnd(position);
    }

    public void flush() {
        buffer.flush();
    }

    public boolean sendable() {
        return buffer.sendable();
    }

    public boolean cut(Ulpdu ulpdu, int mulpdu) {
        return buffer.cut(ulpdu, mulpdu);
    }

    public DdpMessage current() {
        return buffer.current();
    }

    public long currentBytesCut() {
        return buffer.currentBytesCut();
    }

    /**
     * The transport takes all that was cut, up to a position on the wire. Returns the message that is sent with it, if
     * any.
     */
    public @Nullable DdpMessage take(long position) {
        buffer.written(() -> position);
        buffer.endBurst(TAKEN);
        buffer.removeBurst(true);
        DdpMessage sent = buffer.takeSent();
        if (sent != null) {
            sent.complete();
        }
        return sent;
    }

    /** Drops what is not sent. */
    public void drop() {
        buffer.failUnsent(new IllegalStateException("dropped"));
    }

    public void release() {
        buffer.releaseCopy();
    }
}
