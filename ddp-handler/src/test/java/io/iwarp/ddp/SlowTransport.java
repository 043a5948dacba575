package io.iwarp.ddp;

import io.iwarp.internal.mpa.Ulpdu;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.ArrayList;
import java.util.List;

/** In the place of MPA and the transport: keeps what DDP writes, and takes it on the request of the test. */
final class SlowTransport extends ChannelOutboundHandlerAdapter {
    /** The bytes of the ULPDUs, unless only their lengths are kept. */
    final List<byte[]> ulpdus = new ArrayList<>();

    /** The promises that are not void, in the order of the writes, until they are completed. */
    final List<ChannelPromise> promises = new ArrayList<>();

    /** Whether each flush takes everything at once. */
    boolean takesOnFlush;

    boolean keepsBytes = true;
    /** Whether a request to close goes no further. */
    boolean holdsClose;

    int closes;
    int flushes;
    int segments;
    long bytes;
    /** Bytes written whose promise is not completed. */
    long bytesPending;

    long mostBytesPending;
    Runnable onWrite = () -> {};
    private final List<Long> burstBytes = new ArrayList<>();
    private long openBurst;

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        Ulpdu ulpdu = (Ulpdu) message;
        if (keepsBytes) {
            ulpdus.add(Ulpdus.bytes(ulpdu));
        }
        segments++;
        bytes += ulpdu.length();
        bytesPending += ulpdu.length();
        openBurst += ulpdu.length();
        mostBytesPending = Math.max(mostBytesPending, bytesPending);
        if (!promise.isVoid()) {
            promises.add(promise);
            burstBytes.add(openBurst);
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
        bytesPending -= burstBytes.remove(0);
        promises.remove(0).setSuccess();
    }

    /** The transport loses the oldest burst. */
    void lose(Throwable cause) {
        bytesPending -= burstBytes.remove(0);
        promises.remove(0).setFailure(cause);
    }
}
