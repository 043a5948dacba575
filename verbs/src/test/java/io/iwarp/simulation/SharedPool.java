package io.iwarp.simulation;

import io.iwarp.verbs.QueueFullException;
import io.iwarp.verbs.SharedReceiveQueue;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The receives that several streams share, and who has waited longest for one. */
final class SharedPool {
    /** Ids from here on are those of the shared receive queue. */
    static final int FIRST_ID = 1_000_000;

    private static final int DEPTH = 16;
    private static final int BYTES = 2048;

    private final World world;
    private final SimulatedAllocator allocator;
    private final SharedReceiveQueue queue;
    private final List<@Nullable ByteBuf> posted = new ArrayList<>();
    private final List<Taker> takers = new ArrayList<>();
    private int uncompleted;
    private int owed;

    /** A stream. While it waits, it knows how many messages the others had got when its wait began. */
    private static final class Taker {
        private final End end;
        private int gotBefore;
        private int @Nullable [] othersGot;

        Taker(End end) {
            this.end = end;
        }
    }

    SharedPool(World world, SimulatedAllocator allocator) {
        this.world = world;
        this.allocator = allocator;
        this.queue = SharedReceiveQueue.create(DEPTH, 1 + world.dice.below(DEPTH));
    }

    SharedReceiveQueue queue() {
        return queue;
    }

    void serves(End end) {
        takers.add(new Taker(end));
    }

    /**
     * No context has anything to do. While a stream waits below its share, and its loop has nothing to do, another gets
     * one receive at most: what it has waited for longer, or had already. The next one is for the stream that waits.
     */
    void onRest() {
        if (world.interrupting() || takers.size() == 1) {
            return;
        }
        requireClaims();
        for (Taker taker : takers) {
            int got = got(taker.end);
            if (!mayTake(taker.end)) {
                taker.othersGot = null;
            } else if (taker.othersGot == null || got != taker.gotBefore) {
                taker.gotBefore = got;
                taker.othersGot =
                        takers.stream().mapToInt(other -> got(other.end)).toArray();
            } else if (taker.end.loop().idle()) {
                requireTurn(taker, taker.othersGot);
            }
        }
    }

    /** While there are free receives, each stream that waits below its share has one, and its loop is to take it. */
    private void requireClaims() {
        int free = queue.available();
        long waiting = takers.stream().filter(taker -> mayTake(taker.end)).count();
        int unpolled = takers.stream().mapToInt(taker -> unpolled(taker.end)).sum();
        if (free > 0 && uncompleted - free - unpolled < waiting) {
            world.violated(
                    "the stream that waits longest gets the next receive",
                    waiting + " streams wait beside " + free + " of " + uncompleted + " receives");
        }
    }

    private boolean mayTake(End end) {
        return end.waits.forReceive() && unpolled(end) < queue.share();
    }

    private void requireTurn(Taker taker, int[] othersGot) {
        for (int i = 0; i < othersGot.length; i++) {
            End other = takers.get(i).end;
            if (got(other) > othersGot[i] + 1) {
                world.violated(
                        "the stream that waits longest gets the next receive",
                        other + " got " + (got(other) - othersGot[i]) + " while " + taker.end + " waited");
            }
        }
    }

    private static int got(End end) {
        return end.completions.received.size() + unpolled(end);
    }

    private static int unpolled(End end) {
        return end.gets == null ? 0 : end.gets.size();
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
