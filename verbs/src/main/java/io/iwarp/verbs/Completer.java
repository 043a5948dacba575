package io.iwarp.verbs;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells applications what came of their requests. What a listener throws is logged. Belongs to the event loop. */
final class Completer {
    private static final Logger LOGGER = LoggerFactory.getLogger(LoggerNames.QUEUE_PAIR);

    private final Channel channel;
    private final DrainSchedule drains;

    Completer(Channel channel, DrainSchedule drains) {
        this.channel = channel;
        this.drains = drains;
    }

    /** A receive completes; until the end of the burst, posts need no wake-up. */
    void completeInBurst(@Nullable CompletionTarget target, Completion completion, CompletionBound place) {
        drains.beginBurst();
        complete(target, completion, place);
    }

    /**
     * A request completes, whose slot is retired.
     *
     * @param target null if nobody is to be told
     */
    void complete(@Nullable CompletionTarget target, Completion completion, CompletionBound place) {
        if (target == null) {
            place.release();
            return;
        }
        try {
            target.complete(completion, place);
        } catch (RuntimeException | Error e) {
            logFailedListener(channel, e);
        }
    }

    /** Calls a listener. */
    static void tell(Channel channel, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            logFailedListener(channel, e);
        }
    }

    private static void logFailedListener(Channel channel, Throwable cause) {
        LOGGER.error("{} a listener failed; the queue pair goes on", channel, cause);
    }
}
