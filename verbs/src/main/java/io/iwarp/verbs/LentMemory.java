package io.iwarp.verbs;

import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.iwarp.memory.ByteSpan;
import io.iwarp.memory.MemoryRegion;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the memory that an application lends to a request until completion. A request holds a reference, but the
 * application may release one reference too many. If detected in time, this is an error of the stream. The request
 * completes in every case.
 *
 * <p>Any thread may call any method.
 */
final class LentMemory {
    private static final Logger LOGGER = LoggerFactory.getLogger(LoggerNames.QUEUE_PAIR);

    private static final long MAX_MESSAGE = 0xffff_ffffL;

    private LentMemory() {}

    static void requireWritable(ByteBuf sink) {
        if (sink.isReadOnly()) {
            throw new IllegalArgumentException("a receive needs a writable buffer, this one is read-only");
        }
    }

    static void requireWritable(MemoryRegion sink) {
        if (sink.isReadOnly()) {
            throw new IllegalArgumentException("a receive needs writable memory, " + sink + " is read-only");
        }
    }

    /** Takes a reference to a part of a region, for one message. */
    static void retain(MemoryRegion region, long offset, long length) {
        if (length > MAX_MESSAGE) {
            throw new IllegalArgumentException(
                    "a message of " + length + " bytes exceeds " + MAX_MESSAGE + ": post it in several pieces");
        }
        ByteSpan.retain(region, offset, length);
    }

    /**
     * Returns the error that ends the stream if a buffer was released while a request used it; otherwise null.
     *
     * @param buffer null for a request without a buffer
     */
    static @Nullable ProtocolFault check(Operation operation, long workRequestId, @Nullable ByteBuf buffer) {
        return buffer == null || buffer.refCnt() > 0
                ? null
                : new ProtocolFault(ProtocolError.DDP_LOCAL_CATASTROPHIC, describe(operation, workRequestId));
    }

    /**
     * Returns the error that ends the stream if a buffer no longer has room for the received bytes, or its writer index is
     * not where they begin.
     */
    static ProtocolFault changed(Operation operation, long workRequestId, long bytes) {
        return new ProtocolFault(
                ProtocolError.DDP_LOCAL_CATASTROPHIC,
                "the application changed the buffer of " + operation + " " + workRequestId
                        + ", or used it twice, and the " + bytes
                        + " received bytes no longer fit at its writer index: do not change it before the completion");
    }

    /** Releases the reference of a request that ends. */
    static void giveBack(Operation operation, long workRequestId, ByteSpan span) {
        try {
            span.release();
        } catch (Throwable releasedBefore) {
            LOGGER.error("{}", describe(operation, workRequestId), releasedBefore);
        }
    }

    /** Closes the region that was registered for a request that ends. */
    static void giveBack(Operation operation, long workRequestId, MemoryRegion region) {
        try {
            region.close();
        } catch (Throwable releasedBefore) {
            LOGGER.error("{}", describe(operation, workRequestId), releasedBefore);
        }
    }

    private static String describe(Operation operation, long workRequestId) {
        return "the application released the buffer of " + operation + " " + workRequestId
                + " while it was in use: release only references of your own";
    }
}
