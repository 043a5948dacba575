package io.iwarp.tools.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Collects garbage for clients that want to know what is in use afterwards. A collection stops all connections for a
 * moment, so there is at most one in {@value #PAUSE_SECONDS} seconds, which answers all requests since the one before.
 * Any thread may ask.
 */
final class CollectedUsage {
    /** The shortest time between two collections, in seconds. */
    static final int PAUSE_SECONDS = 2;

    private final ScheduledExecutorService thread;
    private final Supplier<PerfUsage> collect;
    private List<Consumer<PerfUsage>> waiting = new ArrayList<>();
    private boolean busy;

    /**
     * @param thread runs the collections and calls those who asked; not an event loop of connections
     * @param collect collects, and returns the usage
     */
    CollectedUsage(ScheduledExecutorService thread, Supplier<PerfUsage> collect) {
        this.thread = thread;
        this.collect = collect;
    }

    /** Calls {@code answer} with the usage after a collection that begins after this call. */
    synchronized void ask(Consumer<PerfUsage> answer) {
        waiting.add(answer);
        if (!busy) {
            busy = true;
            thread.execute(this::collect);
        }
    }

    private void collect() {
        List<Consumer<PerfUsage>> answers = takeWaiting();
        if (answers.isEmpty()) {
            return;
        }
        thread.schedule(this::collect, PAUSE_SECONDS, TimeUnit.SECONDS);
        PerfUsage usage = collect.get();
        answers.forEach(answer -> answer.accept(usage));
    }

    private synchronized List<Consumer<PerfUsage>> takeWaiting() {
        List<Consumer<PerfUsage>> taken = waiting;
        waiting = new ArrayList<>();
        busy = !taken.isEmpty();
        return taken;
    }
}
