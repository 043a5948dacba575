package io.iwarp.ddp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.ArrayDeque;

/** In the place of the socket: keeps what MPA writes, and takes it on the request of the test. */
final class SlowSocket extends ChannelOutboundHandlerAdapter {
    private record Write(ByteBuf bytes, ChannelPromise promise) {}

    private final ArrayDeque<Write> writes = new ArrayDeque<>();
    private long bytesPending;

    Runnable onWrite = () -> {};

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        ByteBuf bytes = (ByteBuf) message;
        bytesPending += bytes.readableBytes();
        writes.add(new Write(bytes, promise));
        onWrite.run();
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        // What was written stays until the test takes it.
    }

    /** Bytes written and not taken. */
    long bytesPending() {
        return bytesPending;
    }

    /** Takes the oldest write; false if there is none. */
    boolean take() {
        Write write = writes.poll();
        if (write == null) {
            return false;
        }
        bytesPending -= write.bytes.readableBytes();
        write.bytes.release();
        if (!write.promise.isVoid()) {
            write.promise.setSuccess();
        }
        return true;
    }
}
