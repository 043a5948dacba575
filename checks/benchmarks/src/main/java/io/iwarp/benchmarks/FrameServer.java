package io.iwarp.benchmarks;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;

/**
 * Receives frames. The first of a connection says what to do with the others: one byte 'e' asks for each to be sent
 * back, any other for how many bytes and frames came, and when, after each burst.
 */
final class FrameServer extends Frames {
    static final byte ECHO = 'e';
    static final byte COUNT = 'c';
    private static final int REPORT = 3 * Long.BYTES;

    private boolean asked;
    private boolean echo;
    private long bytes;
    private long frames;

    static void run(String[] arguments) throws InterruptedException {
        Sockets sockets = Sockets.of(arguments[1]);
        EventLoopGroup group = sockets.group();
        try {
            Channel listener = new ServerBootstrap()
                    .group(group)
                    .channel(sockets.serverChannel())
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            new FrameServer().addTo(channel);
                        }
                    })
                    .bind(Sockets.address(arguments[0]))
                    .sync()
                    .channel();
            System.out.println("listening");
            listener.closeFuture().sync();
        } finally {
            group.shutdownGracefully();
        }
    }

    @Override
    void onFrame(ChannelHandlerContext context, ByteBuf payload) {
        if (!asked) {
            asked = true;
            echo = payload.getByte(0) == ECHO;
            return;
        }
        int length = payload.readableBytes();
        bytes += length;
        frames++;
        if (echo) {
            ByteBuf frame = context.alloc().directBuffer(HEADER + length);
            context.write(frame.writeInt(length).writeBytes(payload, 0, length), context.voidPromise());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (asked && !echo) {
            ByteBuf report = context.alloc().directBuffer(HEADER + REPORT);
            report.writeInt(REPORT).writeLong(bytes).writeLong(frames).writeLong(System.nanoTime());
            context.write(report, context.voidPromise());
        }
        context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
