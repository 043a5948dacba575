package io.iwarp.simulation;

import io.iwarp.verbs.QueueFullException;
import io.iwarp.verbs.SharedReceiveQueue;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The receives that several streams share. */
final class SharedPool {
    /** Ids from here on are those of the shared receive queue. */
    static final int FIRST_ID = 1_000_000;

    private static final int DEPTH = 16;
    private static final int BYTES = 2048;

    private final World world;
    private final SimulatedAllocator allocator;
    private final SharedReceiveQueue queue;
    private final List<@Nullable ByteBuf> posted = new ArrayList<>();
    private int uncompleted;
    private int owed;

    SharedPool(World world, SimulatedAllocator allocator) {
        this.world = world;
        this.allocator = allocator;
        this.queue = SharedReceiveQueue.create(DEPTH, 1 + world.dice.below(DEPTH));
    }

    SharedReceiveQueue queue() {
        return queue;
    }

    void owe() {
        owed++;
    }

    boolean owes() {
        return owed > 0;
    }

    void postOwed() {
        owed--;
        post();
    }

    void post() {
        int id = FIRST_ID + posted.size();
        ByteBuf buffer = allocator.directBuffer(BYTES, BYTES);
        posted.add(buffer);
        world.trace().add(world, "posts shared receive", id);
        try {
            queue.receive(id, buffer);
            uncompleted++;
        } catch (QueueFullException full) {
            posted.set(id - FIRST_ID, null);
            buffer.release();
        }
    }

    @Nullable
    ByteBuf completed(End end, int id, boolean successful) {
        world.trace().add(world, "completed shared receive", id, successful);
        ByteBuf buffer = posted.set(id - FIRST_ID, null);
        if (buffer == null) {
            world.violated("each post completes once", end + " shared receive " + id + " completes again");
        }
        uncompleted--;
        if (!successful) {
            owed++;
        }
        return buffer;
    }

    void dispose() {
        if (queue.available() != uncompleted) {
            world.violated(
                    "nothing is left", queue + " has not the " + uncompleted + " receives that did not complete");
        }
        try {
            queue.close();
        } catch (IllegalStateException e) {
            world.violated("nothing is left", String.valueOf(e.getMessage()));
        }
        for (ByteBuf buffer : posted) {
            if (buffer != null) {
                buffer.release();
            }
        }
    }
}
