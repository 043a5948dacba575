package io.iwarp.simulation;

import java.util.function.LongSupplier;

/** A thread of the application: does something, waits a while, and so on. */
final class AppThread implements Context {
    /** What it does; false when it has done all. */
    interface Work {
        boolean goOn();
    }

    private final World world;
    private final String name;
    private final Work work;
    private final LongSupplier pause;
    private long wakeAt;
    private boolean done;

    AppThread(World world, String name, Work work, LongSupplier pause) {
        this.world = world;
        this.name = name;
        this.work = work;
        this.pause = pause;
        this.wakeAt = world.now();
        world.add(this);
    }

    boolean done() {
        return done;
    }

    @Override
    public long runnableAt() {
        return done ? NEVER : wakeAt;
    }

    @Override
    public void step() {
        done = !work.goOn();
        wakeAt = world.now() + pause.getAsLong();
    }

    @Override
    public String toString() {
        return name;
    }
}
