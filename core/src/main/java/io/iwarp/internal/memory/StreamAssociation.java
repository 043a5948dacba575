package io.iwarp.internal.memory;

import io.iwarp.internal.InputBudget;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.SendReservation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RegionBuilder;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.memory.ResourceLimitException;
import io.iwarp.memory.WindowBuilder;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The identity of one stream in its protection domain. Accesses are checked against it (RFC 5041 section 8.2). A region
 * can be registered for this stream alone with {@link #region}.
 *
 * <p>Any thread may call any method.
 */
public final class StreamAssociation implements AutoCloseable {
    private static final EnumSet<AccessRight> SINK_RIGHTS = AccessRights.of(AccessRight.LOCAL_WRITE);

    private final DefaultProtectionDomain protectionDomain;
    private final STagTable stags;
    private final ReentrantLock lock = new ReentrantLock();
    private final SendReservation sendReservation;
    /** The valid regions and windows for this stream only, by STag. */
    private final Map<Integer, STagHolder> stagHolders = new HashMap<>();
    /** Changed under the lock, read without it by lookups. */
    private volatile boolean closed;

    private volatile BooleanSupplier closingPredicate = () -> closed;
    /** Only the event loop of the stream uses it. */
    private @Nullable MemoryWindow invalidatedWindow;
    /** The registered regions for this stream only. Guarded by the lock of the domain. */
    int regionCount;

    StreamAssociation(DefaultProtectionDomain protectionDomain) {
        this.protectionDomain = protectionDomain;
        this.stags = protectionDomain.stags();
        this.sendReservation = new SendReservation(protectionDomain.device().sendingBudget());
    }

    /**
     * Adds a stream to a domain.
     *
     * @return the identity of the stream; close it when the stream has ended
     * @throws IllegalStateException if the domain was closed
     */
    public static StreamAssociation open(ProtectionDomain domain) {
        return ((DefaultProtectionDomain) domain).openStream();
    }

    /**
     * Returns a builder for a region that this stream alone may use. Its peer can invalidate only such an STag (RFC
     * 5040 section 8.1.1 rule 7). When the stream is closed, the registration of the region ends.
     */
    public RegionBuilder region() {
        return protectionDomain.region().stream(this);
    }

    /**
     * Returns a builder for a window that this stream alone may use. Its peer can invalidate it with a Send with
     * Invalidate. When the stream is closed, the window is invalidated.
     *
     * @param region of the domain of this stream. If it is for one stream only, that must be this one: its peer may
     *     invalidate the region, and with it all its windows (RFC 5040 section 8.1.1 rule 7).
     * @param offset where the window begins, in bytes from the beginning of the region
     * @param length the number of bytes of the window, at least 1
     * @throws IndexOutOfBoundsException if the part is not within the region
     * @throws IllegalArgumentException if the region belongs to another domain, or to another stream alone
     */
    public WindowBuilder window(MemoryRegion region, long offset, long length) {
        return ((DefaultMemoryRegion) region).window(offset, length).stream(this);
    }

    /** Returns the domain of the stream. */
    public ProtectionDomain protectionDomain() {
        return protectionDomain;
    }

    /**
     * Finds the tagged buffer of an STag. It may belong to another stream or domain of the device: {@link #check}
     * checks this. Takes no lock and allocates nothing.
     *
     * @param stag an STag that a peer sent, any 32-bit value
     * @return the tagged buffer, or null if there is no such STag, it was revoked, or this stream was closed
     */
    public @Nullable TaggedBuffer lookup(int stag) {
        return closed ? null : stags.find(stag);
    }

    /**
     * Checks an access of the peer, in the order of {@link TaggedBuffer#check}. Allocates nothing if it is granted.
     *
     * @param buffer the buffer that {@link #lookup} found; null if it found none
     * @param right the right that the access needs
     * @param stag the STag that the peer sent
     * @param taggedOffset the tagged offset of the first byte, unsigned
     * @param length the number of bytes, unsigned
     * @return null if the access is granted; then there is a buffer. Otherwise the first check that failed, as an error
     *     of DDP for {@link AccessRight#LOCAL_WRITE} and {@link AccessRight#REMOTE_WRITE}, of RDMAP for the others
     */
    public @Nullable ProtocolFault check(
            @Nullable TaggedBuffer buffer, AccessRight right, int stag, long taggedOffset, long length) {
        if (buffer == null) {
            return unknown(right, stag);
        }
        AccessVerdict verdict = buffer.check(this, right, taggedOffset, length);
        return switch (verdict) {
            case GRANTED -> null;
            case INVALID_STAG -> unknown(right, stag);
            case NOT_ASSOCIATED ->
                fault(verdict, right, stag, "belongs to another protection domain or another stream");
            case NO_RIGHT -> fault(verdict, right, stag, "lacks the right " + right);
            case WRAP -> fault(verdict, right, stag, range(taggedOffset, length) + " wraps around 2^64");
            case BOUNDS -> fault(verdict, right, stag, range(taggedOffset, length) + " is not within " + buffer);
        };
    }

    /** Returns the error of an access to an STag that does not exist, or that was revoked after the check. */
    public static ProtocolFault unknown(AccessRight right, int stag) {
        return fault(AccessVerdict.INVALID_STAG, right, stag, "is unknown or was revoked");
    }

    private static ProtocolFault fault(AccessVerdict verdict, AccessRight right, int stag, String why) {
        return new ProtocolFault(verdict.error(right), String.format("STag 0x%08x: %s", stag, why));
    }

    private static String range(long taggedOffset, long length) {
        return String.format("tagged offset 0x%x, length %d", taggedOffset, length);
    }

    /**
     * Registers all bytes of one direct buffer as the sink of a Read of this stream. Same as a region of the domain
     * with the right {@link AccessRight#LOCAL_WRITE}, for this {@linkplain #region stream}.
     *
     * @param sink a direct buffer; the region retains it, and releases it when it is closed
     * @return the region
     * @throws IllegalArgumentException if the buffer cannot be registered; the message says what to do
     * @throws RegionClosedException if this stream or the domain was closed
     * @throws ResourceLimitException if a limit of the domain or the device is reached
     */
    public MemoryRegion registerSink(ByteBuf sink) {
        RegionMemory.requireUsable(sink);
        if (sink.isReadOnly()) {
            AccessRights.requireReadOnly(SINK_RIGHTS);
        }
        return DefaultMemoryRegion.register(
                protectionDomain, this, SINK_RIGHTS, 0, sink.capacity(), () -> RegionMemory.over(List.of(sink)));
    }

    /**
     * Checks that a region can be the sink of a Read of this stream.
     *
     * @throws IllegalArgumentException if it cannot; the message says what to do
     */
    public void requireSink(MemoryRegion region) {
        if (!region.grants(AccessRight.LOCAL_WRITE)) {
            throw new IllegalArgumentException(
                    region + " cannot be the sink of a Read: register it with the right " + AccessRight.LOCAL_WRITE);
        }
        if (region.protectionDomain() != protectionDomain) {
            throw new IllegalArgumentException(region + " cannot be the sink of a Read: it belongs to another"
                    + " protection domain; register the memory in the domain of the queue pair");
        }
    }

    /**
     * Returns the budget that all streams of the device share for partially received FPDUs and for input that waits for
     * a receive. MPA reserves it.
     *
     * @see IwarpDevice#maxPartialFpduBytes
     */
    public InputBudget inputBudget() {
        return protectionDomain.device().inputBudget();
    }

    /**
     * Returns the send reservation of this stream. Confined to the event loop of the stream.
     *
     * @see IwarpDevice#maxSendingBytes
     */
    public SendReservation sendReservation() {
        return sendReservation;
    }

    /**
     * Returns the budget that all streams of the device share for undelivered messages of managed receives.
     *
     * @see IwarpDevice#maxManagedReceiveBytes
     */
    public InputBudget managedReceiveBudget() {
        return protectionDomain.device().managedReceiveBudget();
    }

    /**
     * Sets the predicate with which {@link ProtectionDomain#close} detects closing streams. Defaults to "closed".
     *
     * @param isClosing called by any thread, with a lock held; once true, it remains true
     */
    public void setClosingPredicate(BooleanSupplier isClosing) {
        closingPredicate = isClosing;
    }

    /** Returns whether the stream is closing or closed. */
    boolean isClosing() {
        return closingPredicate.getAsBoolean();
    }

    /** Returns the error of a region for a stream that was closed. */
    static RegionClosedException regionAfterClose() {
        return new RegionClosedException("the stream was closed; register the region for an open stream");
    }

    /**
     * Removes the stream from its domain, and ends the registration of the regions and windows for this stream only.
     * Their owner has the memory of the regions until it closes them. When this method returns, no peer can access them
     * any more. Closing again does nothing.
     */
    @Override
    public void close() {
        List<STagHolder> orphans;
        boolean isFirst;
        lock.lock();
        try {
            isFirst = !closed;
            closed = true;
            orphans = new ArrayList<>(stagHolders.values());
        } finally {
            lock.unlock();
        }
        for (STagHolder orphan : orphans) {
            orphan.invalidate();
        }
        if (isFirst) {
            protectionDomain.removeStream(this);
        }
    }

    /**
     * Invalidates an STag because the peer of this stream requested it (Send with Invalidate). This is permitted only
     * for an STag that only this stream may use (RFC 5040 section 8.1.1 rule 7).
     *
     * @param stag an STag that the peer sent, any 32-bit value
     * @return {@link InvalidationVerdict#INVALIDATED} if no access by the STag is in progress and none can begin;
     *     otherwise why nothing was done
     */
    public InvalidationVerdict invalidate(int stag) {
        TaggedBuffer buffer = lookup(stag);
        if (buffer == null || buffer.isRevoked()) {
            return InvalidationVerdict.UNKNOWN;
        }
        if (buffer.scope() != this) {
            return InvalidationVerdict.NOT_PERMITTED;
        }
        STagHolder holder;
        lock.lock();
        try {
            holder = stagHolders.get(stag);
        } finally {
            lock.unlock();
        }
        if (holder == null) {
            return InvalidationVerdict.UNKNOWN;
        }
        holder.invalidate();
        invalidatedWindow = holder instanceof MemoryWindow window ? window : null;
        return InvalidationVerdict.INVALIDATED;
    }

    /**
     * Returns the window that the last {@link #invalidate} ended, once; null if it ended the STag of a region. Only the
     * event loop of the stream calls it.
     */
    public @Nullable MemoryWindow takeInvalidatedWindow() {
        MemoryWindow window = invalidatedWindow;
        invalidatedWindow = null;
        return window;
    }

    /** Associates an STag with this stream. Returns false if the stream was closed. */
    boolean attach(STagHolder holder) {
        lock.lock();
        try {
            if (!closed) {
                stagHolders.put(holder.stag(), holder);
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Removes an STag that was invalidated. */
    void detach(STagHolder holder) {
        lock.lock();
        try {
            stagHolders.remove(holder.stag(), holder);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of valid regions and windows for this stream only. */
    int holderCount() {
        lock.lock();
        try {
            return stagHolders.size();
        } finally {
            lock.unlock();
        }
    }
}
