package io.iwarp.rdmap;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The time that the peer has to go on with its answers while Reads or atomics wait for one. */
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

    /** A request waits for an answer. The time begins, unless it runs already. */
    void arm() {
        if (!armed) {
            armed = true;
            answered = requester.answeredBytes();
            held = hold.now();
            link.armResponseDeadline();
        }
    }

    /**
     * The time is over. It begins again if an answer got on, or if none could come because input was held back; whatever
     * else the peer sent is no answer.
     *
     * @return the reason to end the stream if the peer owes an answer and sent nothing of one, otherwise null
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
                "the peer sent nothing of an answer for " + timeout + " while " + requester.describeUnanswered()
                        + " waited for one",
                null);
    }
}
