package io.iwarp.simulation;

import io.iwarp.verbs.CompletionListener;
import io.iwarp.verbs.CompletionQueue;

/** A thread that polls a completion queue when it was told that there is something, and not otherwise. */
final class Poller implements Context {
    private final World world;
    private final CompletionQueue queue;
    private final CompletionListener handler;
    private final String name;
    private final boolean solicited;
    private final Runnable onEmpty;
    private boolean awake = true;

    /**
     * @param onEmpty called when it goes to sleep because there is nothing
     */
    Poller(World world, End end, CompletionQueue queue, String name, boolean solicited, Runnable onEmpty) {
        this.world = world;
        this.onEmpty = onEmpty;
        this.queue = queue.listener(ready -> awake = true);
        this.name = name;
        this.solicited = solicited;
        this.handler = (pair, completion) -> end.onCompletion(completion);
    }

    @Override
    public long runnableAt() {
        return awake ? 0 : NEVER;
    }

    @Override
    public void step() {
        awake = false;
        int polled;
        try {
            polled = queue.poll(handler, 1 + world.dice.below(4));
        } catch (SimulatedFailure thrownByHandler) {
            polled = 1;
        }
        boolean more = polled > 0 || (solicited ? queue.armSolicited() : queue.arm());
        if (more) {
            awake = true;
        } else {
            onEmpty.run();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
