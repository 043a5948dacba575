package io.iwarp.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCounted;
import java.nio.channels.ClosedChannelException;

/**
 * Stands next to a {@code LocalChannel}, which puts what is written into a queue without bounds at its peer and calls it
 * written. Here a write is complete when the peer has read it, so that what is under way is bounded as with a socket. A receipt
 * follows the bytes of each write that somebody asks about; the peer's handler gives it back by letting go of it.
 */
final class LocalReceiptHandler extends ChannelDuplexHandler {

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof ByteBuf && !promise.isVoid()) {
            // Fails with the receipt behind it, if it fails.
            ctx.write(message);
            ctx.write(new Receipt(ctx.channel(), promise));
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

    /** Whoever lets go of it last has taken the bytes before it: the peer, or the channel that could not send them. */
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
