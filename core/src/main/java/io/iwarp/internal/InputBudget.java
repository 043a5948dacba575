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
 * <p>Each stream has one {@link Reservation}, which draws a ticket with its first request after it had no bytes; the
 * lowest ticket is the oldest reservation. A request within the limit is granted, unless other reservations wait.
 * Otherwise it is queued until enough bytes are released. The oldest reservation is always granted, even beyond the
 * limit, which guarantees progress. The owner of a reservation must bound its lifetime with a timeout.
 *
 * <p><b>Threads.</b> While no reservation waits, requests and releases are a compare-and-set or an addition. Waiting
 * reservations, and which reservation is the oldest, are guarded by a lock. No wake-up is lost, since each side stores
 * before it loads:
 *
 * <pre>
 *     a request (await)                          a release
 *     1. store: waiterCount + 1                  1. store: totalBytes - bytes
 *     2. store-load fence (volatile)             2. store-load fence (atomic update)
 *     3. load: totalBytes; over the limit:       3. load: waiterCount; 0: wakes no thread
 *        waits
 * </pre>
 *
 * <p>At least one of the two loads sees the other side's store: if the release reads 0, its store precedes that of the
 * request, whose load then sees the bytes.
 */
public final class InputBudget {
    private static final long NO_TICKET = Long.MAX_VALUE;

    private final long limit;
    /** The bytes of all reservations, and those that are reserved without one. */
    private final AtomicLong totalBytes = new AtomicLong();

    private final AtomicLong tickets = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    // The lock guards all fields below.
    private final Set<Reservation> reservations = new HashSet<>();
    private final PriorityQueue<Reservation> waiters =
            new PriorityQueue<>(Comparator.comparingLong(waiter -> waiter.ticket));
    /** The reservation that had {@link #oldestTicket} when the cache was last refreshed. */
    private @Nullable Reservation oldest;

    private long oldestTicket = NO_TICKET;
    /** The number of waiting reservations. Written with the lock held. */
    private volatile int waiterCount;

    /** @param limit the maximum number of bytes that are reserved at the same time, beyond those of the oldest one */
    public InputBudget(long limit) {
        this.limit = limit;
    }

    /** Returns the limit in bytes. */
    public long limit() {
        return limit;
    }

    /** Returns the number of reserved bytes. It may change at any time. */
    public long reservedBytes() {
        return totalBytes.get();
    }

    /** Reserves bytes that are already in use, even beyond the limit. Must be balanced by {@link #release}. */
    public void reserveBeyondLimit(long bytes) {
        totalBytes.addAndGet(bytes);
    }

    /** Releases bytes that {@link #reserveBeyondLimit} reserved. */
    public void release(long bytes) {
        totalBytes.addAndGet(-bytes);
        wakeWaiters();
    }

    private boolean tryReserve(long bytes) {
        for (long before = totalBytes.get(); bytes <= limit - before; before = totalBytes.get()) {
            if (totalBytes.compareAndSet(before, before + bytes)) {
                return true;
            }
        }
        return false;
    }

    /** Wakes the reservations that can be granted. */
    private void wakeWaiters() {
        if (waiterCount == 0) {
            return;
        }
        List<Reservation> granted;
        lock.lock();
        try {
            granted = grantWaiters();
        } finally {
            lock.unlock();
        }
        granted.forEach(reservation -> reservation.wake.run());
    }

    /** Grants the requests of waiting reservations, the oldest first. The caller holds the lock. */
    private List<Reservation> grantWaiters() {
        List<Reservation> granted = new ArrayList<>();
        for (Reservation next = waiters.peek(); next != null && next.grant(); next = waiters.peek()) {
            next.dequeue();
            granted.add(next);
        }
        return granted;
    }

    /** Returns the oldest reservation; null if none has or requests bytes. The caller holds the lock. */
    private @Nullable Reservation findOldest() {
        Reservation known = oldest;
        if (known == null || known.ticket != oldestTicket) {
            oldestTicket = NO_TICKET;
            for (Reservation reservation : reservations) {
                long ticket = reservation.ticket;
                if (ticket < oldestTicket) {
                    oldestTicket = ticket;
                    oldest = reservation;
                }
            }
        }
        return oldest;
    }

    /**
     * Adds the reservation of a stream.
     *
     * @param wake called by any thread, without a lock, when a request that waited has been granted
     */
    public Reservation reservation(Runnable wake) {
        Reservation reservation = new Reservation(wake);
        lock.lock();
        try {
            reservations.add(reservation);
        } finally {
            lock.unlock();
        }
        return reservation;
    }

    /** The reservation of one stream. Its methods must not be called concurrently. */
    public final class Reservation {
        private final Runnable wake;
        /** Changed by its owner; while it waits, with the lock held. */
        private long reservedBytes;
        /** The total that the last request asked for. Guarded by the lock. */
        private long requestedBytes;
        /** Changed by its owner, read with the lock held by others. */
        private volatile long ticket = NO_TICKET;

        private volatile boolean isWaiting;

        private Reservation(Runnable wake) {
            this.wake = wake;
        }

        /** Returns the number of bytes of this reservation, unless it {@linkplain #isWaiting waits}. */
        public long reservedBytes() {
            return reservedBytes;
        }

        /** Returns whether the last request is still queued. */
        public boolean isWaiting() {
            return isWaiting;
        }

        /**
         * Requests that this reservation has a total number of bytes.
         *
         * @return true if the reservation has at least that many bytes now; false if the request waits, until the
         *     wake-up or a {@link #release}. The call may be repeated meanwhile.
         */
        public boolean reserveOrWait(long total) {
            if (!isWaiting) {
                if (total <= reservedBytes) {
                    return true;
                }
                if (ticket == NO_TICKET) {
                    ticket = tickets.getAndIncrement();
                }
                if (waiterCount == 0 && tryReserve(total - reservedBytes)) {
                    reservedBytes = total;
                    return true;
                }
            }
            return await(total);
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // the lock is held
        private boolean await(long total) {
            List<Reservation> granted = List.of();
            lock.lock();
            try {
                if (!isWaiting && total > reservedBytes) {
                    requestedBytes = total;
                    isWaiting = true;
                    waiters.add(this);
                    waiterCount++;
                    granted = grantWaiters();
                }
            } finally {
                lock.unlock();
            }
            for (Reservation other : granted) {
                if (other != this) {
                    other.wake.run();
                }
            }
            return !isWaiting && total <= reservedBytes;
        }

        /** Raises the total to bytes that are already in use, even beyond the limit. */
        public void reserveBeyondLimit(long total) {
            lock.lock();
            try {
                if (total > reservedBytes) {
                    totalBytes.addAndGet(total - reservedBytes);
                    reservedBytes = total;
                }
            } finally {
                lock.unlock();
            }
        }

        /** Releases all bytes of this reservation, and dequeues its request. */
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
            if (reservedBytes > 0 || ticket != NO_TICKET) {
                totalBytes.addAndGet(-reservedBytes);
                reservedBytes = 0;
                ticket = NO_TICKET;
                wakeWaiters();
            }
        }

        /** Ends the reservation. May be called again. */
        public void close() {
            release();
            lock.lock();
            try {
                reservations.remove(this);
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
         * Grants the request if the limit allows it or this reservation is the oldest. The caller holds the lock, and
         * this reservation is the first waiter.
         */
        private boolean grant() {
            long missingBytes = Math.max(0, requestedBytes - reservedBytes);
            if (!tryReserve(missingBytes)) {
                if (findOldest() != this) {
                    return false;
                }
                totalBytes.addAndGet(missingBytes);
            }
            reservedBytes += missingBytes;
            return true;
        }
    }
}
