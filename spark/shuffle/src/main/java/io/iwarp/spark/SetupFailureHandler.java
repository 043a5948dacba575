package io.iwarp.spark;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.function.Consumer;

/**
 * Reports a connection that ends before its connection request has a reply: the peer is no executor, or TLS failed.
 * Removes itself with the reply. The report has no text of the peer.
 */
final class SetupFailureHandler extends ChannelDuplexHandler {
    private final Consumer<String> onFailure;
    private String reason = "it sent no valid connection request";

    SetupFailureHandler(Consumer<String> onFailure) {
        this.onFailure = onFailure;
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object reply, ChannelPromise promise) {
        ctx.write(reply, promise);
        ctx.pipeline().remove(this);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
            reason = "TLS failed: it does not use TLS 1.3, or refused the certificate of this executor";
        }
        ctx.fireUserEventTriggered(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        onFailure.accept(reason);
        ctx.fireChannelInactive();
    }
}
