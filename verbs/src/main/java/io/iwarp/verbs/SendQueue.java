package io.iwarp.verbs;

import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;

/**
 * The send queue of a {@link QueuePair}: takes every request except receives. Each request carries a work-request id,
 * which comes back in its completion. Posts allocate nothing. Any thread may post.
 *
 * <p>Completions go to the completion listener or the completion queue of the queue pair. Without one of them, posts
 * throw {@link IllegalStateException}. {@link QueuePair#sendQueue(CompletionListener)} returns one whose completions go to a
 * listener of its own. {@link QueuePair} describes order, memory and refused posts.
 *
 * <p>A request that names memory of the peer takes the {@link RemoteBuffer} that the peer advertised, and an offset in
 * it in bytes. A range outside that buffer throws {@link IllegalArgumentException}; the peer checks its bounds as well.
 */
public final class SendQueue {
    private final Poster poster;
    private final CompletionRoutes routes;

    SendQueue(Poster poster, CompletionRoutes routes) {
        this.poster = poster;
        this.routes = routes;
    }

    /** As {@link #send(long, ByteBuf, PostOptions)}, without options. */
    public void send(long workRequestId, ByteBuf message) {
        send(workRequestId, message, PostOptions.NONE);
    }

    /**
     * Posts a Send of the buffer's readable bytes; the buffer's indices do not move.
     *
     * @param workRequestId comes back in the completion
     * @param message any buffer; 0 to 2^31 - 1 bytes. The peer must have posted a receive of at least that size;
     *     otherwise it ends the stream.
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.3">RFC 5040 section 5.3</a>
     */
    public void send(long workRequestId, ByteBuf message, PostOptions options) {
        poster.send(workRequestId, message, options, routes.forSends());
    }

    /**
     * Posts a Send of a part of a region, which may be larger than a buffer can be.
     *
     * @param offset of the first byte in the region, 0 for its start
     * @param length 0 to 2^32 - 1 bytes
     */
    public void send(long workRequestId, MemoryRegion source, long offset, long length, PostOptions options) {
        poster.send(workRequestId, source, offset, length, options, routes.forSends());
    }

    /**
     * Posts a Send of the buffer's readable bytes that also invalidates an STag of the peer: when the peer's
     * application gets the message, the STag is no longer valid.
     *
     * @param invalidated memory with that STag; its offset and length are ignored. The peer must have bound the STag to
     *     this stream alone. The peer ends the stream if the STag is unknown, already invalidated, or usable by other
     *     streams.
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.3">RFC 5040 section 5.3</a>
     */
    public void sendWithInvalidate(long workRequestId, ByteBuf message, RemoteBuffer invalidated, PostOptions options) {
        poster.sendWithInvalidate(workRequestId, message, invalidated, options, routes.forSends());
    }

    /**
     * As {@link #write(long, ByteBuf, RemoteBuffer, long, PostOptions)}, to the start of the target, without options.
     */
    public void write(long workRequestId, ByteBuf source, RemoteBuffer target) {
        write(workRequestId, source, target, 0, PostOptions.NONE);
    }

    /**
     * Posts an RDMA Write of the buffer's readable bytes into memory that the peer advertised; the buffer's indices do
     * not move. The peer's application is not notified.
     *
     * @param workRequestId comes back in the completion
     * @param source any buffer; 0 to 2^31 - 1 bytes
     * @param target what the peer advertised
     * @param targetOffset where the first byte goes, in bytes from the start of the target
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.1">RFC 5040 section 5.1</a>
     */
    public void write(long workRequestId, ByteBuf source, RemoteBuffer target, long targetOffset, PostOptions options) {
        poster.write(workRequestId, source, target, targetOffset, options, routes.forSends());
    }

    /**
     * Posts an RDMA Write of a part of a region, which may be larger than a buffer can be.
     *
     * @param source a region of any protection domain and with any rights; it is read as local memory
     * @param offset of the first byte in the region, 0 for its start
     * @param length 0 to 2^32 - 1 bytes
     * @param target what the peer advertised
     * @param targetOffset where the first byte goes, in bytes from the start of the target
     */
    public void write(
            long workRequestId,
            MemoryRegion source,
            long offset,
            long length,
            RemoteBuffer target,
            long targetOffset,
            PostOptions options) {
        poster.write(workRequestId, source, offset, length, target, targetOffset, options, routes.forSends());
    }

    /**
     * Posts an RDMA Write followed by Immediate Data. The peer's application gets 64 bits with the completion of one of
     * its receives; the written bytes are in place by then.
     *
     * @param target what the peer advertised
     * @param targetOffset where the first byte goes, in bytes from the start of the target
     * @param data the 64 bits
     * @throws UnsupportedOperationException if the extensions are turned off
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-6">RFC 7306 section 6</a>
     */
    public void writeWithImmediate(
            long workRequestId,
            ByteBuf source,
            RemoteBuffer target,
            long targetOffset,
            long data,
            PostOptions options) {
        poster.writeWithImmediate(workRequestId, source, target, targetOffset, data, options, routes.forSends());
    }

    /**
     * As {@link #writeWithImmediate(long, ByteBuf, RemoteBuffer, long, long, PostOptions)}, of a part of a region.
     *
     * @param offset of the first byte in the region, 0 for its start
     * @param length 0 to 2^32 - 1 bytes
     */
    public void writeWithImmediate(
            long workRequestId,
            MemoryRegion source,
            long offset,
            long length,
            RemoteBuffer target,
            long targetOffset,
            long data,
            PostOptions options) {
        poster.writeWithImmediate(
                workRequestId, source, offset, length, target, targetOffset, data, options, routes.forSends());
    }

    /**
     * Posts Immediate Data: 64 bits that consume one receive of the peer, in order with Sends. The buffer of that
     * receive is not changed.
     *
     * @param data the 64 bits
     * @throws UnsupportedOperationException if the extensions are turned off
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-6">RFC 7306 section 6</a>
     */
    public void sendImmediate(long workRequestId, long data, PostOptions options) {
        poster.immediate(workRequestId, data, options, routes.forSends());
    }

    /**
     * Posts an RDMA Read into a part of a region.
     *
     * @param workRequestId comes back in the completion
     * @param sink a region of this queue pair's domain with the right LOCAL_WRITE; valid until the completion
     * @param offset of the first byte in the sink, 0 for its start
     * @param length 0 to 2^32 - 1 bytes
     * @param source what the peer advertised
     * @param sourceOffset where to read from, in bytes from the start of the source
     * @throws IllegalArgumentException if the sink is not such a region
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.2">RFC 5040 section 5.2</a>
     */
    public void read(
            long workRequestId,
            MemoryRegion sink,
            long offset,
            long length,
            RemoteBuffer source,
            long sourceOffset,
            PostOptions options) {
        poster.read(workRequestId, sink, offset, length, source, sourceOffset, options, routes.forSends());
    }

    /**
     * Posts an RDMA Read that appends to the buffer. At its completion the writer index has moved past the bytes. The
     * buffer is registered for the duration of the Read, which costs more than the Read of a small object. Use a region
     * for a sink that is reused.
     *
     * @param sink a direct buffer of one piece; used by one Read at a time
     * @param length 0 to the number of writable bytes of the sink
     * @param source what the peer advertised
     * @param sourceOffset where to read from, in bytes from the start of the source
     */
    public void read(
            long workRequestId, ByteBuf sink, int length, RemoteBuffer source, long sourceOffset, PostOptions options) {
        poster.read(workRequestId, sink, length, source, sourceOffset, options, routes.forSends());
    }

    /**
     * Posts a FetchAdd: adds to a 64-bit number of the peer. {@link Completion#original} is the number before the
     * addition. No other atomic of any stream intervenes.
     *
     * <p>In the peer's memory the number is in the byte order of the peer's machine; only its value crosses the wire.
     * An RDMA Read returns the bytes as they are in memory: little-endian from x86 or ARM. At a peer that uses this
     * library, the application reads and sets the number with {@link MemoryRegion#getVolatile} and
     * {@link MemoryRegion#setVolatile}.
     *
     * @param target what the peer advertised, with the right REMOTE_ATOMIC
     * @param targetOffset where the number begins, in bytes from the start of the target; its address at the peer must
     *     be a multiple of 8
     * @param add what to add; 0 reads the number, or tests whether the peer supports atomics
     * @param mask divides the number into fields: each set bit is the highest bit of a field, and no carry crosses into
     *     the next field; 0 for one field of 64 bits
     * @throws UnsupportedOperationException if the extensions are turned off
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-5.1.1">RFC 7306 section 5.1.1</a>
     */
    public void fetchAdd(
            long workRequestId, RemoteBuffer target, long targetOffset, long add, long mask, PostOptions options) {
        poster.fetchAdd(workRequestId, target, targetOffset, add, mask, options, routes.forSends());
    }

    /**
     * Posts a CmpSwap: compares bits of a 64-bit number of the peer and, if they are equal, replaces bits of it.
     * {@link Completion#original} is the number before the operation; the swap took place if that compares equal. No
     * other atomic of any stream intervenes. The number's byte order in memory is that of the peer's machine, as with
     * {@link #fetchAdd}.
     *
     * @param target what the peer advertised, with the right REMOTE_ATOMIC
     * @param targetOffset where the number begins, in bytes from the start of the target; its address at the peer must
     *     be a multiple of 8
     * @param numbers what to compare with, and what to replace
     * @throws UnsupportedOperationException if the extensions are turned off
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-5.1.2">RFC 7306 section 5.1.2</a>
     */
    public void compareSwap(
            long workRequestId, RemoteBuffer target, long targetOffset, CompareSwap numbers, PostOptions options) {
        poster.compareSwap(workRequestId, target, targetOffset, numbers, options, routes.forSends());
    }
}
