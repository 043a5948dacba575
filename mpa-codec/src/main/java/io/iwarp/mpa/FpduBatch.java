package io.iwarp.mpa;

import io.iwarp.internal.EventLoopBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * The FPDUs encoded since the last write to the transport, next to each other in one buffer.
 *
 * <p>Small FPDUs share one buffer and one write. A large payload without markers is sent by reference: a
 * slice of the buffer with everything encoded so far, then a slice of the payload. The rest of the FPDU
 * goes into the buffer again. The buffer may grow only while no slice of it is in flight, because
 * growing moves its bytes.
 */
final class FpduBatch {

    /** A buffer with this many bytes is full; holds the largest FPDU with all its markers. */
    static final int LIMIT = 64 * 1024;

    /**
     * Payloads from this many bytes on are sent by reference where that is possible. {@code FpduByReferenceBenchmark} and
     * {@code FpduBenchmark} compare that with a copy.
     */
    static final int BY_REFERENCE_THRESHOLD = 4 * 1024;

    private static final int SMALLEST_CAPACITY = 512;

    /** As many as wait for the transport when a window of 1 MiB is full, and what is being filled. */
    private static final EventLoopBuffers WARM = new EventLoopBuffers(LIMIT, 18);

    private final FpduEncoder encoder;
    private @Nullable ByteBuf buffer;
    private int handedOver;
    private int usualSize = SMALLEST_CAPACITY;
    private boolean ended;

    FpduBatch(FpduEncoder encoder) {
        this.encoder = encoder;
    }

    /** Returns the bytes encoded since the start of Full Operation. */
    long position() {
        return encoder.position();
    }

    /**
     * Adds the FPDU of a ULPDU. If somebody waits for the promise, all bytes so far are written with it.
     * Otherwise they may wait for more. A failed write can end the batch during this call.
     */
    void add(ChannelHandlerContext ctx, Ulpdu ulpdu, ChannelPromise promise) {
        if (!ended) {
            encode(ctx, ulpdu);
        }
        if (ended) {
            end();
            promise.tryFailure(new ClosedChannelException());
        } else if (!promise.isVoid()) {
            handOver(ctx, promise);
        }
    }

    private void encode(ChannelHandlerContext ctx, Ulpdu ulpdu) {
        if (canSendByReference(ulpdu)) {
            addByReference(ctx, ulpdu);
        } else {
            encoder.encode(ulpdu, room(ctx, encoder.wireLength(ulpdu.length())));
        }
    }

    /** Writes what has been encoded and not written yet, if anything. */
    void handOver(ChannelHandlerContext ctx, ChannelPromise promise) {
        ByteBuf full = buffer;
        if (full == null) {
            return;
        }
        buffer = null;
        int size = full.writerIndex();
        usualSize = Math.max(size, Math.max(SMALLEST_CAPACITY, usualSize / 2));
        encoder.endBurst();
        full.readerIndex(handedOver);
        if (full.isReadable()) {
            ctx.write(full, promise);
        } else {
            full.release();
        }
    }

    /** Drops what has not been written; whatever is added from now on fails. */
    void end() {
        ended = true;
        encoder.endBurst();
        if (buffer != null) {
            buffer.release();
            buffer = null;
        }
    }

    private boolean canSendByReference(Ulpdu ulpdu) {
        // A heap payload would be copied by the transport anyway.
        return ulpdu.payloadLength() >= BY_REFERENCE_THRESHOLD
                && !encoder.markers()
                && ulpdu.payload().isDirect();
    }

    private void addByReference(ChannelHandlerContext ctx, Ulpdu ulpdu) {
        int aroundPayload = FpduLayout.fpduLength(ulpdu.length()) - ulpdu.payloadLength();
        ByteBuf out = room(ctx, aroundPayload);
        ByteBuf payload = ulpdu.payload().retainedSlice(ulpdu.payloadIndex(), ulpdu.payloadLength());
        boolean encoded = false;
        try {
            encoder.encodeHead(ulpdu, out);
            encoded = true;
        } finally {
            if (!encoded) {
                payload.release();
            }
        }
        int end = out.writerIndex();
        ByteBuf head = out.retainedSlice(handedOver, end - handedOver);
        handedOver = end;
        encoder.encodeTrailer(ulpdu, out);
        ctx.write(head, ctx.voidPromise());
        ctx.write(payload, ctx.voidPromise());
    }

    private ByteBuf room(ChannelHandlerContext ctx, int bytes) {
        ByteBuf current = buffer;
        if (current != null && current.capacity() - current.writerIndex() < bytes) {
            int grown = current.writerIndex() + bytes;
            if (handedOver == 0 && grown <= LIMIT) {
                return current.capacity(Math.min(LIMIT, Math.max(grown, 2 * current.capacity())));
            }
            handOver(ctx, ctx.voidPromise());
            current = null;
        }
        if (current == null) {
            current = WARM.take(ctx.alloc(), Math.max(bytes, usualSize));
            buffer = current;
            handedOver = 0;
        }
        return current;
    }
}
