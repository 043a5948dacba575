package io.iwarp.tools.counter;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.verbs.QueuePair;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * A lock in the memory of a peer: a 64-bit number that is 0 when the lock is free, otherwise the number of the holder.
 * The peer's processor has no part in it.
 *
 * <p>Not thread-safe. Do not call it on an event loop.
 */
final class SpinLock {
    private static final long FREE = 0;

    private final QueuePair queuePair;
    private final RemoteBuffer lock;
    private final long holder;
    private long refusals;

    /** @param holder any number but 0 that no other client uses */
    SpinLock(QueuePair queuePair, RemoteBuffer lock, long holder) {
        this.queuePair = queuePair;
        this.lock = lock;
        this.holder = holder;
    }

    /**
     * Asks for the lock until it is free.
     *
     * @throws CommandFailedException if one other client has held it for a minute
     */
    void acquire() throws IOException, InterruptedException {
        long other = FREE;
        long since = System.nanoTime();
        while (true) {
            long found = Endpoint.await(queuePair.compareSwap(lock, FREE, holder));
            if (found == FREE) {
                return;
            }
            refusals++;
            long now = System.nanoTime();
            if (found != other) {
                other = found;
                since = now;
            } else if (now - since > TimeUnit.SECONDS.toNanos(Endpoint.patienceSeconds())) {
                throw new CommandFailedException("client " + found + " has held the lock for "
                        + Endpoint.patienceSeconds() + " s: end it, then the server frees the lock");
            }
        }
    }

    /** Releases the lock. Earlier Writes are placed by then, as the peer executes the atomic after them. */
    void release() throws IOException, InterruptedException {
        long found = Endpoint.await(queuePair.compareSwap(lock, holder, FREE));
        if (found != holder) {
            throw new CommandFailedException("client " + holder + " held the lock, but found " + found
                    + " in it at its release: another client does not keep to the lock");
        }
    }

    /** Returns how often another client held the lock on an attempt to take it. */
    long refusals() {
        return refusals;
    }
}
