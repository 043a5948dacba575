package io.iwarp.tools.counter;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.HashSet;
import java.util.Set;

/**
 * The three numbers that clients of the counter server change, and what the clients said they did to them.
 *
 * <pre>
 *   offset 0    counter   changed by FetchAdd
 *   offset 8    lock      0 when free, else the number of the client that holds it; changed by CmpSwap
 *   offset 16   number    changed by RDMA Read and RDMA Write of the holder of the lock
 * </pre>
 *
 * <p>Each client gets windows of its own, which end with its connection: one for the atomics, one for the bytes that
 * are read and written. Any thread may call any method.
 */
final class SharedNumbers implements AutoCloseable {
    private static final long COUNTER = 0;
    private static final long LOCK = COUNTER + Long.BYTES;
    private static final long NUMBER = LOCK + Long.BYTES;
    private static final long FREE = 0;
    private static final long LENGTH = NUMBER + Long.BYTES;

    private final MemoryRegion region;
    private final Set<Long> connected = new HashSet<>();
    private final Set<Long> atWork = new HashSet<>();
    private long admitted;
    private long lost;
    private long forgotten;
    private long announcedAdds;
    private long announcedRounds;
    private boolean closed;

    SharedNumbers(ProtectionDomain domain) {
        // No access rights: the windows of a client grant them.
        region = domain.region().allocate(ByteBufAllocator.DEFAULT, LENGTH).register();
    }

    /** Gives a client its number, and windows that only it can use. */
    synchronized CounterGrant admit(QueuePair client) {
        RemoteBuffer atomics = client.window(region, COUNTER, NUMBER)
                .rights(AccessRight.REMOTE_ATOMIC)
                .bind()
                .remoteBuffer();
        RemoteBuffer number = client.window(region, NUMBER, Long.BYTES)
                .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE)
                .bind()
                .remoteBuffer();
        connected.add(++admitted);
        atWork.add(admitted);
        return new CounterGrant(admitted, atomics.slice(COUNTER, Long.BYTES), atomics.slice(LOCK, Long.BYTES), number);
    }

    /** Adds the report of a client that has finished, and returns the totals. */
    synchronized CounterTotals finish(long client, CounterDone done) {
        atWork.remove(client);
        announcedAdds += done.adds();
        announcedRounds += done.rounds();
        CounterTotals totals = new CounterTotals(
                region.getVolatile(COUNTER), announcedAdds, number(), announcedRounds, atWork.size(), lost, forgotten);
        forgetTheLost();
        return totals;
    }

    /**
     * A client has disconnected. Frees the lock if no connected client holds it, whatever number the client left in it.
     * If the client did not report, its work is unknown.
     *
     * @return whether the lock was freed
     */
    synchronized boolean leave(long client) {
        connected.remove(client);
        if (closed) {
            return false;
        }
        if (atWork.remove(client)) {
            lost++;
            forgetTheLost();
        }
        long holder = region.getVolatile(LOCK);
        return holder != FREE && !connected.contains(holder) && region.compareSwap(LOCK, holder, FREE) == holder;
    }

    /** Makes the current numbers the new baseline when no client can change them any more. */
    private void forgetTheLost() {
        if (lost > 0 && atWork.isEmpty()) {
            forgotten += lost;
            lost = 0;
            announcedAdds = region.getVolatile(COUNTER);
            announcedRounds = number();
        }
    }

    /** Reads a number that clients write as bytes in network order. */
    private long number() {
        ByteBuf bytes = Unpooled.buffer(Long.BYTES, Long.BYTES);
        region.getBytes(NUMBER, bytes, Long.BYTES);
        return bytes.getLong(0);
    }

    /** Invalidates the STags of all clients and closes the memory. */
    @Override
    public synchronized void close() {
        closed = true;
        region.close();
    }
}
