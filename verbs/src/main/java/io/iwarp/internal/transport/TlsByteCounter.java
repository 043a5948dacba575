package io.iwarp.internal.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/** Sits below the {@code SslHandler}, and counts the bytes of its records. Belongs to the event loop of the channel. */
final class TlsByteCounter extends ChannelOutboundHandlerAdapter {
    private long written;

    long written() {
        return written;
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof ByteBuf records) {
            written += records.readableBytes();
        }
        ctx.write(message, promise);
    }
}
