package io.iwarp.verbs;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** Delivers completions to applications. Confined to the event loop. */
final class Completer {
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
        } else {
            Application.complete(channel, target, completion, place);
        }
    }
}
