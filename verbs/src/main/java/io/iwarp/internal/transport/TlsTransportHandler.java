package io.iwarp.internal.transport;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Sits above the {@code SslHandler}. Reports the {@code close_notify} of the peer to the layers above as a FIN. A FIN
 * without {@code close_notify} is a lost connection, because anyone on the network can forge it.
 */
final class TlsTransportHandler extends TransportHandler {

    private final SslHandler tls;
    private final TlsByteCounter bytes = new TlsByteCounter();
    private boolean outputClosed;
    private boolean peerClosed;
    private boolean closedHere;
    private boolean failed;

    private TlsTransportHandler(SslHandler tls) {
        this.tls = tls;
    }

    /** Returns a handler if the pipeline has TLS. */
    static @Nullable TransportHandler of(ChannelPipeline pipeline) {
        SslHandler tls = pipeline.get(SslHandler.class);
        if (tls == null) {
            return null;
        }
        TlsTransportHandler handler = new TlsTransportHandler(tls);
        pipeline.addBefore(pipeline.context(tls).name(), null, handler.bytes);
        return handler;
    }

    @Override
    ChannelFuture closeOutput() {
        outputClosed = true;
        return tls.closeOutbound();
    }

    @Override
    LongSupplier bytesWritten(LongSupplier fpduBytes) {
        return bytes::written;
    }

    @Override
    SSLSession tlsSession() {
        return tls.engine().getSession();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            onEnd(ctx, null);
            return;
        }
        ctx.fireUserEventTriggered(event);
        if (event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
            fail(ctx, TlsFailure.ofHandshake(handshake.cause()));
        } else if (event instanceof SslCloseCompletionEvent close) {
            onTlsClosed(ctx, close);
        }
    }

    /** With TLS 1.3 the alert of a responder that refuses an initiator arrives after the handshake of the initiator. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        SSLException failure = TlsFailure.in(cause);
        if (failure == null) {
            ctx.fireExceptionCaught(cause);
        } else {
            fail(ctx, failure);
        }
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        closedHere = true;
        ctx.close(promise);
    }

    private void onTlsClosed(ChannelHandlerContext ctx, SslCloseCompletionEvent close) {
        if (!close.isSuccess()) {
            onEnd(ctx, close.cause());
            return;
        }
        peerClosed = true;
        if (outputClosed || !tls.engine().isOutboundDone()) {
            ctx.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        } else {
            // The engine has replied with its own close_notify: nothing can be sent any more.
            ctx.close();
        }
    }

    private void onEnd(ChannelHandlerContext ctx, @Nullable Throwable cause) {
        if (!peerClosed && !closedHere) {
            fail(
                    ctx,
                    tls.handshakeFuture().isSuccess()
                            ? new SSLException(
                                    "the connection ended without the close_notify of TLS: the peer crashed, skipped"
                                            + " close_notify, or the connection was cut",
                                    cause)
                            : TlsFailure.closedInHandshake(cause));
        }
    }

    private void fail(ChannelHandlerContext ctx, SSLException failure) {
        if (!failed) {
            failed = true;
            ctx.fireExceptionCaught(failure);
        }
    }
}
