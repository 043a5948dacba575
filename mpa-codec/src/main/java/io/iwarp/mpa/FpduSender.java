package io.iwarp.mpa;

import io.iwarp.Counters;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.function.ToIntFunction;

/** The sending half of {@link MpaFramingHandler}: ULPDUs become FPDUs, and the MULPDU follows the segment size. */
final class FpduSender {
    private final FpduBatch batch;
    private final MulpduWatch watch;

    FpduSender(MpaSettings settings, MpaParameters agreed, ToIntFunction<Channel> segmentSize, Counters counters) {
        batch = new FpduBatch(new FpduEncoder(agreed, counters));
        watch = new MulpduWatch(settings, agreed.sendMarkers(), agreed.mulpdu(), segmentSize);
    }

    /** Adds a ULPDU to what leaves with the next flush, or fails the promise. */
    void send(ChannelHandlerContext ctx, Ulpdu outgoing, ChannelPromise promise) {
        if (outgoing.length() > Mulpdu.MAXIMUM) {
            promise.tryFailure(new IllegalArgumentException("the ULPDU has "
                    + outgoing.length()
                    + " bytes, at most "
                    + Mulpdu.MAXIMUM
                    + " are allowed: cut the message into smaller segments"));
            return;
        }
        try {
            batch.add(ctx, outgoing, promise);
        } catch (RuntimeException unreadable) {
            // The payload was released or shrunk; nothing of the ULPDU has been encoded.
            promise.tryFailure(unreadable);
        }
    }

    /** Writes to the transport what was added and not written yet. */
    void handOver(ChannelHandlerContext ctx) {
        batch.handOver(ctx, ctx.voidPromise());
    }

    /** After a flush: tells the layers above if the MULPDU has changed. */
    void reviewMulpdu(ChannelHandlerContext ctx) {
        if (watch.review(ctx.channel(), batch.position())) {
            ctx.fireUserEventTriggered(new MpaEvent.MulpduChanged(watch.mulpdu()));
        }
    }

    /** Drops what was not written; whatever is sent from now on fails. */
    void end() {
        batch.end();
    }
}
