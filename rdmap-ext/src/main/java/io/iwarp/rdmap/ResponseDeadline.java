package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The deadline for progress of the peer's responses while Reads or atomics are outstanding. */
final class ResponseDeadline {
    private final Duration timeout;
    private final Requester requester;
    private final InputHold hold;
    private final RdmapLink link;
    private boolean armed;
    private long answered;
    private int held;

    ResponseDeadline(Duration timeout, Requester requester, InputHold hold, RdmapLink link) {
        this.timeout = timeout;
        this.requester = requester;
        this.hold = hold;
        this.link = link;
    }

    /** A request waits for a response. Starts the timeout if it is not running. */
    void arm() {
        if (!armed) {
            armed = true;
            answered = requester.answeredBytes();
            held = hold.now();
            link.armResponseDeadline();
        }
    }

    /**
     * The timeout has passed. Starts it again if a response made progress, or if input was held back so that none could
     * arrive. Only response data counts as progress.
     *
     * @return the reason to end the stream if a response is outstanding and made no progress, otherwise null
     */
    @Nullable
    CloseReason missed() {
        armed = false;
        if (requester.unanswered() == 0) {
            return null;
        }
        if (requester.answeredBytes() > answered || hold.heldSince(held)) {
            arm();
            return null;
        }
        return new CloseReason(
                EndedBy.TIMEOUT,
                null,
                "the peer sent no response data for " + timeout + " while " + requester.describeUnanswered()
                        + " waited for a response",
                null);
    }
}
