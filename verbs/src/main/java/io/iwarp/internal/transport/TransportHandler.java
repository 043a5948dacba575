package io.iwarp.internal.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.socket.DuplexChannel;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Adds TCP features that a transport lacks, mainly the half-close: each side closes its own direction, and still
 * receives what the other side sends. RDMAP ends a stream this way, so that a Terminate and the last completions are
 * not lost (RFC 5040 section 5.4; RFC 5044 section 7.2).
 *
 * <table>
 *   <caption>How this side's half is closed</caption>
 *   <tr><td>TCP and Unix domain sockets</td><td>by the socket, without a handler. Netty's Unix domain sockets
 *       over NIO and io_uring close both halves at the peer's end, those over epoll and kqueue leave the other one
 *       open.</td></tr>
 *   <tr><td>TLS over anything</td><td>by {@code close_notify}. With TLS 1.3 and the JDK's provider
 *       the other half stays open. TLS 1.2, and OpenSSL with any version, close both halves: everything sent before
 *       still arrives, and what the peer has not sent yet fails, as its completions report.</td></tr>
 *       <tr><td>{@code LocalChannel}</td><td>by a message to the handler of the peer</td></tr>
 *       <tr><td>any other channel</td><td>not at all: the channel is closed</td></tr>
 * </table>
 *
 * <p>A {@code LocalChannel} also has no back pressure. With this handler a write completes when the peer has read it.
 *
 * <p>One handler serves one channel and belongs to its event loop.
 */
public abstract sealed class TransportHandler extends ChannelDuplexHandler
        permits TlsTransportHandler, LocalTransportHandler {

    private static final boolean TLS_ON_CLASSPATH = isOnClasspath();

    TransportHandler() {}

    /**
     * Adds the handlers that the transport needs, if any, at the end of the pipeline (and next to a
     * {@code LocalChannel}). The handlers between the socket and MPA must already be in the pipeline, those of MPA must
     * not.
     */
    public static void addTo(ChannelPipeline pipeline) {
        GuardedLoops.warnIfMissing(pipeline.channel());
        if (pipeline.channel() instanceof LocalChannel) {
            pipeline.addFirst(new LocalBackPressureHandler());
        }
        TransportHandler tls = TLS_ON_CLASSPATH ? TlsTransportHandler.of(pipeline) : null;
        if (tls != null) {
            pipeline.addLast(tls);
        } else if (pipeline.channel() instanceof LocalChannel) {
            pipeline.addLast(new LocalTransportHandler());
        }
    }

    /**
     * Closes this half of the connection after everything written so far.
     *
     * @param channel an active channel; called on its event loop
     * @return completes when the transport has taken it
     */
    public static ChannelFuture closeOutput(Channel channel) {
        TransportHandler handler = channel.pipeline().get(TransportHandler.class);
        if (handler != null) {
            return handler.closeOutput();
        }
        return channel instanceof DuplexChannel duplex ? duplex.shutdownOutput() : channel.close();
    }

    /**
     * Returns the TLS session of a channel, which identifies the peer; null without TLS. It is complete when the MPA
     * Request Frame has arrived or the start-up is over, and null again after the channel was closed.
     */
    public static @Nullable SSLSession tlsSession(Channel channel) {
        TransportHandler handler = channel.pipeline().get(TransportHandler.class);
        return handler == null ? null : handler.tlsSession();
    }

    /**
     * Returns a counter of the bytes that a stream has handed to its channel. Call {@link #addTo} first.
     *
     * @param fpduBytes counts the bytes of its FPDUs
     */
    public static LongSupplier bytesWritten(Channel channel, LongSupplier fpduBytes) {
        TransportHandler handler = channel.pipeline().get(TransportHandler.class);
        return handler == null ? fpduBytes : handler.bytesWritten(fpduBytes);
    }

    abstract LongSupplier bytesWritten(LongSupplier fpduBytes);

    abstract ChannelFuture closeOutput();

    abstract @Nullable SSLSession tlsSession();

    private static boolean isOnClasspath() {
        try {
            Class.forName("io.netty.handler.ssl.SslHandler", false, TransportHandler.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError absent) {
            return false;
        }
    }
}
