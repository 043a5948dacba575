package io.iwarp.transports;

import io.iwarp.CloseReason;
import io.iwarp.verbs.Completion;
import java.util.concurrent.CompletableFuture;

/** The messages that come to one end, wherever their buffers come from. */
interface Inbox {
    /** How many messages each end has buffers for. */
    int RECEIVES = 4;

    /** The longest message it takes. */
    int BYTES = 64;

    /** Returns a future of the n-th message, from 0, whose buffer stays as it is until the inbox is closed. */
    CompletableFuture<Completion> message(int n);

    /** The stream has ended for this reason, after so many messages: what became of the receives that were left? */
    void assertEnded(int messages, CloseReason reason);

    /** Lets go of all buffers. */
    void close();
}
