package io.iwarp.verbs;

import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.iwarp.memory.ByteSpan;
import io.iwarp.memory.LocalBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory that an application lends to a request until the completion: a {@link ByteBuf}, a {@link LocalBuffer}, or
 * the {@link ReadSink} of one Read. A post retains it before it claims a slot, and releases it if there is none;
 * afterwards the {@link ByteSpan} of the slot keeps it.
 *
 * <p>A request holds a reference, but the application may release one reference too many. If detected in time, this is
 * an error of the stream. The request completes in every case.
 */
final class LentMemory {
    private static final Logger LOGGER = LoggerFactory.getLogger(LoggerNames.QUEUE_PAIR);
    private static final long MAX_MESSAGE = 0xffff_ffffL;

    private LentMemory() {}

    /** Returns the number of bytes that a Send or Write of this memory has. */
    static long length(Object memory) {
        return memory instanceof ByteBuf buffer ? buffer.readableBytes() : ((LocalBuffer) memory).length();
    }

    /** Returns where a message goes in a buffer; not used for other memory. */
    static int sinkIndex(Object sink) {
        return sink instanceof ByteBuf buffer ? buffer.writerIndex() : 0;
    }

    /** Returns the number of bytes that a message may have in this memory. */
    static long room(Object sink) {
        return sink instanceof ByteBuf buffer ? buffer.writableBytes() : ((LocalBuffer) sink).length();
    }

    /**
     * Takes a reference to memory for a request.
     *
     * @param name of the argument, for the message
     * @param length of the message
     * @throws IllegalReferenceCountException if the buffer was released
     * @throws IllegalArgumentException if no message is that long
     * @throws io.iwarp.memory.RegionClosedException if the region was closed
     */
    static void retain(String name, Object memory, long length) {
        if (memory instanceof LocalBuffer piece) {
            if (length > MAX_MESSAGE) {
                throw new IllegalArgumentException(name + " has " + length + " bytes, and a message has at most "
                        + MAX_MESSAGE + ": post slices of it");
            }
            ByteSpan.retain(piece);
        } else if (memory instanceof ByteBuf buffer) {
            try {
                buffer.retain();
            } catch (IllegalReferenceCountException released) {
                throw new IllegalReferenceCountException(
                        name + " " + memory + " was released: keep a reference until the request is posted", released);
            }
        }
    }

    /** As {@link #retain}, for memory that takes a message. */
    static void retainSink(Object sink, long length) {
        boolean readOnly =
                sink instanceof LocalBuffer piece ? piece.region().isReadOnly() : ((ByteBuf) sink).isReadOnly();
        if (readOnly) {
            throw new IllegalArgumentException("a receive needs writable memory, the sink "
                    + (sink instanceof LocalBuffer piece ? piece.region() : sink) + " is read-only");
        }
        retain("sink", sink, length);
    }

    /** Ends the loan of memory to a request that was refused. */
    static void release(@Nullable Object memory) {
        if (memory instanceof ByteBuf buffer) {
            buffer.release();
        } else if (memory instanceof LocalBuffer piece) {
            ByteSpan.release(piece);
        } else if (memory instanceof ReadSink sink) {
            sink.close();
        }
    }

    /**
     * Covers retained memory. Cannot fail.
     *
     * @param index where the bytes of a buffer begin; not used for other memory
     */
    static void cover(ByteSpan span, Object memory, int index, long length) {
        if (memory instanceof ByteBuf buffer) {
            span.cover(buffer, index, (int) length);
        } else if (memory instanceof LocalBuffer piece) {
            span.cover(piece);
        }
    }

    /** Returns the error that ends the stream if a buffer was released while a request used it. */
    static ProtocolFault released(Operation operation, long workRequestId) {
        return new ProtocolFault(ProtocolError.DDP_LOCAL_CATASTROPHIC, describe(operation, workRequestId));
    }

    /**
     * Returns the error that ends the stream if a buffer no longer has room for the received bytes, or its writer index
     * is not where they begin.
     */
    static ProtocolFault changed(Operation operation, long workRequestId, long bytes) {
        return new ProtocolFault(
                ProtocolError.DDP_LOCAL_CATASTROPHIC,
                "the application changed the buffer of " + operation + " " + workRequestId
                        + ", or used it twice, and the " + bytes
                        + " received bytes no longer fit at its writer index: do not change it before the completion");
    }

    /** Logs that the reference of a request that ends was released before. */
    static void log(Operation operation, long workRequestId, Throwable releasedBefore) {
        LOGGER.error("{}", describe(operation, workRequestId), releasedBefore);
    }

    private static String describe(Operation operation, long workRequestId) {
        return "the application released the buffer of " + operation + " " + workRequestId
                + " while it was in use: release only references of your own";
    }
}
