package io.iwarp.simulation;

import io.iwarp.verbs.CompletionListener;
import io.iwarp.verbs.CompletionQueue;
import java.util.function.LongSupplier;

/** A thread that polls a completion queue when it was told that there is something, and not otherwise. */
final class Poller implements Context {
    private final World world;
    private final CompletionQueue queue;
    private final CompletionListener handler;
    private final String name;
    private final boolean solicited;
    private final Runnable onEmpty;
    private final LongSupplier delay;
    private boolean awake = true;
    private long wakeAt;

    /**
     * @param delay how late it is when there is something
     * @param onEmpty called when it goes to sleep because there is nothing
     */
    Poller(
            World world,
            End end,
            CompletionQueue queue,
            String name,
            boolean solicited,
            LongSupplier delay,
            Runnable onEmpty) {
        this.world = world;
        this.onEmpty = onEmpty;
        this.delay = delay;
        this.queue = queue.setListener(ready -> wake());
        this.name = name;
        this.solicited = solicited;
        this.handler = (pair, completion) -> end.completions.onCompletion(completion);
    }

    private void wake() {
        awake = true;
        wakeAt = world.now() + delay.getAsLong();
    }

    @Override
    public long runnableAt() {
        return awake ? wakeAt : NEVER;
    }

    @Override
    public void step() {
        awake = false;
        int polled;
        try {
            polled = queue.poll(handler, 1 + world.dice.below(4));
        } catch (Throwable thrownByHandler) {
            if (!SimulatedFailure.planned(thrownByHandler)) {
                throw thrownByHandler;
            }
            polled = 1;
        }
        boolean more = polled > 0 || (solicited ? queue.armSolicited() : queue.arm());
        if (more) {
            wake();
        } else {
            onEmpty.run();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
