package io.iwarp.internal;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A byte budget shared by all streams of a device for partially received input. Any thread may call any method, unless
 * it says otherwise.
 *
 * <p>Each stream has one {@link Claim}, which draws a ticket with its first request after it held nothing; the lowest
 * ticket is the oldest claim. A request within the limit is granted, unless other claims wait. Otherwise it is queued
 * until enough bytes are released. The oldest claim is always granted, even beyond the limit, which guarantees
 * progress. The owner of a claim must bound its lifetime with a timeout.
 *
 * <p><b>Threads.</b> While no claim waits, requests and releases are a compare-and-set or an addition. Waiting claims,
 * and which claim is the oldest, are guarded by a lock. No wake-up is lost, since each side stores before it loads:
 *
 * <pre>
 *     a request (await)                          a release
 *     1. store: waiterCount + 1                  1. store: chargedBytes - bytes
 *     2. store-load fence (volatile)             2. store-load fence (atomic update)
 *     3. load: chargedBytes; over the limit:     3. load: waiterCount; 0: wakes nobody
 *        waits
 * </pre>
 *
 * <p>Both loads cannot miss the other side's store: if the release reads 0, its store precedes that of the request,
 * whose load then sees the bytes.
 */
public final class InputBudget {
    private static final long NO_TICKET = Long.MAX_VALUE;

    private final long limit;
    private final AtomicLong chargedBytes = new AtomicLong();
    private final AtomicLong tickets = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    // The lock guards all fields below.
    private final Set<Claim> claims = new HashSet<>();
    private final PriorityQueue<Claim> waiters = new PriorityQueue<>(Comparator.comparingLong(claim -> claim.ticket));
    /** The claim that had {@link #oldestTicket} when the cache was last refreshed. */
    private @Nullable Claim oldest;

    private long oldestTicket = NO_TICKET;
    /** The number of waiting claims. Written with the lock held. */
    private volatile int waiterCount;

    /** @param limit the maximum number of bytes that are taken at the same time, beyond those of the oldest claim */
    public InputBudget(long limit) {
        this.limit = limit;
    }

    /** Returns the limit in bytes. */
    public long limit() {
        return limit;
    }

    /** Returns the number of charged bytes. It may change at any time. */
    public long chargedBytes() {
        return chargedBytes.get();
    }

    /** Charges bytes that are already held, even beyond the limit. Must be balanced by {@link #release}. */
    public void charge(long bytes) {
        chargedBytes.addAndGet(bytes);
    }

    /** Releases bytes that {@link #charge} charged. */
    public void release(long bytes) {
        chargedBytes.addAndGet(-bytes);
        wakeWaiters();
    }

    private boolean takeWithinLimit(long bytes) {
        for (long before = chargedBytes.get(); bytes <= limit - before; before = chargedBytes.get()) {
            if (chargedBytes.compareAndSet(before, before + bytes)) {
                return true;
            }
        }
        return false;
    }

    /** Wakes the claims that can be granted. */
    private void wakeWaiters() {
        if (waiterCount == 0) {
            return;
        }
        List<Claim> granted;
        lock.lock();
        try {
            granted = grantWaiters();
        } finally {
            lock.unlock();
        }
        granted.forEach(claim -> claim.wake.run());
    }

    /** Grants the requests of waiting claims, the oldest first. The caller holds the lock. */
    private List<Claim> grantWaiters() {
        List<Claim> granted = new ArrayList<>();
        for (Claim next = waiters.peek(); next != null && next.grant(); next = waiters.peek()) {
            next.dequeue();
            granted.add(next);
        }
        return granted;
    }

    /** Returns the oldest claim; null if none holds or requests bytes. The caller holds the lock. */
    private @Nullable Claim findOldest() {
        Claim known = oldest;
        if (known == null || known.ticket != oldestTicket) {
            oldestTicket = NO_TICKET;
            for (Claim claim : claims) {
                long claimTicket = claim.ticket;
                if (claimTicket < oldestTicket) {
                    oldestTicket = claimTicket;
                    oldest = claim;
                }
            }
        }
        return oldest;
    }

    /**
     * Adds the claim of a stream.
     *
     * @param wake called by any thread, without a lock, when a request that waited has been granted
     */
    public Claim claim(Runnable wake) {
        Claim claim = new Claim(wake);
        lock.lock();
        try {
            claims.add(claim);
        } finally {
            lock.unlock();
        }
        return claim;
    }

    /** The claim of one stream. Its methods must not be called concurrently. */
    public final class Claim {
        private final Runnable wake;
        /** Changed by its owner; while it waits, with the lock held. */
        private long heldBytes;
        /** The total that the last request asked for. Guarded by the lock. */
        private long requestedBytes;
        /** Changed by its owner, read with the lock held by others. */
        private volatile long ticket = NO_TICKET;

        private volatile boolean isWaiting;

        private Claim(Runnable wake) {
            this.wake = wake;
        }

        /** Returns the number of bytes that this claim holds, unless it {@linkplain #isWaiting waits}. */
        public long heldBytes() {
            return heldBytes;
        }

        /** Returns whether the last request is still queued. */
        public boolean isWaiting() {
            return isWaiting;
        }

        /**
         * Requests that this claim holds a total number of bytes.
         *
         * @return true if the claim holds at least that many bytes now; false if the request waits, until the wake-up
         *     or a {@link #release}. The call may be repeated meanwhile.
         */
        public boolean request(long total) {
            if (!isWaiting) {
                if (total <= heldBytes) {
                    return true;
                }
                if (ticket == NO_TICKET) {
                    ticket = tickets.getAndIncrement();
                }
                if (waiterCount == 0 && takeWithinLimit(total - heldBytes)) {
                    heldBytes = total;
                    return true;
                }
            }
            return await(total);
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // the lock is held
        private boolean await(long total) {
            List<Claim> granted = List.of();
            lock.lock();
            try {
                if (!isWaiting && total > heldBytes) {
                    requestedBytes = total;
                    isWaiting = true;
                    waiters.add(this);
                    waiterCount++;
                    granted = grantWaiters();
                }
            } finally {
                lock.unlock();
            }
            for (Claim other : granted) {
                if (other != this) {
                    other.wake.run();
                }
            }
            return !isWaiting && total <= heldBytes;
        }

        /** Raises the total to bytes that are already held, even beyond the limit. */
        public void charge(long total) {
            lock.lock();
            try {
                if (total > heldBytes) {
                    chargedBytes.addAndGet(total - heldBytes);
                    heldBytes = total;
                }
            } finally {
                lock.unlock();
            }
        }

        /** Releases all bytes of this claim, and dequeues its request. */
        public void release() {
            if (isWaiting) {
                lock.lock();
                try {
                    if (isWaiting) {
                        dequeue();
                    }
                } finally {
                    lock.unlock();
                }
            }
            if (heldBytes > 0 || ticket != NO_TICKET) {
                chargedBytes.addAndGet(-heldBytes);
                heldBytes = 0;
                ticket = NO_TICKET;
                wakeWaiters();
            }
        }

        /** Ends the claim. May be called again. */
        public void close() {
            release();
            lock.lock();
            try {
                claims.remove(this);
                if (oldest == this) {
                    oldest = null;
                }
            } finally {
                lock.unlock();
            }
        }

        /** Call it with the lock held. */
        @SuppressWarnings("NonAtomicVolatileUpdate") // the lock is held
        private void dequeue() {
            waiters.remove(this);
            isWaiting = false;
            waiterCount--;
        }

        /**
         * Grants the request if the limit allows it or this claim is the oldest. The caller holds the lock, and this
         * claim is the first waiter.
         */
        private boolean grant() {
            long missingBytes = Math.max(0, requestedBytes - heldBytes);
            if (!takeWithinLimit(missingBytes)) {
                if (findOldest() != this) {
                    return false;
                }
                chargedBytes.addAndGet(missingBytes);
            }
            heldBytes += missingBytes;
            return true;
        }
    }
}
