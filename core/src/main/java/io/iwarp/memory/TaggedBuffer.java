package io.iwarp.memory;

import io.netty.buffer.ByteBuf;
import java.util.Locale;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * What an STag names, as the data path sees it: a range of tagged offsets over registered memory, with the rights and
 * the association that hold for it (RFC 5041 section 8.2). DDP and RDMAP find it with
 * {@link StreamAssociation#lookup}, {@link #check} each access, and {@link #place}, {@link #fetch} or {@link #execute} what
 * was granted.
 *
 * <p>Any thread may call any method. Revocation and access exclude each other: once revoking has returned, no access is in
 * progress and none begins.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
public final class TaggedBuffer {
    private final int stag;
    private final ProtectionDomain protectionDomain;
    private final @Nullable StreamAssociation scope;
    private final int rightBits;
    private final long baseTaggedOffset;
    private final RegionMemory memory;
    private final long memoryOffset;
    private final long length;
    private final Gate gate = new Gate();

    /**
     * Names bytes of a memory.
     *
     * @param stag the STag
     * @param protectionDomain the domain whose streams may use it
     * @param scope the only stream that may use it, or null for all streams of the domain
     * @param rightBits the rights, one bit each
     * @param baseTaggedOffset the tagged offset of the first byte; base plus length is at most 2^64
     * @param memory holds the bytes
     * @param memoryOffset of the first byte in the memory
     * @param length the number of bytes, all of them within the memory
     */
    TaggedBuffer(
            int stag,
            ProtectionDomain protectionDomain,
            @Nullable StreamAssociation scope,
            int rightBits,
            long baseTaggedOffset,
            RegionMemory memory,
            long memoryOffset,
            long length) {
        this.stag = stag;
        this.protectionDomain = protectionDomain;
        this.scope = scope;
        this.rightBits = rightBits;
        this.baseTaggedOffset = baseTaggedOffset;
        this.memory = memory;
        this.memoryOffset = memoryOffset;
        this.length = length;
    }

    /** The STag, any 32-bit value but 0. */
    public int stag() {
        return stag;
    }

    /** The tagged offset of the first byte, as an unsigned number. */
    public long baseTaggedOffset() {
        return baseTaggedOffset;
    }

    /** The number of bytes, at least 1. */
    public long length() {
        return length;
    }

    /**
     * Whether one stream alone may use the STag. An STag that all streams of a domain share cannot be invalidated by a
     * peer (RFC 5040 section 8.1.1 rule 7).
     */
    public boolean isStreamScoped() {
        return scope != null;
    }

    /**
     * Judges an access to a range of this buffer: still valid, association (domain, then stream), right, wrap, bounds,
     * in this order (RFC 5041 section 7.1). All arguments but the right are taken as unsigned and may have any value, as
     * the peer chose them. A range of no bytes is in bounds anywhere from the first byte to behind the last.
     *
     * @param stream the stream on which the access came
     * @param right the right that the access needs
     * @param taggedOffset the tagged offset of the first byte, unsigned
     * @param length the number of bytes, unsigned
     * @return {@link AccessVerdict#GRANTED} or the first check that failed; the buffer can be revoked right afterwards,
     *     which {@link #place}, {@link #fetch} and {@link #execute} tell
     */
    public AccessVerdict check(StreamAssociation stream, AccessRight right, long taggedOffset, long length) {
        if (gate.isClosed()) {
            return AccessVerdict.INVALID_STAG;
        }
        if (stream.protectionDomain() != protectionDomain || (scope != null && scope != stream)) {
            return AccessVerdict.NOT_ASSOCIATED;
        }
        if ((rightBits & right.bit()) == 0) {
            return AccessVerdict.NO_RIGHT;
        }
        if (TaggedRange.wraps(taggedOffset, length)) {
            return AccessVerdict.WRAP;
        }
        return contains(taggedOffset, length) ? AccessVerdict.GRANTED : AccessVerdict.BOUNDS;
    }

    /**
     * Copies payload into the buffer, unless it was revoked since the check. The caller has checked the access; a range
     * that is not within the buffer is refused once more by an exception, before a byte is changed.
     *
     * @param taggedOffset the tagged offset of the first byte, unsigned
     * @param src the bytes; not released and not retained, belongs to the calling thread, its indexes are not changed
     * @param srcIndex the index of the first byte in {@code src}
     * @param length the number of bytes, at least 0
     * @return true when all bytes were copied, false when the buffer was revoked; then none was
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
     * Copies bytes out of the buffer, unless it was revoked since the check. The caller has checked the access; a range
     * that is not within the buffer is refused once more by an exception, before a byte is copied.
     *
     * @param taggedOffset the tagged offset of the first byte, unsigned
     * @param dst where to; belongs to the calling thread, is neither released nor retained, keeps its indexes
     * @param dstIndex the index of the first byte in {@code dst}
     * @param length the number of bytes, at least 0
     * @return true when all bytes were copied, false when the buffer was revoked; then none was
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
     * Whether the 8 bytes from a tagged offset on lie at a memory address that is a multiple of 8, which atomic operations
     * need (RFC 7306 section 5.1). What counts is the address, not the tagged offset.
     *
     * @param taggedOffset the tagged offset of the first of 8 bytes within the buffer, unsigned
     */
    public boolean isAligned(long taggedOffset) {
        requireWithin(taggedOffset, AtomicOperation.LENGTH, "isAligned");
        return memory.isAligned(offsetInMemory(taggedOffset));
    }

    /**
     * Executes an atomic operation, unless the buffer was revoked since the check. The caller has checked access and
     * {@linkplain #isAligned alignment}.
     *
     * @param taggedOffset the tagged offset of the first of 8 bytes, unsigned
     * @param operation what to do; it holds the original value afterwards
     * @return true when it was executed, false when the buffer was revoked; then nothing was done
     * @throws IllegalStateException if the address is no multiple of 8; then nothing was done
     * @throws IndexOutOfBoundsException if the range is not within the buffer, or lies in two buffers of the region; then
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

    /** Ends all access; returns when no access is in progress. Any thread may call this, any number of times. */
    void revoke() {
        gate.close();
    }

    /** The only stream that may use it, or null for all streams of the domain. */
    @Nullable
    StreamAssociation scope() {
        return scope;
    }

    /** Whether the buffer was revoked. */
    boolean isRevoked() {
        return gate.isClosed();
    }

    /** The rights, one bit each. */
    int rightBits() {
        return rightBits;
    }

    /** STag, range and rights; the bytes themselves do not appear. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "STag 0x%08x, %d bytes from tagged offset %s, %s",
                stag,
                length,
                Long.toUnsignedString(baseTaggedOffset),
                AccessRight.ofBits(rightBits));
    }

    private boolean contains(long taggedOffset, long count) {
        if (Long.compareUnsigned(taggedOffset, baseTaggedOffset) < 0) {
            return false;
        }
        long offset = taggedOffset - baseTaggedOffset;
        return Long.compareUnsigned(offset, length) <= 0 && Long.compareUnsigned(count, length - offset) <= 0;
    }
}
