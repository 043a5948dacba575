package io.iwarp.internal.memory;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import java.util.EnumSet;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The memory of an STag, as the data path uses it: a range of tagged offsets over registered memory, with its rights
 * and its association (RFC 5041 section 8.2). DDP and RDMAP find it with {@link StreamAssociation#lookup}, check each
 * access with {@link StreamAssociation#check}, and then {@link #place}, {@link #fetch} or {@link #execute}.
 *
 * <p>Any thread may call any method. Revocation and access exclude each other: after a revocation has returned, no
 * access is in progress and none can begin.
 */
public final class TaggedBuffer {
    private final int stag;
    private final ProtectionDomain protectionDomain;
    private final @Nullable StreamAssociation scope;
    private final EnumSet<AccessRight> rights;
    private final long baseTaggedOffset;
    private final TaggedMemory memory;
    private final long memoryOffset;
    private final long length;
    private final Gate gate = new Gate();

    /**
     * Creates a tagged buffer over part of a memory.
     *
     * @param stag the STag
     * @param protectionDomain the domain whose streams may use it
     * @param scope the only stream that may use it, or null for all streams of the domain
     * @param rights the rights
     * @param baseTaggedOffset the tagged offset of the first byte; base plus length is at most 2^64
     * @param memory holds the bytes
     * @param memoryOffset the offset of the first byte in the memory
     * @param length the number of bytes, all of them within the memory
     */
    TaggedBuffer(
            int stag,
            ProtectionDomain protectionDomain,
            @Nullable StreamAssociation scope,
            EnumSet<AccessRight> rights,
            long baseTaggedOffset,
            TaggedMemory memory,
            long memoryOffset,
            long length) {
        this.stag = stag;
        this.protectionDomain = protectionDomain;
        this.scope = scope;
        this.rights = rights;
        this.baseTaggedOffset = baseTaggedOffset;
        this.memory = memory;
        this.memoryOffset = memoryOffset;
        this.length = length;
    }

    /** Returns whether a range of tagged offsets, which are unsigned 64-bit numbers, exceeds 2^64. */
    public static boolean wraps(long offset, long length) {
        // -offset is 2^64 - offset, the room up to 2^64. From offset 0 no length can wrap.
        return offset != 0 && Long.compareUnsigned(length, -offset) > 0;
    }

    /**
     * Refuses a base with which the range would exceed 2^64.
     *
     * @throws IllegalArgumentException if the range would exceed 2^64
     */
    static void requireNoWrapAround(long base, long length) {
        if (wraps(base, length)) {
            throw new IllegalArgumentException("base tagged offset " + Long.toUnsignedString(base) + " plus length "
                    + length + " is more than 2^64; choose a lower base");
        }
    }

    /** Returns the STag, any 32-bit value except 0. */
    public int stag() {
        return stag;
    }

    /** Returns the tagged offset of the first byte, unsigned. */
    public long baseTaggedOffset() {
        return baseTaggedOffset;
    }

    /** Returns the number of bytes, at least 1. */
    public long length() {
        return length;
    }

    /**
     * Returns whether only one stream may use the STag. A peer cannot invalidate an STag that all streams of a domain
     * share (RFC 5040 section 8.1.1 rule 7).
     */
    public boolean isStreamScoped() {
        return scope != null;
    }

    /**
     * Checks an access to a range of this buffer: validity, association (domain, then stream), right, wrap, bounds, in
     * this order (RFC 5041 section 7.1). The peer chose offset and length: they are unsigned and may have any value. A
     * range of 0 bytes is in bounds from the first byte to directly after the last.
     *
     * @param stream the stream of the access
     * @param right the right that the access needs
     * @param taggedOffset the tagged offset of the first byte, unsigned
     * @param length the number of bytes, unsigned
     * @return {@link AccessVerdict#GRANTED}, or the first check that failed. The buffer may be revoked right
     *     afterwards: {@link #place}, {@link #fetch} and {@link #execute} report this.
     */
    public AccessVerdict check(StreamAssociation stream, AccessRight right, long taggedOffset, long length) {
        if (gate.isClosed()) {
            return AccessVerdict.INVALID_STAG;
        }
        if (stream.protectionDomain() != protectionDomain || (scope != null && scope != stream)) {
            return AccessVerdict.NOT_ASSOCIATED;
        }
        if (!rights.contains(right)) {
            return AccessVerdict.NO_RIGHT;
        }
        if (wraps(taggedOffset, length)) {
            return AccessVerdict.WRAP;
        }
        return contains(taggedOffset, length) ? AccessVerdict.GRANTED : AccessVerdict.BOUNDS;
    }

    /**
     * Copies payload into the buffer, unless it was revoked after the check. The caller has checked the access. A range
     * that is not within the buffer causes an exception before a byte is changed.
     *
     * @param taggedOffset the tagged offset of the first byte, unsigned
     * @param src the bytes; used by the calling thread only, not released or retained, indexes unchanged
     * @param srcIndex the index of the first byte in {@code src}
     * @param length the number of bytes, at least 0
     * @return true if all bytes were copied; false if the buffer was revoked, then none was
     */
    public boolean place(long taggedOffset, ByteBuf src, int srcIndex, int length) {
        requireWithin(taggedOffset, length, "place");
        if (!gate.enter()) {
            return false;
        }
        try {
            memory.place(offsetInMemory(taggedOffset), src, srcIndex, length);
        } finally {
            gate.leave();
        }
        return true;
    }

    /**
     * Copies bytes out of the buffer, unless it was revoked after the check. The caller has checked the access. A range
     * that is not within the buffer causes an exception before a byte is copied. Each word of 8 bytes that lies in the
     * range at an address that is a multiple of 8 is copied atomically. The copy is faster if the destination has the
     * {@link #misalignment} of the source.
     *
     * @param taggedOffset the tagged offset of the first byte, unsigned
     * @param dst the destination; used by the calling thread only, not released or retained, indexes unchanged
     * @param dstIndex the index of the first byte in {@code dst}
     * @param length the number of bytes, at least 0
     * @return true if all bytes were copied; false if the buffer was revoked, then none was
     */
    public boolean fetch(long taggedOffset, ByteBuf dst, int dstIndex, int length) {
        requireWithin(taggedOffset, length, "fetch");
        if (!gate.enter()) {
            return false;
        }
        try {
            memory.fetch(offsetInMemory(taggedOffset), dst, dstIndex, length);
        } finally {
            gate.leave();
        }
        return true;
    }

    /**
     * Returns whether the 8 bytes at a tagged offset have a memory address that is a multiple of 8, as atomic
     * operations need (RFC 7306 section 5.1). The address counts, not the tagged offset.
     *
     * @param taggedOffset the tagged offset of the first of 8 bytes within the buffer, unsigned
     */
    public boolean isAligned(long taggedOffset) {
        requireWithin(taggedOffset, AtomicOperation.LENGTH, "isAligned");
        return memory.isAligned(offsetInMemory(taggedOffset));
    }

    /**
     * Returns the memory address of a byte modulo 8.
     *
     * @param taggedOffset the tagged offset of the byte, unsigned; it must be within the buffer
     * @return 0 to 7; 0 for a file
     */
    public int misalignment(long taggedOffset) {
        requireWithin(taggedOffset, 1, "misalignment");
        return memory.misalignment(offsetInMemory(taggedOffset));
    }

    /**
     * Returns the offset of a byte in its word: 8 bytes in one piece of the memory, at an address that is a multiple of
     * 8, which an atomic may change.
     *
     * @param taggedOffset the tagged offset of the byte, unsigned; it must be within the buffer
     * @return 0 to 7; 0 if the byte begins a word or belongs to none, and for a file
     */
    public int bytesIntoWord(long taggedOffset) {
        int before = misalignment(taggedOffset);
        long word = offsetInMemory(taggedOffset) - before;
        return before > 0 && word >= 0 && memory.isAligned(word) ? before : 0;
    }

    /**
     * Executes an atomic operation, unless the buffer was revoked after the check. The caller has checked access and
     * {@linkplain #isAligned alignment}.
     *
     * @param taggedOffset the tagged offset of the first of 8 bytes, unsigned
     * @param operation the operation; it has the original value afterwards
     * @return true if it was executed; false if the buffer was revoked, then nothing was done
     * @throws IllegalStateException if the address is not a multiple of 8; then nothing was done
     * @throws IndexOutOfBoundsException if the range is not within the buffer, or spans two buffers of the region; then
     *     nothing was done
     */
    public boolean execute(long taggedOffset, AtomicOperation operation) {
        requireWithin(taggedOffset, AtomicOperation.LENGTH, "execute");
        if (!gate.enter()) {
            return false;
        }
        try {
            memory.execute(offsetInMemory(taggedOffset), operation);
        } finally {
            gate.leave();
        }
        return true;
    }

    private void requireWithin(long taggedOffset, int length, String method) {
        if (length < 0 || !contains(taggedOffset, length)) {
            throw new IndexOutOfBoundsException("tagged offset " + Long.toUnsignedString(taggedOffset) + ", length "
                    + length + " is not within " + this + "; check() before " + method + "()");
        }
    }

    private long offsetInMemory(long taggedOffset) {
        return taggedOffset - baseTaggedOffset + memoryOffset;
    }

    /** Ends all access, and returns when no access is in progress. Any thread may call this, any number of times. */
    void revoke() {
        gate.close();
    }

    /** Returns the only stream that may use it, or null for all streams of the domain. */
    @Nullable
    StreamAssociation scope() {
        return scope;
    }

    /** Returns whether the buffer was revoked. */
    boolean isRevoked() {
        return gate.isClosed();
    }

    /** Returns the memory that it is a part of. */
    TaggedMemory memory() {
        return memory;
    }

    /** Returns the rights. */
    EnumSet<AccessRight> rights() {
        return rights;
    }

    /** Returns STag, range and rights, without the bytes. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "STag 0x%08x, %d bytes from tagged offset %s, %s",
                stag,
                length,
                Long.toUnsignedString(baseTaggedOffset),
                rights);
    }

    private boolean contains(long taggedOffset, long count) {
        if (Long.compareUnsigned(taggedOffset, baseTaggedOffset) < 0) {
            return false;
        }
        long offset = taggedOffset - baseTaggedOffset;
        return Long.compareUnsigned(offset, length) <= 0 && Long.compareUnsigned(count, length - offset) <= 0;
    }
}
