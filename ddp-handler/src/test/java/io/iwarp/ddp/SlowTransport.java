package io.iwarp.ddp;

import io.iwarp.mpa.Ulpdu;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.ArrayList;
import java.util.List;

/** In the place of MPA and the transport: keeps what DDP writes, and takes it when the test says so. */
final class SlowTransport extends ChannelOutboundHandlerAdapter {
    /** The octets of the ULPDUs, unless only their lengths are kept. */
    final List<byte[]> ulpdus = new ArrayList<>();

    /** The promises that somebody waits for, in the order of the writes, until they are completed. */
    final List<ChannelPromise> promises = new ArrayList<>();

    /** Whether each flush takes everything at once. */
    boolean takesOnFlush;

    boolean keepsOctets = true;
    /** Whether a request to close goes no further. */
    boolean holdsClose;

    int closes;
    int flushes;
    int segments;
    long octets;
    /** Octets written whose promise is not completed. */
    long octetsPending;

    long mostOctetsPending;
    Runnable onWrite = () -> {};
    private final List<Long> burstOctets = new ArrayList<>();
    private long openBurst;

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        Ulpdu ulpdu = (Ulpdu) message;
        if (keepsOctets) {
            ulpdus.add(Ulpdus.octets(ulpdu));
        }
        segments++;
        octets += ulpdu.length();
        octetsPending += ulpdu.length();
        openBurst += ulpdu.length();
        mostOctetsPending = Math.max(mostOctetsPending, octetsPending);
        if (!promise.isVoid()) {
            promises.add(promise);
            burstOctets.add(openBurst);
            openBurst = 0;
        }
        onWrite.run();
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        flushes++;
        if (takesOnFlush) {
            takeAll();
        }
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        closes++;
        if (!holdsClose) {
            ctx.close(promise);
        }
    }

    void takeAll() {
        while (!promises.isEmpty()) {
            take();
        }
    }

    /** The transport takes the oldest burst. */
    void take() {
        octetsPending -= burstOctets.remove(0);
        promises.remove(0).setSuccess();
    }

    /** The transport loses the oldest burst. */
    void lose(Throwable cause) {
        octetsPending -= burstOctets.remove(0);
        promises.remove(0).setFailure(cause);
    }
}
