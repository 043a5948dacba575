package io.iwarp.mpa;

import io.netty.channel.ChannelHandlerContext;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Says once that DDP may send, at the latest when a delay is over. */
final class TransmitGate {
    private boolean open;
    private @Nullable Future<?> delay;

    boolean isOpen() {
        return open;
    }

    /** DDP may send, but nobody is told. */
    void openSilently() {
        open = true;
    }

    /** Tells the layers above that DDP may send. */
    void open(ChannelHandlerContext ctx) {
        open = true;
        ctx.fireUserEventTriggered(new MpaEvent.TransmitReady());
    }

    /**
     * Opens after a delay. An FPDU of the peer opens earlier: the peer can receive then.
     *
     * @param receiving whether the connection is still in order when the delay is over
     */
    void openAfter(ChannelHandlerContext ctx, Duration time, BooleanSupplier receiving) {
        if (time.isZero()) {
            open(ctx);
            return;
        }
        delay = ctx.executor()
                .schedule(
                        () -> {
                            if (!open && receiving.getAsBoolean()) {
                                open(ctx);
                            }
                        },
                        time.toNanos(),
                        TimeUnit.NANOSECONDS);
    }

    void cancel() {
        if (delay != null) {
            delay.cancel(false);
            delay = null;
        }
    }
}
