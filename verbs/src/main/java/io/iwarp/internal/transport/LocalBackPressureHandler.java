package io.iwarp.internal.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCounted;
import java.nio.channels.ClosedChannelException;

/**
 * Sits next to a {@code LocalChannel}, which puts writes into an unbounded queue of its peer and completes them at
 * once. With this handler a write completes when the peer reads it, so that the bytes in flight are limited as with a
 * socket. A receipt precedes the bytes of each write with a promise. The peer's handler releases it.
 */
final class LocalBackPressureHandler extends ChannelDuplexHandler {

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof ByteBuf && !promise.isVoid()) {
            // Precedes the bytes, since a response of the peer to them must not overtake the receipt: the next Read
            // would find the IRD exhausted although the response was read.
            ctx.write(new Receipt(ctx.channel(), promise));
            ctx.write(message);
        } else {
            ctx.write(message, promise);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof Receipt receipt) {
            receipt.release();
        } else {
            ctx.fireChannelRead(message);
        }
    }

    /** Released after the bytes before it, by the peer, or by the channel that could not send them. */
    private static final class Receipt extends AbstractReferenceCounted {
        private final Channel sender;
        private final ChannelPromise promise;

        Receipt(Channel sender, ChannelPromise promise) {
            this.sender = sender;
            this.promise = promise;
        }

        @Override
        protected void deallocate() {
            if (sender.isActive()) {
                promise.trySuccess();
            } else {
                promise.tryFailure(new ClosedChannelException());
            }
        }

        @Override
        public ReferenceCounted touch(Object hint) {
            return this;
        }
    }
}
