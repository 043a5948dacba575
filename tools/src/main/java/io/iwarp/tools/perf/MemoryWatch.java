package io.iwarp.tools.perf;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Checks memory each time after bytes of the peer were placed. This replaces polling, as only the event loop places
 * bytes.
 */
final class MemoryWatch extends ChannelInboundHandlerAdapter {
    private final Runnable look;

    /** @param look called on the event loop */
    MemoryWatch(Runnable look) {
        this.look = look;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        // The next handlers may place bytes in response to this event.
        ctx.fireChannelReadComplete();
        look.run();
    }
}
