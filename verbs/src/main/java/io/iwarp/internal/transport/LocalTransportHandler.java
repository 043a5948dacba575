package io.iwarp.internal.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.util.Objects;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Sits above a {@code LocalChannel}, which passes each written object to the peer unchanged. Bytes are copied, since
 * the peer may keep them after the write has completed and the application has reused their memory.
 */
final class LocalTransportHandler extends TransportHandler {

    private @Nullable ChannelHandlerContext context;

    @Override
    ChannelFuture closeOutput() {
        return Objects.requireNonNull(context, "the handler is not in a pipeline")
                .writeAndFlush(ChannelInputShutdownEvent.INSTANCE);
    }

    @Override
    LongSupplier bytesWritten(LongSupplier fpduBytes) {
        return fpduBytes;
    }

    @Override
    @Nullable
    SSLSession tlsSession() {
        return null;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message == ChannelInputShutdownEvent.INSTANCE) {
            ctx.fireUserEventTriggered(message);
        } else {
            ctx.fireChannelRead(message);
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof ByteBuf bytes && bytes.isReadable()) {
            ctx.write(copy(ctx, bytes), promise);
        } else {
            ctx.write(message, promise);
        }
    }

    private static ByteBuf copy(ChannelHandlerContext ctx, ByteBuf bytes) {
        int length = bytes.readableBytes();
        try {
            return ctx.alloc().directBuffer(length, length).writeBytes(bytes);
        } finally {
            bytes.release();
        }
    }
}
