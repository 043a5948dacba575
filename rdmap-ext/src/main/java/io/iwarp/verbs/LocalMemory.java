package io.iwarp.verbs;

import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.OctetSpan;
import io.netty.util.IllegalReferenceCountException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back references to the local memory of requests. An application may have released a buffer once too often; that is
 * logged and goes no further, since other requests behind this one have to complete.
 */
final class LocalMemory {
    private static final Logger LOGGER = LoggerFactory.getLogger(QueuePair.class);

    private LocalMemory() {}

    /** Releases what a span covers, and makes it cover nothing. */
    static void release(OctetSpan span) {
        try {
            span.release();
        } catch (IllegalReferenceCountException releasedBefore) {
            LOGGER.error("the buffer of a posted request was released once too often", releasedBefore);
        } finally {
            span.clear();
        }
    }

    /** Ends the registration of the buffer that a Read was posted with. */
    static void close(MemoryRegion temporarySink) {
        try {
            temporarySink.close();
        } catch (IllegalReferenceCountException releasedBefore) {
            LOGGER.error("the sink of a posted Read was released once too often", releasedBefore);
        }
    }
}
