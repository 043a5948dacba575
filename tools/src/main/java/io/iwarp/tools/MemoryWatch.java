package io.iwarp.tools;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Looks at memory each time that bytes of the peer were placed: as good as looking at it all the time, because in between
 * the event loop, which places them, does not get to change it.
 */
final class MemoryWatch extends ChannelInboundHandlerAdapter {
    private final Runnable look;

    /**
     * @param look called on the event loop
     */
    MemoryWatch(Runnable look) {
        this.look = look;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        // The handlers behind this one may place bytes in answer to that.
        ctx.fireChannelReadComplete();
        look.run();
    }
}
