package io.iwarp.internal.memory;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RegionClosedException;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.util.Collections;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A region: its tagged buffer, its memory and its windows. */
public final class DefaultMemoryRegion implements MemoryRegion, STagHolder {
    /** How many bytes {@link #store} and {@link #load} copy at a time. */
    private static final int FILE_PIECE = 1 << 18;

    private static final VarHandle WORD = AtomicOperation.WORD;

    private final DefaultProtectionDomain protectionDomain;
    private final @Nullable StreamAssociation stream;
    private final TaggedBuffer tagged;
    private final TaggedMemory memory;
    private final AtomicBoolean retired = new AtomicBoolean();
    /** The windows of this region. Guarded by itself. */
    private final Set<DefaultMemoryWindow> windows = Collections.newSetFromMap(new IdentityHashMap<>());

    private final AtomicBoolean closed = new AtomicBoolean();

    private DefaultMemoryRegion(
            DefaultProtectionDomain protectionDomain,
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
    static DefaultMemoryRegion register(
            DefaultProtectionDomain domain,
            @Nullable StreamAssociation stream,
            EnumSet<AccessRight> rights,
            long baseTaggedOffset,
            long length,
            Supplier<TaggedMemory> source) {
        domain.reserveRegion(length, stream);
        TaggedMemory memory = null;
        DefaultMemoryRegion region;
        try {
            TaggedMemory acquired = source.get();
            memory = acquired;
            TaggedBuffer tagged = domain.stags()
                    .issue(stag ->
                            new TaggedBuffer(stag, domain, stream, rights, baseTaggedOffset, acquired, 0, length));
            region = new DefaultMemoryRegion(domain, stream, tagged, acquired);
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

    @Override
    public DefaultProtectionDomain protectionDomain() {
        return protectionDomain;
    }

    @Override
    public int stag() {
        return tagged.stag();
    }

    @Override
    public long baseTaggedOffset() {
        return tagged.baseTaggedOffset();
    }

    @Override
    public long length() {
        return tagged.length();
    }

    @Override
    public Set<AccessRight> rights() {
        return tagged.rights().clone();
    }

    @Override
    public boolean grants(AccessRight right) {
        return tagged.rights().contains(right);
    }

    @Override
    public boolean isReadOnly() {
        return memory.isReadOnly();
    }

    @Override
    public boolean isValid() {
        return !tagged.isRevoked();
    }

    @Override
    public RemoteBuffer remoteBuffer() {
        return remoteBuffer(0, length());
    }

    @Override
    public RemoteBuffer remoteBuffer(long offset, long length) {
        requireValid();
        return new RemoteBuffer(stag(), baseTaggedOffset(), length()).slice(offset, length);
    }

    @Override
    public DefaultLocalBuffer slice(long offset, long length) {
        memory();
        return new DefaultLocalBuffer(this, offset, length);
    }

    @Override
    public DefaultLocalBuffer slice() {
        return slice(0, length());
    }

    @Override
    public DefaultWindowBuilder window(long offset, long length) {
        Objects.checkFromIndexSize(offset, length, length());
        if (length == 0) {
            throw new IndexOutOfBoundsException("a window has at least 1 byte");
        }
        return new DefaultWindowBuilder(this, offset, length);
    }

    // Local access needs no right and no valid STag.

    @Override
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

    @Override
    public ByteBuf view(long offset, long length) {
        return buffer(offset, length).asReadOnly();
    }

    @Override
    public void getBytes(long offset, ByteBuf dst, int length) {
        RegionMemory bytes = bytesOf(offset, length);
        dst.ensureWritable(length);
        if (!bytes.get(offset, dst, dst.writerIndex(), length)) {
            throw closedException();
        }
        dst.writerIndex(dst.writerIndex() + length);
    }

    @Override
    public byte[] getBytes(long offset, int length) {
        RegionMemory memory = bytesOf(offset, length);
        byte[] copy = new byte[length];
        if (!memory.get(offset, Unpooled.wrappedBuffer(copy), 0, length)) {
            throw closedException();
        }
        return copy;
    }

    @Override
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

    @Override
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

    @Override
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

    @Override
    public long getVolatile(long offset) {
        return access(requireAligned(offset), offset, 0, 0, (buffer, index, noExpected, noOperand) ->
                (long) WORD.getVolatile(buffer, index));
    }

    @Override
    public void getLongs(long offset, long[] into) {
        if (!bytesOf(offset, (long) into.length * Long.BYTES).getLongs(offset, into)) {
            throw closedException();
        }
    }

    @Override
    public void setVolatile(long offset, long word) {
        access(requireChangeable(offset), offset, 0, word, (buffer, index, noExpected, value) -> {
            WORD.setVolatile(buffer, index, value);
            return value;
        });
    }

    @Override
    public long fetchAdd(long offset, long add) {
        return access(requireChangeable(offset), offset, 0, add, (buffer, index, noExpected, addend) ->
                (long) WORD.getAndAdd(buffer, index, addend));
    }

    @Override
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

    @Override
    public void invalidate() {
        tagged.revoke();
        for (DefaultMemoryWindow window : boundWindows()) {
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

    @Override
    public void close() {
        invalidate();
        memory.endChanges();
        if (closed.compareAndSet(false, true)) {
            memory.close();
        }
    }

    /** Returns the valid windows of this region. */
    List<DefaultMemoryWindow> boundWindows() {
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
    DefaultMemoryWindow bind(
            @Nullable StreamAssociation scope,
            EnumSet<AccessRight> rights,
            long windowBase,
            long offset,
            long windowLength) {
        if (memory.isReadOnly()) {
            AccessRights.requireReadOnly(rights);
        }
        synchronized (windows) {
            requireValid();
            TaggedBuffer part = protectionDomain
                    .stags()
                    .issue(stag -> new TaggedBuffer(
                            stag, protectionDomain, scope, rights, windowBase, memory, offset, windowLength));
            DefaultMemoryWindow window = new DefaultMemoryWindow(this, scope, part);
            windows.add(window);
            return window;
        }
    }

    /** Removes a window that was invalidated. */
    void detach(DefaultMemoryWindow window) {
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
