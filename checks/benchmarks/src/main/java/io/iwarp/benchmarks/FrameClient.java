package io.iwarp.benchmarks;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Sends frames as fast as the channel is writable, or one after another and back. Prints a line of JSON: what the
 * server had received between two reports that lie a given time apart.
 */
final class FrameClient extends Frames {
    private static final int BURST = 128;
    private static final int LARGE = 4 * 1024;
    private static final int WINDOW = 1024 * 1024;
    private static final long SLOWEST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final boolean echo;
    private final ByteBuf payload;
    private final CompletableFuture<String> result = new CompletableFuture<>();
    private final Histogram roundTrips = new Histogram(SLOWEST_NANOS, 3);
    private final long warmup;
    private final long duration;
    private boolean streamingSoon;
    private boolean measuring;
    private long begin;
    private long bytesAtBegin;
    private long framesAtBegin;
    private long sentAt;

    private FrameClient(boolean echo, int size, double warmupSeconds, double seconds) {
        this.echo = echo;
        this.payload = Unpooled.directBuffer(size).writeZero(size);
        this.warmup = (long) (warmupSeconds * 1e9);
        this.duration = (long) (seconds * 1e9);
    }

    /** Arguments: HOST:PORT TRANSPORT echo|stream SIZE WARMUP-SECONDS SECONDS. */
    static void run(String[] arguments) throws Exception {
        Sockets sockets = Sockets.of(arguments[1]);
        FrameClient client = new FrameClient(
                arguments[2].equals("echo"),
                Integer.parseInt(arguments[3]),
                Double.parseDouble(arguments[4]),
                Double.parseDouble(arguments[5]));
        EventLoopGroup group = sockets.group();
        try {
            Channel channel = new Bootstrap()
                    .group(group)
                    .channel(sockets.channel())
                    .handler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel fresh) {
                            fresh.config()
                                    .setOption(
                                            ChannelOption.WRITE_BUFFER_WATER_MARK,
                                            new WriteBufferWaterMark(WINDOW / 2, WINDOW));
                            client.addTo(fresh);
                        }
                    })
                    .connect(Sockets.address(arguments[0]))
                    .sync()
                    .channel();
            System.out.println(client.result.get(2, TimeUnit.MINUTES));
            channel.close().sync();
        } finally {
            // At once: what comes after the measurement would count as a part of it.
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        begin = System.nanoTime();
        context.write(
                Unpooled.directBuffer(HEADER + 1).writeInt(1).writeByte(echo ? FrameServer.ECHO : FrameServer.COUNT));
        if (echo) {
            ping(context);
            context.flush();
        } else {
            context.flush();
            stream(context);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (!echo && context.channel().isWritable()) {
            streamSoon(context);
        }
    }

    /** One burst, and the next behind a poll: as long as the server keeps up, nothing else would get its turn. */
    private void stream(ChannelHandlerContext context) {
        streamingSoon = false;
        for (int i = 0; i < BURST && context.channel().isWritable(); i++) {
            writeFrame(context);
        }
        context.flush();
        if (context.channel().isWritable()) {
            streamSoon(context);
        }
    }

    private void streamSoon(ChannelHandlerContext context) {
        if (!streamingSoon) {
            streamingSoon = true;
            context.executor().schedule(() -> stream(context), 0, TimeUnit.NANOSECONDS);
        }
    }

    /** A large payload goes by reference, a small one is cheaper copied. */
    private void writeFrame(ChannelHandlerContext context) {
        int length = payload.readableBytes();
        if (length < LARGE) {
            ByteBuf frame = context.alloc().directBuffer(HEADER + length);
            context.write(frame.writeInt(length).writeBytes(payload, 0, length), context.voidPromise());
        } else {
            context.write(context.alloc().directBuffer(HEADER).writeInt(length), context.voidPromise());
            context.write(payload.retainedDuplicate(), context.voidPromise());
        }
    }

    private void ping(ChannelHandlerContext context) {
        sentAt = System.nanoTime();
        writeFrame(context);
    }

    @Override
    void onFrame(ChannelHandlerContext context, ByteBuf frame) {
        if (echo) {
            onEcho(context, System.nanoTime());
        } else {
            onReport(frame.getLong(0), frame.getLong(Long.BYTES), frame.getLong(2 * Long.BYTES));
        }
    }

    private void onEcho(ChannelHandlerContext context, long now) {
        if (measuring) {
            roundTrips.recordValue(Math.min(now - sentAt, SLOWEST_NANOS));
        }
        if (measuring && now - begin > duration) {
            result.complete(String.format(
                    Locale.ROOT,
                    "{\"p50\":%.3f,\"p99\":%.3f,\"operations\":%d}",
                    roundTrips.getValueAtPercentile(50) / 1e3,
                    roundTrips.getValueAtPercentile(99) / 1e3,
                    roundTrips.getTotalCount()));
            return;
        }
        if (!measuring && now - begin > warmup) {
            measuring = true;
            begin = now;
        }
        ping(context);
        context.flush();
    }

    /** The clock is the server's, since a report may have waited; both ends are on one machine. */
    private void onReport(long bytes, long frames, long now) {
        if (!measuring && now - begin > warmup) {
            measuring = true;
            begin = now;
            bytesAtBegin = bytes;
            framesAtBegin = frames;
        } else if (measuring && now - begin > duration) {
            double seconds = (now - begin) / 1e9;
            result.complete(String.format(
                    Locale.ROOT,
                    "{\"bytesPerSecond\":%.0f,\"operationsPerSecond\":%.1f}",
                    (bytes - bytesAtBegin) / seconds,
                    (frames - framesAtBegin) / seconds));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        result.completeExceptionally(cause);
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        result.completeExceptionally(new IllegalStateException("the server closed the connection"));
    }
}
