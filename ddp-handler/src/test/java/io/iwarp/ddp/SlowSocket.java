package io.iwarp.ddp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.ArrayDeque;

/** In the place of the socket: keeps what MPA writes, and takes it when the test says so. */
final class SlowSocket extends ChannelOutboundHandlerAdapter {
    private record Write(ByteBuf octets, ChannelPromise promise) {}

    private final ArrayDeque<Write> writes = new ArrayDeque<>();
    private long octetsPending;

    Runnable onWrite = () -> {};

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        ByteBuf octets = (ByteBuf) message;
        octetsPending += octets.readableBytes();
        writes.add(new Write(octets, promise));
        onWrite.run();
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        // What was written stays until the test takes it.
    }

    /** Octets written and not taken. */
    long octetsPending() {
        return octetsPending;
    }

    /** Takes the oldest write; false if there is none. */
    boolean take() {
        Write write = writes.poll();
        if (write == null) {
            return false;
        }
        octetsPending -= write.octets.readableBytes();
        write.octets.release();
        if (!write.promise.isVoid()) {
            write.promise.setSuccess();
        }
        return true;
    }
}
