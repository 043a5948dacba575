package io.iwarp.mpa;

import io.iwarp.Counters;
import io.iwarp.internal.EventLoopBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.nio.channels.ClosedChannelException;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of {@link MpaFramingHandler}: ULPDUs become FPDUs, and the MULPDU follows the segment size of the
 * connection, which TCP may change at any time (RFC 5044, section 4.5).
 *
 * <p>The FPDUs encoded since the last write to the transport are next to each other in one buffer. Small FPDUs share one buffer and one write. A large payload without markers is sent by reference: a
 * slice of the buffer with everything encoded so far, then a slice of the payload. The rest of the FPDU
 * goes into the buffer again. The buffer may grow only while no slice of it is in flight, because
 * growing moves its bytes.
 */
final class FpduOutput {

    /** A buffer with this many bytes is full; holds the largest FPDU with all its markers. */
    static final int LIMIT = 64 * 1024;

    /**
     * Payloads from this many bytes on are sent by reference where that is possible. {@code FpduByReferenceBenchmark} and
     * {@code FpduBenchmark} compare that with a copy.
     */
    static final int BY_REFERENCE_THRESHOLD = 4 * 1024;

    private static final int MIN_CAPACITY = 512;

    /** As many as wait for the transport when a window of 1 MiB is full, and what is being filled. */
    private static final EventLoopBuffers WARM = new EventLoopBuffers(LIMIT, 18);

    /** Bytes sent between two looks at the segment size, because a look is a system call. */
    static final int BYTES_BETWEEN_LOOKS = 1 << 20;

    private final MpaSettings settings;
    private final FpduEncoder encoder;
    private final ToIntFunction<Channel> segmentSize;
    private int mulpdu;
    private long nextLook = BYTES_BETWEEN_LOOKS;
    private @Nullable ByteBuf buffer;
    private int handedOver;
    private int usualSize = MIN_CAPACITY;
    private boolean ended;

    FpduOutput(MpaSettings settings, MpaParameters agreed, ToIntFunction<Channel> segmentSize, Counters counters) {
        this.settings = settings;
        this.encoder = new FpduEncoder(agreed, counters);
        this.segmentSize = segmentSize;
        this.mulpdu = agreed.mulpdu();
    }

    /**
     * Adds a ULPDU to what leaves with the next {@link #handOver}, or fails the promise. If somebody waits for the promise,
     * all bytes so far are written with it. A failed write can end the output during this call.
     */
    void send(ChannelHandlerContext ctx, Ulpdu ulpdu, ChannelPromise promise) {
        if (ulpdu.length() > Mulpdu.MAX) {
            promise.tryFailure(new IllegalArgumentException("the ULPDU has " + ulpdu.length() + " bytes, at most "
                    + Mulpdu.MAX + " are allowed: cut the message into smaller segments"));
            return;
        }
        try {
            if (!ended) {
                encode(ctx, ulpdu);
            }
        } catch (Throwable unreadable) {
            // The payload was released or shrunk; nothing of the ULPDU has been encoded.
            promise.tryFailure(unreadable);
            return;
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

    /** Writes to the transport what was sent and not written yet. */
    void handOver(ChannelHandlerContext ctx) {
        handOver(ctx, ctx.voidPromise());
    }

    /**
     * After a flush: looks at the segment size if it is time, and tells the layers above if the MULPDU has changed. If the
     * settings fix the EMSS, it never looks.
     */
    void reviewMulpdu(ChannelHandlerContext ctx) {
        long sent = encoder.position();
        if (sent < nextLook || settings.emss() > 0) {
            return;
        }
        nextLook = sent + BYTES_BETWEEN_LOOKS;
        int emss = segmentSize.applyAsInt(ctx.channel());
        int now = emss == TcpSegmentSize.UNKNOWN ? mulpdu : Mulpdu.capped(settings, emss, encoder.markers());
        if (now != mulpdu) {
            mulpdu = now;
            ctx.fireUserEventTriggered(new MpaEvent.MulpduChanged(now));
        }
    }

    private void handOver(ChannelHandlerContext ctx, ChannelPromise promise) {
        ByteBuf full = buffer;
        if (full == null) {
            return;
        }
        buffer = null;
        int size = full.writerIndex();
        usualSize = Math.max(size, Math.max(MIN_CAPACITY, usualSize / 2));
        encoder.endBurst();
        full.readerIndex(handedOver);
        if (full.isReadable()) {
            ctx.write(full, promise);
        } else {
            full.release();
        }
    }

    /** Drops what has not been written; whatever is sent from now on fails. */
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
        int aroundPayload = FpduEncoder.fpduLength(ulpdu.length()) - ulpdu.payloadLength();
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
