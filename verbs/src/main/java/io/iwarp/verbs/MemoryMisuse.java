package io.iwarp.verbs;

import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.internal.ProtocolFault;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The errors of an application that misuses the memory that it lends to a request until the completion. A request holds
 * a reference, but the application may release one reference too many. If detected in time, this is an error of the
 * stream. The request completes in every case.
 */
final class MemoryMisuse {
    private static final Logger LOGGER = LoggerFactory.getLogger(LoggerNames.QUEUE_PAIR);

    private MemoryMisuse() {}

    /** Returns the error that ends the stream if a buffer was released while a request used it. */
    static ProtocolFault releasedFault(Operation operation, long workRequestId) {
        return new ProtocolFault(ProtocolError.DDP_LOCAL_CATASTROPHIC, describe(operation, workRequestId));
    }

    /**
     * Returns the error that ends the stream if a buffer no longer has room for the received bytes, or its writer index
     * is not where they begin.
     */
    static ProtocolFault changedFault(Operation operation, long workRequestId, long bytes) {
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
