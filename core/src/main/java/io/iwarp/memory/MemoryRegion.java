package io.iwarp.memory;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of the application that a peer can reach through an STag. A region begins when it is registered with its
 * {@link ProtectionDomain}. It has two ends, which can be apart: {@link #invalidate} takes the STag back, and
 * {@link #close} takes the STag back and gives the memory back.
 *
 * <p>The region holds a reference to each of its buffers until it is closed. Meanwhile the application must not change
 * the capacity of a buffer, also not by writing beyond it, nor that of a buffer of which it is a slice; reader and
 * writer indexes do not matter. While the STag is valid, a peer with the right to write may change the bytes at any
 * time and in any order. Read them after a message from the peer told that they are complete, or after the STag was
 * taken back.
 *
 * <p>Any thread may call any method, an event loop included.
 */
public final class MemoryRegion implements STagHolder, AutoCloseable {
    private final ProtectionDomain protectionDomain;
    private final @Nullable StreamAssociation stream;
    private final TaggedBuffer tagged;
    private final RegionMemory memory;
    private final AtomicBoolean retired = new AtomicBoolean();
    /** The windows that are bound to this region; guards itself. */
    private final Set<MemoryWindow> windows = Collections.newSetFromMap(new IdentityHashMap<>());

    private final AtomicBoolean closed = new AtomicBoolean();

    MemoryRegion(
            ProtectionDomain protectionDomain,
            @Nullable StreamAssociation stream,
            TaggedBuffer tagged,
            RegionMemory memory) {
        this.protectionDomain = protectionDomain;
        this.stream = stream;
        this.tagged = tagged;
        this.memory = memory;
    }

    /** The domain in which the region was registered. */
    public ProtectionDomain protectionDomain() {
        return protectionDomain;
    }

    /** The STag: any 32-bit value but 0. */
    @Override
    public int stag() {
        return tagged.stag();
    }

    /** The tagged offset of the first byte, unsigned. */
    public long baseTaggedOffset() {
        return tagged.baseTaggedOffset();
    }

    /** The number of bytes, at least 1. */
    public long length() {
        return tagged.length();
    }

    /** What may be done to the region through its STag; cannot be changed. */
    public Set<AccessRight> rights() {
        return AccessRight.ofBits(tagged.rightBits());
    }

    /** Whether a right is among the {@link #rights}. */
    public boolean grants(AccessRight right) {
        return (tagged.rightBits() & right.bit()) != 0;
    }

    /** Whether the STag can be used: the region was neither invalidated nor closed. */
    public boolean isValid() {
        return !tagged.isRevoked();
    }

    /**
     * The whole region, as a peer is told of it.
     *
     * @throws RegistrationEndedException if the region was invalidated or closed
     */
    public RemoteBuffer remoteBuffer() {
        return remoteBuffer(0, length());
    }

    /**
     * Part of the region, as a peer is told of it. The peer can still reach all of the region: the bounds that are
     * checked are those of the region.
     *
     * @param offset where the part begins, in bytes from the beginning of the region
     * @param length the number of bytes of the part
     * @throws IndexOutOfBoundsException if the part is not within the region
     * @throws RegistrationEndedException if the region was invalidated or closed
     */
    public RemoteBuffer remoteBuffer(long offset, long length) {
        requireValid();
        return new RemoteBuffer(stag(), baseTaggedOffset(), length()).slice(offset, length);
    }

    /**
     * A new span over the whole region, for local access to its bytes. It belongs to one thread and does not keep the
     * region open. It needs no right.
     *
     * @throws RegistrationEndedException if the region was closed
     */
    public ByteSpan span() {
        return new ByteSpan().wrap(this, 0, length());
    }

    /**
     * A builder for a window: an STag of its own over a part of the region. Whether the region can still be used shows in
     * {@link WindowBuilder#bind}.
     *
     * @param offset where the part begins, in bytes from the beginning of the region
     * @param length the number of bytes of the part, at least 1
     * @throws IndexOutOfBoundsException if the part is not within the region
     */
    public WindowBuilder window(long offset, long length) {
        Objects.checkFromIndexSize(offset, length, length());
        if (length == 0) {
            throw new IndexOutOfBoundsException("a window has at least 1 byte");
        }
        return new WindowBuilder(this, offset, length);
    }

    /**
     * Executes an atomic operation on 8 bytes of the region, as an access of this side: it needs no right and no valid
     * STag. It is atomic with regard to the atomics of peers, but not to what RDMA Writes place and spans copy, which may
     * be seen in part.
     *
     * @param offset of the first of the 8 bytes in the region; their address must be a multiple of 8
     * @param operation what to do; it holds the original value afterwards
     * @return the original value
     * @throws IndexOutOfBoundsException if the 8 bytes are not within the region
     * @throws IllegalArgumentException if the address is no multiple of 8, or the bytes lie in two buffers
     * @throws RegistrationEndedException if the region was closed
     */
    public long execute(long offset, AtomicOperation operation) {
        RegionMemory bytes = requireAligned(offset);
        enter(bytes);
        try {
            bytes.execute(offset, operation);
        } finally {
            bytes.leave();
        }
        return operation.original();
    }

    /**
     * Reads 8 bytes as a number in the order of this machine, atomically and with the memory effects of a volatile read.
     * Offset and errors are as for {@link #execute}.
     *
     * @param offset of the first of the 8 bytes in the region
     * @return the number
     */
    public long getVolatile(long offset) {
        RegionMemory bytes = requireAligned(offset);
        enter(bytes);
        try {
            return bytes.getVolatile(offset);
        } finally {
            bytes.leave();
        }
    }

    /**
     * Writes 8 bytes as a number in the order of this machine, atomically and with the memory effects of a volatile write.
     * Offset and errors are as for {@link #execute}.
     *
     * @param offset of the first of the 8 bytes in the region
     * @param number what to write
     */
    public void setVolatile(long offset, long number) {
        RegionMemory bytes = requireAligned(offset);
        enter(bytes);
        try {
            bytes.setVolatile(offset, number);
        } finally {
            bytes.leave();
        }
    }

    /**
     * Adds to a number of 64 bits. Offset, atomicity and errors are as for {@link #execute}.
     *
     * @param offset of the first of the 8 bytes in the region
     * @param add what to add
     * @return the number before
     */
    public long fetchAdd(long offset, long add) {
        RegionMemory bytes = requireAligned(offset);
        enter(bytes);
        try {
            return bytes.fetchAdd(offset, add);
        } finally {
            bytes.leave();
        }
    }

    /**
     * Replaces a number of 64 bits if it is the expected one. Offset, atomicity and errors are as for {@link #execute}.
     *
     * @param offset of the first of the 8 bytes in the region
     * @param expected the number that is replaced
     * @param replacement the number that takes its place
     * @return the number that was found; it was replaced if it equals {@code expected}
     */
    public long compareSwap(long offset, long expected, long replacement) {
        RegionMemory bytes = requireAligned(offset);
        enter(bytes);
        try {
            return bytes.compareSwap(offset, expected, replacement);
        } finally {
            bytes.leave();
        }
    }

    /** The bytes, after a look at whether a number can be accessed atomically at this offset. */
    private RegionMemory requireAligned(long offset) {
        Objects.checkFromIndexSize(offset, AtomicOperation.LENGTH, length());
        RegionMemory bytes = memory();
        if (!bytes.isAligned(offset)) {
            throw new IllegalArgumentException("the " + AtomicOperation.LENGTH + " bytes at offset " + offset
                    + " do not lie in one buffer at an address that is a multiple of " + AtomicOperation.LENGTH
                    + "; register buffers that begin at such addresses and have lengths that are multiples, and use"
                    + " offsets that are multiples");
        }
        return bytes;
    }

    /** Keeps the region from being closed until the caller leaves its bytes. */
    private void enter(RegionMemory bytes) {
        if (!bytes.enter()) {
            throw closed();
        }
    }

    /**
     * Takes the STag back, and those of all windows of the region, and leaves the memory with the region, until it is
     * closed. When this method returns, no access of a peer is in progress and none begins: no peer changes or reads the
     * bytes any more (RFC 5042 section 6.2.2). It waits for accesses that are in progress, each at most the copy of one
     * segment, and may be called on an event loop. Calling it again does nothing but that waiting.
     */
    @Override
    public void invalidate() {
        tagged.revoke();
        for (MemoryWindow window : boundWindows()) {
            window.invalidate();
        }
        if (retired.compareAndSet(false, true)) {
            protectionDomain.device().retire(tagged);
            if (stream != null) {
                stream.detach(this);
            }
        }
    }

    /**
     * Invalidates the region and gives its references to the buffers back. When this method returns, no peer changes the
     * bytes any more, also not by a message for which part of the region was posted as a receive buffer: such a receive
     * fails. What was posted to be sent from the region still goes out, and holds the buffers until then. Closing again
     * does nothing.
     */
    @Override
    public void close() {
        invalidate();
        if (closed.compareAndSet(false, true)) {
            try {
                memory.close();
            } finally {
                protectionDomain.dismissRegion(memory.length());
            }
        }
    }

    private List<MemoryWindow> boundWindows() {
        synchronized (windows) {
            return List.copyOf(windows);
        }
    }

    /**
     * Gives part of the region an STag of its own and remembers the window. Both happen under the lock that taking the
     * region back needs to find its windows, so that no window escapes it, not even one that is just being bound.
     *
     * @throws RegistrationEndedException if the region was invalidated or closed
     */
    MemoryWindow bind(
            @Nullable StreamAssociation scope, int rightBits, long windowBase, long offset, long windowLength) {
        synchronized (windows) {
            requireValid();
            TaggedBuffer part = protectionDomain
                    .device()
                    .issue(protectionDomain, scope, rightBits, windowBase, memory, offset, windowLength);
            MemoryWindow window = new MemoryWindow(this, scope, part);
            windows.add(window);
            return window;
        }
    }

    /** Forgets a window that was invalidated. */
    void detach(MemoryWindow window) {
        synchronized (windows) {
            windows.remove(window);
        }
    }

    /** The only stream that may use the STag, or null for all streams of the domain. */
    @Nullable
    StreamAssociation stream() {
        return stream;
    }

    /** The bytes, for local access. */
    RegionMemory memory() {
        requireOpen();
        return memory;
    }

    RegionMemory memoryEvenIfClosed() {
        return memory;
    }

    /** STag, range, rights and state; the bytes themselves do not appear. */
    @Override
    public String toString() {
        String state = closed.get() ? ", closed" : isValid() ? "" : ", invalidated";
        return "MemoryRegion[" + tagged + state + ']';
    }

    private void requireOpen() {
        if (closed.get()) {
            throw closed();
        }
    }

    private RegistrationEndedException closed() {
        return new RegistrationEndedException(name() + " was closed; register the memory again");
    }

    private void requireValid() {
        requireOpen();
        if (!isValid()) {
            throw new RegistrationEndedException(name() + " was invalidated; register the memory again for a new STag");
        }
    }

    private String name() {
        return String.format(Locale.ROOT, "region STag 0x%08x", stag());
    }
}
