package io.iwarp.simulation;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a connection, as two kernels make it: a bounded number of bytes that were written and not read,
 * which arrive in pieces of any size, after a while, in order. Behind them may come the end (FIN).
 */
final class Pipe {
    private final World world;
    private final String name;
    private final byte[] bytes;
    private final long slowest;
    private final boolean cuts;
    private long written;
    private long arrived;
    private long read;
    /** What the writer's kernel knows of {@link #read}. */
    private long acknowledged;

    private boolean ended;
    private boolean endArrived;
    private boolean moving;
    private boolean acknowledging;
    private boolean dead;
    private boolean dropped;
    private @Nullable Runnable onUnwanted;
    private @Nullable Consumer<ByteBuf> tap;
    private int mostAtATime = Integer.MAX_VALUE;
    private long between;
    private long throttledArrivals;

    Pipe(World world, String name, int capacity, long slowest, boolean cuts) {
        this.world = world;
        this.name = name;
        this.bytes = new byte[capacity];
        this.slowest = slowest;
        this.cuts = cuts;
    }

    /** The reader reads no more: what arrives causes a reset. */
    void unwanted(Runnable reset) {
        onUnwanted = reset;
    }

    /** A watcher sees the bytes that the writer's kernel takes. */
    void tap(Consumer<ByteBuf> watcher) {
        tap = watcher;
    }

    /** Bytes arrive a few at a time, with a pause between them, for a number of arrivals, at least 1. */
    void throttle(int bytes, long pause, long arrivals) {
        mostAtATime = bytes;
        between = pause;
        throttledArrivals = arrivals;
    }

    private void countArrival() {
        if (throttledArrivals > 0 && --throttledArrivals == 0) {
            mostAtATime = Integer.MAX_VALUE;
            between = 0;
        }
    }

    int room() {
        return dropped ? bytes.length : (int) (bytes.length - (written - acknowledged));
    }

    /** Takes as many of the bytes as there is room for. */
    int write(ByteBuf source) {
        if (dropped) {
            int all = source.readableBytes();
            source.skipBytes(all);
            return all;
        }
        int count = Math.min(room(), source.readableBytes());
        if (count > 1 && cuts && world.dice.permille(100)) {
            count = 1 + world.dice.below(count);
        }
        if (tap != null) {
            tap.accept(source.slice(source.readerIndex(), count));
        }
        int index = (int) (written % bytes.length);
        int first = Math.min(count, bytes.length - index);
        source.readBytes(bytes, index, first);
        source.readBytes(bytes, 0, count - first);
        written += count;
        move();
        return count;
    }

    void end() {
        ended = true;
        move();
    }

    /** Returns whether the writer has closed it. */
    boolean ended() {
        return ended;
    }

    private void move() {
        if (moving || dead || (arrived == written && (!ended || endArrived))) {
            return;
        }
        moving = true;
        world.after(between + world.dice.between(0, slowest), name, this::arrive);
    }

    private void arrive() {
        moving = false;
        if (dead) {
            return;
        }
        int waiting = (int) (written - arrived);
        int coming = cuts && waiting > 1 && world.dice.permille(500) ? 1 + world.dice.below(waiting) : waiting;
        arrived += Math.min(coming, mostAtATime);
        countArrival();
        if (onUnwanted != null && waiting > 0) {
            dropped = true;
            onUnwanted.run();
            return;
        }
        endArrived = ended && arrived == written;
        move();
    }

    int readable() {
        return (int) (arrived - read);
    }

    /** Returns whether all was read, and nothing will come. */
    boolean atEnd() {
        return endArrived && read == arrived;
    }

    /** Returns whether bytes, or the end, are on their way. */
    boolean moving() {
        return moving;
    }

    /** Returns whether the writer has to hear something of the reader's kernel before it can continue. */
    boolean acknowledging() {
        return acknowledging;
    }

    int read(ByteBuf sink) {
        int count = Math.min(readable(), sink.writableBytes());
        if (count > 1 && cuts && world.dice.permille(200)) {
            count = 1 + world.dice.below(count);
        }
        int index = (int) (read % bytes.length);
        int first = Math.min(count, bytes.length - index);
        sink.writeBytes(bytes, index, first);
        sink.writeBytes(bytes, 0, count - first);
        read += count;
        if (!acknowledging && !dead) {
            acknowledging = true;
            world.after(world.dice.between(0, slowest), name + " acknowledged", () -> {
                acknowledging = false;
                acknowledged = read;
            });
        }
        return count;
    }

    /** What was written and has not arrived never does. */
    void kill() {
        dead = true;
    }

    boolean dead() {
        return dead;
    }

    /** The reader's kernel throws away what has arrived. */
    void discardArrived() {
        read = arrived;
    }

    boolean undelivered() {
        return written > acknowledged || (ended && !endArrived);
    }

    long written() {
        return written;
    }

    long taken() {
        return read;
    }

    @Override
    public String toString() {
        return name;
    }
}
