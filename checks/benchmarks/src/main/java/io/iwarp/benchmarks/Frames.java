package io.iwarp.benchmarks;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;

/** Takes length-field frames from Netty's own decoder, and copies each payload to its destination. */
abstract class Frames extends ChannelInboundHandlerAdapter {
    static final int HEADER = Integer.BYTES;
    private static final int MIN_READ = 2 * 1024;
    private static final int FIRST_READ = 64 * 1024;
    private static final int MAX_READ = 1024 * 1024;

    private ByteBuf destination;

    /** Adds the handlers, and sets large reads, as for the stack. */
    void addTo(Channel channel) {
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
        channel.config()
                .setOption(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new AdaptiveRecvByteBufAllocator(MIN_READ, FIRST_READ, MAX_READ));
        channel.pipeline().addLast(new LengthFieldBasedFrameDecoder(Integer.MAX_VALUE, 0, HEADER, 0, HEADER), this);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        destination = context.alloc().directBuffer();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        destination.release();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf frame = (ByteBuf) message;
        try {
            destination.clear().writeBytes(frame);
        } finally {
            frame.release();
        }
        onFrame(context, destination);
    }

    /** A payload is in place; the buffer stays this handler's. */
    abstract void onFrame(ChannelHandlerContext context, ByteBuf payload);
}
