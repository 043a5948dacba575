package io.iwarp.ddp;

/**
 * Tells the ULP of messages that the transport has taken. A report may write and flush again, so reports never nest: an inner
 * call leaves its messages to the loop that is running already.
 */
final class SentReports {
    private final TransmitQueue queue;
    private final DdpUlp ulp;
    private int unreported;
    private boolean reporting;

    SentReports(TransmitQueue queue, DdpUlp ulp) {
        this.queue = queue;
        this.ulp = ulp;
    }

    /** Returns how many of the oldest messages the transport has taken and the ULP does not know of. */
    int unreported() {
        return unreported;
    }

    /** Returns whether the ULP is being told. */
    boolean reporting() {
        return reporting;
    }

    /** The transport has taken the last segments of so many messages. */
    void add(int messages) {
        unreported += messages;
    }

    /** Nobody is told of anything more. */
    void drop() {
        unreported = 0;
    }

    /** Tells the ULP of all that is unreported. */
    void report() {
        if (reporting || unreported == 0) {
            return;
        }
        reporting = true;
        try {
            while (unreported > 0) {
                unreported--;
                DdpMessage message = queue.taken();
                if (message != null) {
                    message.sent();
                    ulp.onSent(message);
                }
            }
        } finally {
            reporting = false;
        }
    }

    /** Tells the ULP that the memory of the message in work was revoked. */
    void sourceRevoked(DdpMessage message, long bytesRead) {
        ulp.onSourceRevoked(message, bytesRead);
    }
}
