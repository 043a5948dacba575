package io.iwarp.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of the application that a peer can access by an STag. A region is registered in a {@link ProtectionDomain}.
 * {@link #invalidate} ends its STag. {@link #close} ends its STag and releases its memory.
 *
 * <p>The region holds a reference to each of its buffers until it is closed. Meanwhile the application must not resize
 * the buffer or the buffer it was sliced from, for example by writing past its capacity. Reader and writer indexes do
 * not matter. While the STag is valid, a peer with the right to write may change the bytes at any time and in any
 * order. Read them after a message of the peer that says that they are complete, or after the STag was invalidated.
 *
 * <p><b>Atomicity.</b> A word is 8 bytes at an address that is a multiple of 8. Each word is read as a whole by the
 * Reads and atomics of peers, by {@link #getBytes}, {@link #getVolatile} and {@link #getLongs}, and by a Send or Write
 * of a {@link #slice} while peers may change the region. So they see it before or after each atomic of a peer,
 * {@link #setVolatile}, {@link #fetchAdd} or {@link #compareSwap}. An RDMA Write, a message and {@link #setBytes} may
 * be seen in part, also within a word. Several words are never a snapshot. Accesses through a {@link #buffer} or
 * {@link #view} have none of these guarantees.
 *
 * <p>Any thread may call any method, an event loop included.
 */
public final class MemoryRegion implements STagHolder, AutoCloseable {
    /** How many bytes {@link #store} and {@link #load} copy at a time. */
    private static final int FILE_PIECE = 1 << 18;

    private static final VarHandle WORD = AtomicOperation.WORD;

    private final ProtectionDomain protectionDomain;
    private final @Nullable StreamAssociation stream;
    private final TaggedBuffer tagged;
    private final TaggedMemory memory;
    private final AtomicBoolean retired = new AtomicBoolean();
    /** The windows of this region. Guarded by itself. */
    private final Set<MemoryWindow> windows = Collections.newSetFromMap(new IdentityHashMap<>());

    private final AtomicBoolean closed = new AtomicBoolean();

    private MemoryRegion(
            ProtectionDomain protectionDomain,
            @Nullable StreamAssociation stream,
            TaggedBuffer tagged,
            TaggedMemory memory) {
        this.protectionDomain = protectionDomain;
        this.stream = stream;
        this.tagged = tagged;
        this.memory = memory;
    }

    /**
     * Registers memory in a domain.
     *
     * @param length the number of bytes, all of which get the STag
     * @param source acquires the memory, which the region takes over
     * @throws RegionClosedException if the stream was closed
     */
    static MemoryRegion register(
            ProtectionDomain domain,
            @Nullable StreamAssociation stream,
            int rightBits,
            long baseTaggedOffset,
            long length,
            Supplier<TaggedMemory> source) {
        domain.reserveRegion(length, stream);
        TaggedMemory memory = null;
        MemoryRegion region;
        try {
            TaggedMemory acquired = source.get();
            memory = acquired;
            TaggedBuffer tagged = domain.stags()
                    .issue(stag ->
                            new TaggedBuffer(stag, domain, stream, rightBits, baseTaggedOffset, acquired, 0, length));
            region = new MemoryRegion(domain, stream, tagged, acquired);
        } catch (Throwable e) {
            if (memory != null) {
                memory.close();
            }
            domain.releaseRegion(length, stream);
            throw e;
        }
        if (stream != null && !stream.attach(region)) {
            region.close();
            throw StreamAssociation.regionAfterClose();
        }
        return region;
    }

    /** Returns the domain of the region. */
    public ProtectionDomain protectionDomain() {
        return protectionDomain;
    }

    /** Returns the STag, any 32-bit value except 0. */
    @Override
    public int stag() {
        return tagged.stag();
    }

    /** Returns the tagged offset of the first byte, unsigned. */
    public long baseTaggedOffset() {
        return tagged.baseTaggedOffset();
    }

    /** Returns the number of bytes, at least 1. */
    public long length() {
        return tagged.length();
    }

    /** Returns the rights of the region, which never change. */
    public Set<AccessRight> rights() {
        return AccessRight.ofBits(tagged.rightBits());
    }

    /** Returns whether a right is among the {@link #rights}. */
    public boolean grants(AccessRight right) {
        return (tagged.rightBits() & right.bit) != 0;
    }

    /** Returns whether the memory is read-only, so that it cannot be changed through this region. */
    public boolean isReadOnly() {
        return memory.isReadOnly();
    }

    /** Returns whether the STag is valid: the region was not invalidated or closed. */
    public boolean isValid() {
        return !tagged.isRevoked();
    }

    /**
     * Returns the whole region as a buffer to advertise to the peer.
     *
     * @throws RegionClosedException if the region was invalidated or closed
     */
    public RemoteBuffer remoteBuffer() {
        return remoteBuffer(0, length());
    }

    /**
     * Returns part of the region as a buffer to advertise to the peer. The peer can still access the whole region: the
     * bounds of the region are checked. Use a {@linkplain #window window} to restrict it.
     *
     * @param offset where the part begins, in bytes from the beginning of the region
     * @param length the number of bytes of the part
     * @throws IndexOutOfBoundsException if the part is not within the region
     * @throws RegionClosedException if the region was invalidated or closed
     */
    public RemoteBuffer remoteBuffer(long offset, long length) {
        requireValid();
        return new RemoteBuffer(stag(), baseTaggedOffset(), length()).slice(offset, length);
    }

    /**
     * Returns a piece of the region, as the local memory of requests. It needs no right, except as the sink of a Read,
     * which needs {@link AccessRight#LOCAL_WRITE}.
     *
     * @param offset where the piece begins, in bytes from the beginning of the region
     * @param length the number of bytes of the piece, at least 0
     * @throws IndexOutOfBoundsException if the piece is not within the region
     * @throws RegionClosedException if the region was closed
     * @throws UnsupportedOperationException if the region is over a {@linkplain RegionBuilder#file file}
     */
    public LocalBuffer slice(long offset, long length) {
        memory();
        return new LocalBuffer(this, offset, length);
    }

    /** Returns the whole region as local memory; see {@link #slice(long, long)}. */
    public LocalBuffer slice() {
        return slice(0, length());
    }

    /**
     * Returns a builder for a window: a separate STag over part of the region.
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

    // Local access needs no right and no valid STag.

    /**
     * Returns part of the region as a buffer, without a copy. Its memory stays valid until it is released, even if the
     * region is closed before. It shows what peers change meanwhile, until the region is invalidated. Read words that
     * change with {@link #getLongs}.
     *
     * <p>A Send or Write of this buffer, or of a slice, duplicate or read-only view of it, is copied before its
     * checksum is computed while a peer may change the region, as a {@link #slice} is. Otherwise a peer could end the
     * stream by changing the bytes between checksum and transmission. The stack cannot see this of any other buffer
     * over the same memory, for example one of which the region was made, or a composite buffer with this one as a
     * component: do not post such a buffer while peers may change the region. A receive into this buffer can still be
     * filled after the region was closed; one into a {@link #slice} cannot.
     *
     * <p>If the part lies in several buffers of the region, {@link ByteBuf#nioBuffers()} gives the pieces without a
     * copy, and {@link ByteBuf#nioBuffer()} copies them.
     *
     * @param offset where the part begins, in bytes from the beginning of the region
     * @param length the number of bytes of the part, at most 2,147,483,647
     * @return the buffer, with reader index 0 and all bytes readable, to be released by the caller; it cannot grow, is
     *     read-only if the region is, and belongs to one thread, as any buffer does
     * @throws IndexOutOfBoundsException if the part is not within the region
     * @throws IllegalArgumentException if it is longer than a buffer can be
     * @throws RegionClosedException if the region was closed
     * @throws UnsupportedOperationException if the region is over a {@linkplain RegionBuilder#file file}
     */
    public ByteBuf buffer(long offset, long length) {
        RegionMemory bytes = bytesOf(offset, length);
        if (length > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a buffer has at most " + Integer.MAX_VALUE + " bytes, not " + length
                    + "; take several, one after the other");
        }
        ByteBuf buffer = bytes.buffer(offset, (int) length, new RegionBuffer(bytes));
        if (buffer == null) {
            throw closedException();
        }
        return bytes.isReadOnly() ? buffer.asReadOnly() : buffer;
    }

    /**
     * Returns part of the region as a read-only buffer, without a copy: {@link #buffer}, read-only. Only a Send or
     * Write of this view, or of a buffer derived from it, is copied while a peer may change the region.
     *
     * @param offset where the part begins, in bytes from the beginning of the region
     * @param length the number of bytes of the part, at most 2,147,483,647
     * @return the view, with reader index 0 and all bytes readable, to be released by the caller
     * @throws IndexOutOfBoundsException if the part is not within the region
     * @throws IllegalArgumentException if it is longer than a buffer can be
     * @throws RegionClosedException if the region was closed
     * @throws UnsupportedOperationException if the region is over a {@linkplain RegionBuilder#file file}
     */
    public ByteBuf view(long offset, long length) {
        return buffer(offset, length).asReadOnly();
    }

    /**
     * Copies bytes of the region to the writer index of a buffer, and increases the writer index by their number. Each
     * word is read {@linkplain MemoryRegion atomically}. Errors are as for {@link #view}.
     *
     * @param offset the offset of the first byte in the region
     * @param dst the destination, used by the calling thread only; it grows as {@link ByteBuf#ensureWritable} says
     * @param length the number of bytes
     */
    public void getBytes(long offset, ByteBuf dst, int length) {
        RegionMemory bytes = bytesOf(offset, length);
        dst.ensureWritable(length);
        if (!bytes.get(offset, dst, dst.writerIndex(), length)) {
            throw closedException();
        }
        dst.writerIndex(dst.writerIndex() + length);
    }

    /**
     * Returns a copy of bytes of the region. Atomicity and errors are as for {@link #getBytes(long, ByteBuf, int)}.
     *
     * @param offset the offset of the first byte in the region
     * @param length the number of bytes
     */
    public byte[] getBytes(long offset, int length) {
        RegionMemory memory = bytesOf(offset, length);
        byte[] copy = new byte[length];
        if (!memory.get(offset, Unpooled.wrappedBuffer(copy), 0, length)) {
            throw closedException();
        }
        return copy;
    }

    /**
     * Copies the {@linkplain ByteBuf#readableBytes readable bytes} of a buffer into the region, and increases the
     * reader index of the buffer by their number. It is not {@linkplain MemoryRegion atomic}. Errors are as for
     * {@link #view}.
     *
     * @param offset the offset of the first byte in the region
     * @param src the source, used by the calling thread only
     * @throws UnsupportedOperationException if the memory is read-only
     */
    public void setBytes(long offset, ByteBuf src) {
        int length = src.readableBytes();
        RegionMemory bytes = bytesOf(offset, length);
        boolean overlaps = bytes.mayOverlap(src, offset, length);
        ByteBuf from = overlaps ? src.copy() : src;
        try {
            if (!bytes.put(offset, from, from.readerIndex(), length)) {
                throw closedException();
            }
        } finally {
            if (overlaps) {
                from.release();
            }
        }
        src.skipBytes(length);
    }

    /**
     * Writes all bytes of the region to a file, at the position of the channel, which moves to their end. Each word is
     * read {@linkplain MemoryRegion atomically}. Peers may change the region meanwhile; to store one point in time,
     * {@link #invalidate} it first. The bytes are durable after {@link FileChannel#force}.
     *
     * <p>Blocks, so do not call it on an event loop. Errors are as for {@link #view}.
     *
     * @throws IOException if the file cannot be written; it may have some of the bytes then
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
    public void store(FileChannel file) throws IOException {
        ByteBuf piece = Unpooled.directBuffer(FILE_PIECE, FILE_PIECE);
        try {
            for (long at = 0; at < length(); at += FILE_PIECE) {
                getBytes(at, piece.clear(), (int) Math.min(FILE_PIECE, length() - at));
                while (piece.isReadable()) {
                    piece.readBytes(file, piece.readableBytes());
                }
            }
        } finally {
            piece.release();
        }
    }

    /**
     * Replaces all bytes of the region by those of a file, from the position of the channel on, which moves to their
     * end. The counterpart of {@link #store}. It is not {@linkplain MemoryRegion atomic}.
     *
     * <p>Blocks, so do not call it on an event loop. Errors are as for {@link #setBytes}.
     *
     * @throws EOFException if the file has fewer bytes than the region, which is then not changed
     * @throws IOException if the file cannot be read; some of the bytes may be replaced then
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
    public void load(FileChannel file) throws IOException {
        memory().requireWritable();
        long available = file.size() - file.position();
        if (available < length()) {
            throw new EOFException("the file has " + available + " bytes from position " + file.position()
                    + " on, and the region has " + length() + "; load what store has written");
        }
        ByteBuf piece = Unpooled.directBuffer(FILE_PIECE, FILE_PIECE);
        try {
            for (long at = 0; at < length(); at += FILE_PIECE) {
                readFully(file, piece.clear(), (int) Math.min(FILE_PIECE, length() - at));
                setBytes(at, piece);
            }
        } finally {
            piece.release();
        }
    }

    private static void readFully(FileChannel file, ByteBuf piece, int length) throws IOException {
        while (piece.readableBytes() < length) {
            if (piece.writeBytes(file, length - piece.readableBytes()) < 0) {
                throw new EOFException("the file was truncated during the load");
            }
        }
    }

    /** Returns the bytes, after a check that a range is within them. */
    private RegionMemory bytesOf(long offset, long length) {
        RegionMemory bytes = memory();
        Objects.checkFromIndexSize(offset, length, bytes.length());
        return bytes;
    }

    /**
     * Reads a word of 8 bytes in native byte order, atomically and with the memory effects of a volatile read.
     *
     * @param offset the offset of the word in the region; its address must be a multiple of 8
     * @return the word
     * @throws IndexOutOfBoundsException if the 8 bytes are not within the region
     * @throws IllegalArgumentException if the address is not a multiple of 8, or the bytes lie in two buffers
     * @throws RegionClosedException if the region was closed
     */
    public long getVolatile(long offset) {
        return access(requireAligned(offset), offset, 0, 0, (buffer, index, noExpected, noOperand) ->
                (long) WORD.getVolatile(buffer, index));
    }

    /**
     * Reads words of 8 bytes in native byte order, each {@linkplain MemoryRegion atomically}. Errors are as for
     * {@link #getVolatile}.
     *
     * @param offset the offset of the first word in the region; its address must be a multiple of 8
     * @param into takes the words, one for each of its elements
     */
    public void getLongs(long offset, long[] into) {
        if (!bytesOf(offset, (long) into.length * Long.BYTES).getLongs(offset, into)) {
            throw closedException();
        }
    }

    /**
     * Writes a word of 8 bytes in native byte order, atomically and with the memory effects of a volatile write. Offset
     * and errors are as for {@link #getVolatile}.
     *
     * @param offset the offset of the word in the region
     * @param word the word to write
     * @throws UnsupportedOperationException if the memory is read-only
     */
    public void setVolatile(long offset, long word) {
        access(requireChangeable(offset), offset, 0, word, (buffer, index, noExpected, value) -> {
            WORD.setVolatile(buffer, index, value);
            return value;
        });
    }

    /**
     * Adds to a word of 8 bytes in native byte order. It is {@linkplain MemoryRegion atomic} with regard to the atomics
     * of peers, but not to RDMA Writes and {@link #setBytes}. Offset and errors are as for {@link #setVolatile}.
     *
     * @param offset the offset of the word in the region
     * @param add the addend
     * @return the previous word
     */
    public long fetchAdd(long offset, long add) {
        return access(requireChangeable(offset), offset, 0, add, (buffer, index, noExpected, addend) ->
                (long) WORD.getAndAdd(buffer, index, addend));
    }

    /**
     * Replaces a word of 8 bytes if it is the expected one. Atomicity is as for {@link #fetchAdd}, offset and errors
     * are as for {@link #setVolatile}.
     *
     * @param offset the offset of the word in the region
     * @param expected the word to replace
     * @param replacement the new word
     * @return the previous word; it was replaced if it equals {@code expected}
     */
    public long compareSwap(long offset, long expected, long replacement) {
        return access(
                requireChangeable(offset), offset, expected, replacement, (buffer, index, expectedWord, newWord) ->
                        (long) WORD.compareAndExchange(buffer, index, expectedWord, newWord));
    }

    /** Returns the bytes, after a check that a word can be changed atomically at this offset. */
    private RegionMemory requireChangeable(long offset) {
        memory().requireWritable();
        return requireAligned(offset);
    }

    /** Returns the bytes, after a check that a word can be accessed atomically at this offset. */
    private RegionMemory requireAligned(long offset) {
        Objects.checkFromIndexSize(offset, AtomicOperation.LENGTH, length());
        RegionMemory bytes = memory();
        bytes.requireAligned(offset);
        return bytes;
    }

    /** Accesses a word, and keeps the region open meanwhile. */
    private long access(RegionMemory bytes, long offset, long expected, long operand, RegionMemory.WordAccess access) {
        if (!bytes.enter()) {
            throw closedException();
        }
        try {
            return bytes.access(offset, expected, operand, access);
        } finally {
            bytes.leave();
        }
    }

    /**
     * Ends the registration: invalidates the STag and those of all windows of the region, which no longer counts toward
     * the limits of its domain and device. The owner reads and writes the memory until it closes the region. When this
     * method returns, no access of a peer is in progress and none can begin: no peer changes or reads the bytes any
     * more (RFC 5042 section 6.2.2). It waits for accesses in progress, each at most the copy of one segment, and may
     * be called on an event loop. A further call only waits.
     */
    @Override
    public void invalidate() {
        tagged.revoke();
        for (MemoryWindow window : boundWindows()) {
            window.invalidate();
        }
        if (retired.compareAndSet(false, true)) {
            protectionDomain.stags().retire(tagged);
            if (stream != null) {
                stream.detach(this);
            }
            protectionDomain.releaseRegion(memory.length(), stream);
        }
    }

    /**
     * Invalidates the region and releases its buffers. When this method returns, no peer changes the bytes any more,
     * not even by a message for which part of the region was posted as a receive: such a receive fails. Posted requests
     * that send from the region are still sent, and hold the buffers until then. It waits as {@link #invalidate} does,
     * and for calls of {@link #setBytes} in progress. A further call only waits.
     */
    @Override
    public void close() {
        invalidate();
        memory.endChanges();
        if (closed.compareAndSet(false, true)) {
            memory.close();
        }
    }

    private List<MemoryWindow> boundWindows() {
        synchronized (windows) {
            return List.copyOf(windows);
        }
    }

    /**
     * Issues a separate STag for part of the region and adds the window. Both happen under the lock under which an
     * invalidation of the region finds its windows, so it finds even a window that is just being bound.
     *
     * @throws IllegalArgumentException if the rights allow changes of read-only memory
     * @throws RegionClosedException if the region was invalidated or closed
     */
    MemoryWindow bind(
            @Nullable StreamAssociation scope, int rightBits, long windowBase, long offset, long windowLength) {
        if (memory.isReadOnly()) {
            AccessRight.requireReadOnlyRights(rightBits);
        }
        synchronized (windows) {
            requireValid();
            TaggedBuffer part = protectionDomain
                    .stags()
                    .issue(stag -> new TaggedBuffer(
                            stag, protectionDomain, scope, rightBits, windowBase, memory, offset, windowLength));
            MemoryWindow window = new MemoryWindow(this, scope, part);
            windows.add(window);
            return window;
        }
    }

    /** Removes a window that was invalidated. */
    void detach(MemoryWindow window) {
        synchronized (windows) {
            windows.remove(window);
        }
    }

    /** Returns the only stream that may use the STag, or null for all streams of the domain. */
    @Nullable
    StreamAssociation stream() {
        return stream;
    }

    /** Returns the bytes, for local access. */
    RegionMemory memory() {
        requireOpen();
        return memoryUnchecked();
    }

    RegionMemory memoryUnchecked() {
        if (memory instanceof RegionMemory bytes) {
            return bytes;
        }
        throw new UnsupportedOperationException(
                name() + " is over a file, and only peers read it: read the file, or register a buffer");
    }

    /** Returns STag, range, rights and state, without the bytes. */
    @Override
    public String toString() {
        String state = closed.get() ? ", closed" : isValid() ? "" : ", invalidated";
        return "MemoryRegion[" + tagged + state + ']';
    }

    private void requireOpen() {
        if (closed.get()) {
            throw closedException();
        }
    }

    /** Returns the error of a use after the region was closed. */
    RegionClosedException closedException() {
        return new RegionClosedException(name() + " was closed; register the memory again");
    }

    private void requireValid() {
        requireOpen();
        if (!isValid()) {
            throw new RegionClosedException(name() + " was invalidated; register the memory again for a new STag");
        }
    }

    private String name() {
        return String.format(Locale.ROOT, "region STag 0x%08x", stag());
    }
}
