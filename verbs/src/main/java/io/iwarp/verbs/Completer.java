package io.iwarp.verbs;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Delivers completions to applications. Exceptions of listeners are logged. Confined to the event loop. */
final class Completer {
    private static final Logger LOGGER = LoggerFactory.getLogger(LoggerNames.QUEUE_PAIR);

    private final Channel channel;
    private final DrainSchedule drains;

    Completer(Channel channel, DrainSchedule drains) {
        this.channel = channel;
        this.drains = drains;
    }

    /** Completes a receive. Posts need no wake-up until the end of the burst. */
    void completeInBurst(@Nullable CompletionTarget target, Completion completion, CompletionBound place) {
        drains.beginBurst();
        complete(target, completion, place);
    }

    /**
     * Completes a request whose slot is retired.
     *
     * @param target null if the completion is not reported
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

    /** Calls a listener and logs its exceptions. */
    static void tell(Channel channel, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            logFailedListener(channel, e);
        }
    }

    private static void logFailedListener(Channel channel, Throwable cause) {
        LOGGER.error("{} a listener threw an exception; the queue pair continues", channel, cause);
    }
}
