package io.iwarp.tools.probe;

import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.TransportHandlers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** A connection whose bytes are not interpreted. Its methods block, for a limited time. One thread uses it. */
final class ProbeLink extends ChannelInboundHandlerAdapter implements AutoCloseable {
    private static final byte[] END = {};
    /** No peer that matters says more before it is asked. */
    private static final int MAX_BYTES = 4096;

    private final BlockingQueue<byte[]> arrivals = new LinkedBlockingQueue<>();
    private final long timeoutMillis;
    private final ByteBuf received = Unpooled.buffer();
    private @Nullable Channel channel;
    /** Set before the connection is made. The pipeline has it only until the channel is closed. */
    private volatile @Nullable SslHandler tls;

    private boolean ended;

    /** The handshake of TLS failed, as it does with a peer that does not use TLS. */
    static final class NoTlsException extends IOException {
        private static final long serialVersionUID = 1;

        private NoTlsException(String message, Exception cause) {
            super(message, cause);
        }
    }

    private ProbeLink(long timeoutMillis) {
        this.timeoutMillis = timeoutMillis;
    }

    /** Connects by TCP. */
    static ProbeLink connect(
            Endpoint endpoint, InetSocketAddress address, @Nullable TransportHandlers handlers, long timeoutMillis)
            throws IOException, InterruptedException {
        ProbeLink link = new ProbeLink(timeoutMillis);
        link.channel = endpoint.connectChannel(address, handlers, link, timeoutMillis);
        return link;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        tls = ctx.pipeline().get(SslHandler.class);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf bytes) {
            arrivals.add(ByteBufUtil.getBytes(bytes));
        }
        ReferenceCountUtil.release(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        arrivals.add(END);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }

    Channel channel() {
        return Objects.requireNonNull(channel, "it is connected");
    }

    /** Waits for the handshake of TLS; returns null if there is no TLS on this connection. */
    @Nullable
    SSLSession handshake() throws IOException, InterruptedException {
        SslHandler handler = tls;
        if (handler == null) {
            return null;
        }
        try {
            handler.handshakeFuture().get(timeoutMillis, TimeUnit.MILLISECONDS);
            return handler.engine().getSession();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof NotSslRecordException) {
                throw new NoTlsException("the answer is not TLS", e);
            }
            if (e.getCause() instanceof ClosedChannelException) {
                throw new NoTlsException("the peer closed the connection in the handshake", e);
            }
            throw Endpoint.failureOf(e);
        } catch (TimeoutException e) {
            throw new IOException("the handshake did not end within " + timeoutMillis + " ms", e);
        }
    }

    void send(ByteBuf bytes) {
        channel().writeAndFlush(bytes);
    }

    /**
     * Waits until {@code enough} bytes have arrived, the peer has closed the connection, or time is up.
     *
     * @return all bytes that arrived; not to be released
     */
    ByteBuf receive(int enough) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        while (received.readableBytes() < Math.min(enough, MAX_BYTES) && !ended) {
            byte[] next = arrivals.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (next == null) {
                break;
            }
            ended = next.length == 0;
            received.writeBytes(next);
        }
        return received;
    }

    /** Returns whether the peer has closed the connection. */
    boolean ended() {
        return ended;
    }

    @Override
    public void close() {
        channel().close();
    }
}
