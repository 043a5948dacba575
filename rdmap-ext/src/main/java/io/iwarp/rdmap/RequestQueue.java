package io.iwarp.rdmap;

import io.iwarp.internal.ProtocolFault;
import org.jspecify.annotations.Nullable;

/**
 * The requests of the layer above. They start and complete in the order of the posts (RFC 5040 section 5.5 rules 13 and
 * 15). All calls are made on the event loop.
 *
 * <pre>
 *     completed │ started │ posted, waiting │
 *   ────────────┴─────────┴─────────────────┴──►
 * </pre>
 */
public interface RequestQueue {
    /** Returns the oldest request that has not started; null if there is none, or if it may not start yet. */
    @Nullable
    RdmapRequest next();

    /** The request of {@link #next} starts. It belongs to RDMAP until it is {@linkplain RdmapRequest#done() done}. */
    void start();

    /** Returns how many requests are posted and have not started. An orderly close waits until there are none. */
    int waitingCount();

    /**
     * A started request is done. Completes and removes the oldest requests that have started, as long as they are done.
     * A Send, Write or Immediate Data is done when the transport has taken all its bytes. This does not mean that the
     * peer's application has seen it. A Read or atomic is done when the response is placed (RFC 5040 section 5.5 rules
     * 9, 14 and 19).
     *
     * @return null on success; otherwise the error that ends the stream, after which this method is not called again
     */
    @Nullable
    ProtocolFault completeDone();
}
