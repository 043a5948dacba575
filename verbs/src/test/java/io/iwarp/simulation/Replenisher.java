package io.iwarp.simulation;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** A thread of the application that posts receives for those that messages have used up, each after a while. */
final class Replenisher implements Context {
    private final World world;
    private final String name;
    private final BooleanSupplier owes;
    private final Runnable post;
    private final LongSupplier delay;
    private long due = NEVER;

    Replenisher(World world, String name, BooleanSupplier owes, Runnable post, LongSupplier delay) {
        this.world = world;
        this.name = name;
        this.owes = owes;
        this.post = post;
        this.delay = delay;
        world.add(this);
    }

    @Override
    public long runnableAt() {
        if (!owes.getAsBoolean()) {
            due = NEVER;
        } else if (due == NEVER) {
            due = world.now() + delay.getAsLong();
        }
        return due;
    }

    @Override
    public void step() {
        due = NEVER;
        post.run();
    }

    @Override
    public String toString() {
        return name;
    }
}
